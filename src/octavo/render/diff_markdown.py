"""What changed between two notebooks, as Markdown: for pull requests and comments.

What notebooks hold is not trusted: it stands in fences and code spans that it cannot close.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from octavo.notebook.diff.changes import CellChange, Changes, ValueChange, changes
from octavo.notebook.diff.hunks import Hunk, Line, all_lines, excerpt, line_hunks
from octavo.render.columns import plain
from octavo.render.diff_outputs import OutputChange, output_changes, shown_lines
from octavo.render.diff_words import (
    ScrapChange,
    became,
    kinds,
    label,
    scrap_changes,
    scrap_side,
    summary,
    value_side,
)
from octavo.render.figures import counted
from octavo.render.marks import in_ticks, ticks_around

Json = Mapping[str, Any]
#: Where an image can be found, by its data (base64, or the text of an SVG) and its type.
Address = Callable[[str, str], str]
#: More lines of one text are cut: of a source, and of an output.
LONGEST_SOURCE, LONGEST_OUTPUT, LONGEST_LINE = 200, 30, 500
#: What a pull request takes, with room for the rest of its text.
LIMIT = 40_000
#: Room for the last line, which tells how much is missing, and for the heading above names.
_TAIL = 80


def changes_markdown(
    old: Json | None,
    new: Json | None,
    *,
    limit: int = LIMIT,
    ignore: frozenset[str] = frozenset(),
    level: int = 3,
    with_scraps: bool = True,
    address: Address | None = None,
) -> str:
    """What changed cell by cell, in at most about `limit` characters.

    `old` and `new` are nbformat dictionaries; None is a notebook that is not there. Headings of
    cells are of the given level. Where not all cells fit, the others are only named. Images are
    shown side by side where `address` tells of their data and type where they are.
    """
    found = changes(old, new, ignore)
    scraps = scrap_changes(old, new) if with_scraps and "outputs" not in ignore else []
    tables = [*_scrap_table(scraps), *_metadata_table(found.metadata)]
    head = [_sentence(summary(found)), "", *tables]
    return _bounded(head, found, limit, _Cells("#" * level, ignore, address))


class _Cells:
    """How cells are told: the marks of their headings, what is left out, where images are."""

    def __init__(self, marks: str, ignore: frozenset[str], address: Address | None) -> None:
        self._marks = marks
        self._ignore = ignore
        self._address = address

    def lines(self, change: CellChange) -> Iterator[str]:
        """One cell."""
        yield f"{self._marks} {_title(change)}"
        yield ""
        hunks = _source(change)
        if hunks:
            yield from (*fenced(hunks, LONGEST_SOURCE), "")
        lone = change.how in ("added", "removed") and "outputs" not in self._ignore
        if "outputs" in change.parts or lone:
            for output in output_changes(change):
                yield from (*_output(output, self._address), "")
        if "metadata" in change.parts:
            yield from _metadata_table(change.metadata())
        if not hunks and change.how == "moved":
            yield "Its content is the same."
            yield ""


def _bounded(head: Sequence[str], found: Changes, limit: int, cells: _Cells) -> str:
    """Cells as long as they fit, then their names as long as those fit, then a count."""
    limit -= _TAIL
    text = "\n".join(_fitting(head, limit))
    named = 0
    for at, change in enumerate(found.cells):
        told = "" if named else "\n".join(cells.lines(change))
        if told and len(text) + len(told) <= limit:
            text += f"\n{told}"
            continue
        named += 1
        line = f"- {_title(change)}\n"
        if len(text) + len(line) > limit:
            left = len(found.cells) - at
            return f"{text}\n… and {counted(left, 'more cell')} with changes.\n"
        text += f"\nNot shown in full:\n\n{line}" if named == 1 else line
    return text.rstrip("\n") + "\n"


def _fitting(lines: Sequence[str], limit: int) -> Iterator[str]:
    """The first lines, as far as there is room."""
    for line in lines:
        limit -= len(line) + 1
        if limit < 0:
            return
        yield line


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _title(change: CellChange) -> str:
    kind = f", {kinds(change)}" if kinds(change) else ""
    return f"{_sentence(became(change))[:-1]}{kind}: {code_span(label(change, 60))}"


def _source(change: CellChange) -> list[Hunk]:
    if change.how == "added":
        return [all_lines("+", change.text("new"))]
    if change.how == "removed":
        return [all_lines("-", change.text("old"))]
    if "sources" not in change.parts:
        return []
    return line_hunks(change.text("old"), change.text("new"))


def _output(output: OutputChange, address: Address | None) -> Iterator[str]:
    note = f", {output.note}" if output.note else ""
    yield f"Output {code_span(output.title)} {output.how}{note}"
    if shown_lines(output.hunks):
        yield ""
        yield from fenced(output.hunks, LONGEST_OUTPUT)
    if output.is_image and address is not None:
        sides = [("before", output.old), ("after", output.new)]
        shown = [(name, address(data, output.mime)) for name, data in sides if data is not None]
        yield ""
        yield f"| {' | '.join(name for name, _ in shown)} |"
        yield f"| {' | '.join('---' for _ in shown)} |"
        yield f"| {' | '.join(f'![{name}]({where})' for name, where in shown)} |"


def fenced(hunks: Sequence[Hunk], longest: int) -> list[str]:
    """Passages in a fence that is longer than any in them."""
    lines: list[str] = []
    total = shown_lines(hunks)
    for hunk in hunks:
        if len(lines) >= longest:
            break
        if len(hunks) > 1:
            lines.append(hunk.head)
        lines += [_line(line) for line in hunk.lines[: longest - len(lines)]]
    if total > longest:
        lines.append(f"@@ {total - longest:,} more lines @@")
    fence = ticks_around("\n".join(lines), 3)
    return [f"{fence}diff", *lines, fence]


def _line(line: Line) -> str:
    return f"{line.sign}{plain(excerpt(line, LONGEST_LINE).text.replace(chr(13), ''))}"


def code_span(text: str) -> str:
    """Text as code, which it cannot close; in a table neither."""
    return in_ticks(" ".join(plain(text).split()).replace("|", "¦") or " ")


def _scrap_table(scraps: Sequence[ScrapChange]) -> list[str]:
    if not scraps:
        return []
    rows = [
        f"| {code_span(each.name)} | {_side(scrap_side(each.old))} | {_side(scrap_side(each.new))} "
        f"| {each.difference} |"
        for each in scraps
    ]
    return ["| scrap | before | after | change |", "| --- | --- | --- | --- |", *rows, ""]


def _metadata_table(values: Sequence[ValueChange]) -> list[str]:
    if not values:
        return []
    sides = [(each.name, value_side(each.old), value_side(each.new)) for each in values]
    rows = [f"| {code_span(name)} | {_side(old)} | {_side(new)} |" for name, old, new in sides]
    return ["| metadata | before | after |", "| --- | --- | --- |", *rows, ""]


def _side(text: str) -> str:
    return code_span(text) if text else ""
