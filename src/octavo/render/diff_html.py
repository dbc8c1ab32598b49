"""What changed between notebooks, as one HTML page that needs nothing else: no script, no network.

What notebooks hold is not trusted: all of it is text here, but for images, which are data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, Protocol

from octavo.errors import OctavoError
from octavo.notebook.diff.changes import CellChange, Changes, ValueChange
from octavo.notebook.diff.hunks import Hunk, Line, all_lines, excerpt, line_hunks
from octavo.render.columns import plain
from octavo.render.diff_outputs import OutputChange, output_changes, shown_lines
from octavo.render.diff_page import STYLE
from octavo.render.diff_words import (
    ScrapChange,
    became,
    kinds,
    label,
    quiet_parts,
    scrap_changes,
    scrap_side,
    summary,
    value_side,
)

Json = Mapping[str, Any]
#: More lines of one text are left out of the page, and more characters of one line.
MOST_LINES, MOST_CHARACTERS = 2000, 2000
#: Longer outputs are folded until somebody opens them.
OPEN_LINES = 40
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
_CLASSES = {"-": "del", "+": "ins", " ": "same"}
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


class Compared(Protocol):
    """Two versions of a notebook."""

    @property
    def title(self) -> str: ...
    @property
    def sides(self) -> str: ...
    @property
    def note(self) -> str: ...
    @property
    def old(self) -> Json | None: ...
    @property
    def new(self) -> Json | None: ...
    @property
    def changes(self) -> Changes: ...
    @property
    def ignore(self) -> frozenset[str]: ...
    @property
    def problem(self) -> OctavoError | None: ...


def diff_page(files: Sequence[Compared]) -> str:
    """The page."""
    title = files[0].title if len(files) == 1 else f"{len(files)} notebooks"
    body = "".join(_file(each) for each in files) or "<p>No differences.</p>"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>Changes of {_text(title)}</title>\n<style>\n{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )


def _file(file: Compared) -> str:
    return _uncompared(file, file.problem) if file.problem is not None else _compared(file)


def _uncompared(file: Compared, problem: OctavoError) -> str:
    return (
        f"<section>\n<h1>{_text(file.title)}</h1>\n"
        f'<p class="sides">{_text(file.sides)}</p>\n'
        f"<p>It cannot be compared: {_text(problem.message)}</p>\n"
        f'<p class="note">{_text(problem.hint)}</p>\n</section>\n'
    )


def _compared(file: Compared) -> str:
    found = file.changes
    scraps = [] if "outputs" in file.ignore else scrap_changes(file.old, file.new)
    note = f'<p class="note">{_text(file.note)}</p>\n' if file.note else ""
    cells = "".join(map("".join, (_cell(each, file.ignore) for each in found.cells)))
    return (
        f"<section>\n<h1>{_text(file.title)}</h1>\n"
        f'<p class="sides">{_text(file.sides)}</p>\n{note}'
        f'<p class="summary">{_text(summary(found))}</p>\n'
        f"{_scraps(scraps)}{cells}{_metadata(found.metadata)}</section>\n"
    )


def _cell(change: CellChange, ignore: frozenset[str]) -> Iterator[str]:
    about = [label(change, 80), *filter(None, [kinds(change)])]
    how = change.how.replace(" ", "-")
    yield f'<article class="cell {how}">\n<h2>{_text(became(change).capitalize())} '
    yield f"<small>{_text(' · '.join(about))}</small></h2>\n"
    yield _hunks(_source(change))
    lone = change.how in ("added", "removed") and "outputs" not in ignore
    if "outputs" in change.parts or lone:
        yield from map(_output, output_changes(change))
    if "metadata" in change.parts:
        yield _metadata(change.metadata())
    if quiet := quiet_parts(change):
        yield f'<p class="note">{_text(" and ".join(quiet))} changed</p>\n'
    yield "</article>\n"


def _source(change: CellChange) -> list[Hunk]:
    if change.how in ("added", "removed"):
        sign = "+" if change.how == "added" else "-"
        return [all_lines(sign, change.text("new" if sign == "+" else "old"))]
    if "sources" not in change.parts:
        return []
    return line_hunks(change.text("old"), change.text("new"))


def _output(output: OutputChange) -> str:
    note = f", {output.note}" if output.note else ""
    told = f"{_text(output.title)} {output.how}{_text(note)}"
    if output.is_image:
        return f'<p class="output">{told}</p>\n{_images(output)}'
    if not shown_lines(output.hunks):
        return f'<p class="output">{told}</p>\n'
    opened = " open" if shown_lines(output.hunks) <= OPEN_LINES else ""
    shown = _hunks(output.hunks)
    return f'<details{opened}><summary class="output">{told}</summary>\n{shown}</details>\n'


def _images(output: OutputChange) -> str:
    sides = (("before", output.old), ("after", output.new))
    figures = [
        f"<figure><figcaption>{name}</figcaption>{_image(data, output.mime)}</figure>"
        for name, data in sides
        if data is not None
    ]
    return f'<div class="images">{"".join(figures)}</div>\n'


def _image(data: str, mime: str) -> str:
    """An image as data; what does not look like one is only named."""
    if mime == "image/svg+xml":
        from base64 import b64encode

        # As an image, not as part of the page: there its scripts and links do nothing.
        data = b64encode(data.encode("utf-8", "replace")).decode()
    elif not _BASE64.fullmatch(data):
        return '<p class="note">it is damaged</p>'
    return f'<img alt="{mime}" src="data:{mime};base64,{"".join(data.split())}">'


def _hunks(hunks: Sequence[Hunk]) -> str:
    if not hunks:
        return ""
    total, left = shown_lines(hunks), MOST_LINES
    rows: list[str] = []
    for at, hunk in enumerate(hunks):
        if at and left > 0:
            rows.append('<tr class="gap"><td colspan="4">⋮</td></tr>\n')
        rows += map(_row, hunk.lines[: max(0, left)])
        left -= len(hunk.lines)
    if total > MOST_LINES:
        more = f"{total - MOST_LINES:,} more lines"
        rows.append(f'<tr class="gap"><td colspan="4">… {more}</td></tr>\n')
    return f'<div class="scroll"><table class="diff">\n{"".join(rows)}</table></div>\n'


def _row(line: Line) -> str:
    numbers = "".join(f"<td>{number or ''}</td>" for number in (line.old, line.new))
    sign = line.sign if line.sign != " " else ""
    return (
        f'<tr class="{_CLASSES[line.sign]}">{numbers}<td>{sign}</td><td>{_marked(line)}</td></tr>\n'
    )


def _marked(line: Line) -> str:
    line = excerpt(line, MOST_CHARACTERS)
    text = line.text
    parts, at = [], 0
    for start, end in line.marks:
        parts += [_text(text[at:start]), f"<mark>{_text(text[start:end])}</mark>"]
        at = end
    return "".join([*parts, _text(text[at:])])


def _scraps(scraps: Sequence[ScrapChange]) -> str:
    rows = [
        (each.name, scrap_side(each.old, 200), scrap_side(each.new, 200), each.difference)
        for each in scraps
    ]
    return _table(("scrap", "before", "after", "change"), rows)


def _metadata(values: Sequence[ValueChange]) -> str:
    rows = [(each.name, value_side(each.old, 200), value_side(each.new, 200)) for each in values]
    return _table(("metadata", "before", "after"), rows)


def _table(head: Sequence[str], rows: Sequence[Iterable[str]]) -> str:
    if not rows:
        return ""
    top = "".join(f"<th>{name}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>\n" for row in rows
    )
    return f'<table class="values">\n<tr>{top}</tr>\n{body}</table>\n'


def _text(text: str) -> str:
    return escape(plain(text), quote=True)
