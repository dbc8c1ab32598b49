"""The headings of a notebook, and which cells stand below each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from octavo.authoring.reading.material import ReadCell
from octavo.render.compact_text import short
from octavo.value import Value

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
LONGEST_TITLE = 100


class Section(Value):
    """A heading. `cell` is where it stands, `last` the last cell below it, both as positions.

    `number` is like `2.1`, `depth` how many headings it is in, itself included.
    """

    number: str
    title: str
    cell: int
    last: int
    depth: int


def sections_of(cells: Sequence[ReadCell]) -> tuple[Section, ...]:
    """All headings, in their order."""
    found = [
        (at, level, title)
        for at, cell in enumerate(cells)
        if cell.kind == "markdown"
        for level, title in _headings(cell.lines)
    ]
    ends = _ends(found, len(cells))
    sections = []
    open_levels: list[int] = []
    counts: list[int] = []
    for (at, level, title), last in zip(found, ends, strict=True):
        while open_levels and open_levels[-1] >= level:
            open_levels.pop()
        open_levels.append(level)
        depth = len(open_levels)
        counts = [*counts[:depth], 0][:depth] if len(counts) >= depth else [*counts, 0]
        counts[-1] += 1
        number = ".".join(map(str, counts))
        sections.append(Section(number, short(title, LONGEST_TITLE), at, last, depth))
    return tuple(sections)


def _ends(found: Sequence[tuple[int, int, str]], count: int) -> list[int]:
    """Where each section ends: before the next heading that is not below its own."""
    ends = [count - 1] * len(found)
    waiting: list[int] = []
    for place, (at, level, _) in enumerate(found):
        while waiting and found[waiting[-1]][1] >= level:
            above = waiting.pop()
            ends[above] = max(found[above][0], at - 1)
        waiting.append(place)
    return ends


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Level and text of the headings of a Markdown text, outside of its code."""
    fence = ""
    before = ""
    for line in lines:
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            continue
        if mark:
            fence, before = mark[1], ""
        elif heading := _HEADING.match(line):
            if heading[2]:
                yield len(heading[1]), heading[2]
            before = ""
        elif before and (under := _UNDERLINE.match(line)):
            yield (1 if under[1][0] == "=" else 2), before
            before = ""
        else:
            before = _paragraph(line)


def _paragraph(line: str) -> str:
    """The line, if one below it could make it a heading."""
    words = line.strip()
    is_other = line.startswith("    ") or words.startswith((">", "|", "- ", "* ", "+ "))
    return "" if is_other else words
