"""Which cell a line of a notebook file is in, in each format."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from octavo.errors import OctavoError
from octavo.notebook import formats
from octavo.notebook.model import Cell
from octavo.value import Value


class Place(Value):
    """A line of a cell: `line` counts from 1 within its source, and is 0 for its marker."""

    index: int
    cell: Cell
    line: int

    @property
    def text(self) -> str:
        lines = self.cell.source.split("\n")
        return lines[self.line - 1] if 0 < self.line <= len(lines) else ""


def place_of(text: str, path: str, line: int) -> Place | None:
    """The cell that a line of a file is in; None before the first cell, or in no notebook."""
    try:
        notebook = formats.read(text, path)
    except OctavoError:
        return None
    starts = (
        list(_starts_in_json(text))
        if formats.suffix_of(path) == ".ipynb"
        else [(cell.line, 0) for cell in notebook.cells]
    )
    found: Place | None = None
    for index, (cell, (start, lead)) in enumerate(zip(notebook.cells, starts, strict=False)):
        first = start - lead if lead else start - 1
        if line < first and not (index == 0 and line >= start):
            break
        length = cell.source.count("\n") + 1
        within = line - start + 1
        found = Place(index, cell, within if 1 <= within <= length else 0)
    return found


def _starts_in_json(text: str) -> Iterator[tuple[int, int]]:
    """The line where each cell's source begins, and how far above it the cell does."""
    decoder = json.JSONDecoder()
    at = _after(text, '"cells"')
    while at is not None and at < len(text):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            cell, end = decoder.raw_decode(text, at)
        except ValueError:
            return
        yield _start(text, at, end, cell)
        rest = text[end : end + 200].lstrip()
        if not rest.startswith(","):
            return
        at = end


def _after(text: str, key: str) -> int | None:
    found = text.find(key)
    return None if found < 0 else text.find("[", found)


def _start(text: str, at: int, end: int, cell: Any) -> tuple[int, int]:
    begin = text.count("\n", 0, at) + 1
    key = text.rfind('"source"', at, end)
    if key < 0:
        return begin, 0
    bracket = text.find("[", key, end)
    source = cell.get("source") if isinstance(cell, dict) else None
    if not isinstance(source, list) or bracket < 0:
        line = text.count("\n", 0, key) + 1
        return line, line - begin
    first = text.find('"', bracket, end)
    line = text.count("\n", 0, first if first >= 0 else bracket) + 1
    return line, line - begin
