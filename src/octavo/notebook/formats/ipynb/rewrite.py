"""Changing some cells of an `.ipynb` file, every other byte staying as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from octavo.errors import NotebookError
from octavo.notebook.formats.ipynb.text import split_output
from octavo.notebook.identity import assign_ids
from octavo.notebook.model import Cell, Notebook

_SPACE = re.compile(r"[ \t\r\n]*")
_ESCAPED = re.compile(r"\\u(?!00[01])")
_DECODER = json.JSONDecoder()
#: What tells of a run of the code as it was.
_OF_RUNS = ("execution", "ExecuteTime", "papermill")


class _Span(NamedTuple):
    """A value in the text, and what it is."""

    start: int
    end: int
    value: Any


class _Style(NamedTuple):
    """How the JSON is spelled. `newline` is empty where all stands on one line."""

    newline: str
    base: str
    unit: str
    comma: str
    colon: str
    ascii: bool

    def dump(self, value: Any) -> str:
        text = json.dumps(
            value,
            ensure_ascii=self.ascii,
            indent=self.unit if self.newline else None,
            separators=("," if self.newline else self.comma, self.colon),
        )
        # No string of JSON holds a line break, so these are all between values.
        return text.replace("\n", self.newline + self.base) if self.newline else text


class _File(NamedTuple):
    """A notebook taken apart: the list of cells and each cell in it."""

    text: str
    array: _Span
    cells: list[_Span]
    style: _Style
    minor: int


def rewrite(text: str, path: str, cells: Sequence[Cell], origins: Mapping[int, int]) -> str:
    """The file with these cells instead of its own; only those that differ are written anew.

    `origins` tells which cell of the file each one is. Code that changed loses its outputs, since
    they are those of other code.
    """
    file = _take_apart(text, path)
    before = [_as_cell(span.value, file.minor) for span in file.cells]
    named = assign_ids(Notebook(tuple(cells))).cells
    pieces = []
    for at, cell in enumerate(cells):
        origin = origins.get(at)
        if origin is None:
            pieces.append(file.style.dump(_new(named[at], file)))
        elif _equal(cell, before[origin]):
            span = file.cells[origin]
            pieces.append(text[span.start : span.end])
        else:
            old = file.cells[origin].value
            pieces.append(file.style.dump(_changed(cell, before[origin], old)))
    return _joined(file, pieces, [origins.get(at) for at in range(len(cells))])


def with_results(text: str, path: str, results: Mapping[int, Mapping[str, Any]]) -> str:
    """The file with these outputs and execution counts of cells in place of their own.

    Cells are named by their index; of the others, and of all else in these, no byte changes.
    """
    file = _take_apart(text, path)
    inner = file.style._replace(base=file.style.base + file.style.unit)
    pieces, end = [], 0
    for at in sorted(results):
        members = _members(text, file.cells[at].start)
        new = {
            "execution_count": results[at]["execution_count"],
            "outputs": [*map(split_output, results[at]["outputs"])],
        }
        for start, key in sorted((members[key].start, key) for key in new if key in members):
            pieces += [text[end:start], inner.dump(new[key])]
            end = members[key].end
    return "".join([*pieces, text[end:]])


def _take_apart(text: str, path: str) -> _File:
    start = _space(text, 1 if text.startswith("\ufeff") else 0)
    members = _members(text, start)
    whole = {key: span.value for key, span in members.items()}
    if whole.get("nbformat") != 4:
        raise NotebookError(
            "notebook-version",
            "only notebooks of nbformat 4 are edited in their place",
            place=path,
            hint="write it anew first: octavo convert OLD.ipynb -o NEW.ipynb",
        )
    array = members["cells"]
    cells = _items(text, array)
    return _File(text, array, cells, _style(text, start, array, cells), whole["nbformat_minor"])


def _space(text: str, at: int) -> int:
    """The place after spaces and line breaks."""
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _members(text: str, start: int) -> dict[str, _Span]:
    """Where the values of an object stand; of a key that is there twice the last counts."""
    members: dict[str, _Span] = {"nbformat_minor": _Span(0, 0, 0)}
    at = _space(text, start + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        at = _space(text, _space(text, at) + 1)
        value, end = _DECODER.raw_decode(text, at)
        members[key] = _Span(at, end, value)
        at = _next(text, end)
    return members


def _items(text: str, array: _Span) -> list[_Span]:
    items: list[_Span] = []
    at = _space(text, array.start + 1)
    while text[at] != "]":
        value, end = _DECODER.raw_decode(text, at)
        items.append(_Span(at, end, value))
        at = _next(text, end)
    return items


def _next(text: str, at: int) -> int:
    """The place after a comma, or of the bracket that ends it all."""
    at = _space(text, at)
    return _space(text, at + 1) if text[at] == "," else at


def _style(text: str, start: int, array: _Span, cells: Sequence[_Span]) -> _Style:
    ascii = text[start:].isascii() and _ESCAPED.search(text) is not None
    top = text[start + 1 : _space(text, start + 1)]
    colon = ": " if '": ' in text[start : array.end] else ":"
    lead = text[array.start + 1 : cells[0].start] if cells else top + _last_line(top)
    if "\n" not in lead:
        comma = ", " if re.search(r'[\]}"0-9], "', text) else ","
        return _Style("", "", "", comma, colon, ascii)
    newline = "\r\n" if "\r\n" in lead else "\n"
    base = _last_line(lead)
    unit = _last_line(top) or " "
    if cells:
        inner = text[cells[0].start + 1 : _space(text, cells[0].start + 1)]
        unit = _last_line(inner).removeprefix(base) or unit
    return _Style(newline, base, unit, ",", colon, ascii)


def _last_line(space: str) -> str:
    return space.rpartition("\n")[2]


def _as_cell(value: Mapping[str, Any], minor: int) -> Cell:
    source = value["source"]
    return Cell(
        value["cell_type"],
        source if isinstance(source, str) else "".join(source),
        _kept(value["metadata"]),
        value.get("id") if minor >= 5 else None,
    )


def _kept(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in metadata.items() if key != "trusted"}


def _equal(one: Cell, other: Cell) -> bool:
    if (one.kind, one.source) != (other.kind, other.source):
        return False
    # Not a number is not equal to itself, but it is spelled the same.
    same = one.metadata == other.metadata
    return same or json.dumps(one.metadata) == json.dumps(other.metadata)


def _changed(cell: Cell, before: Cell, old: Mapping[str, Any]) -> dict[str, Any]:
    """The object of a cell with the order and the spelling that it had."""
    new = dict(old)
    new["cell_type"] = cell.kind
    new["source"] = _lines(cell.source, isinstance(old["source"], list))
    same_code = (cell.kind, cell.source) == (before.kind, before.source)
    metadata = {k: cell.metadata[k] for k in old["metadata"] if k in cell.metadata}
    metadata |= cell.metadata
    if not same_code:
        metadata = {key: value for key, value in metadata.items() if key not in _OF_RUNS}
    new["metadata"] = metadata
    if cell.kind == "code":
        new.pop("attachments", None)
        if not same_code:
            new["execution_count"], new["outputs"] = None, []
    else:
        new.pop("execution_count", None)
        new.pop("outputs", None)
    return new if [*old] != sorted(old) else dict(sorted(new.items()))


def _new(cell: Cell, file: _File) -> dict[str, Any]:
    as_list = not file.cells or isinstance(file.cells[0].value["source"], list)
    new: dict[str, Any] = {
        "cell_type": cell.kind,
        "metadata": dict(cell.metadata),
        "source": _lines(cell.source, as_list),
    }
    if file.minor >= 5:
        new["id"] = cell.id
    if cell.kind == "code":
        new["execution_count"], new["outputs"] = None, []
    return dict(sorted(new.items()))


def _lines(source: str, as_list: bool) -> str | list[str]:
    return source.splitlines(True) if as_list else source


def _joined(file: _File, pieces: Sequence[str], origins: Sequence[int | None]) -> str:
    """All cells in their list; between two that stood beside each other is what was there."""
    style, text, cells = file.style, file.text, file.cells
    lead = style.newline + style.base
    first = text[file.array.start + 1 : cells[0].start] if cells else lead
    last = text[cells[-1].end : file.array.end - 1] if cells else _closing(style)
    parts = [text[: file.array.start + 1], first if pieces else ""]
    for at, piece in enumerate(pieces):
        parts.append(piece)
        here = origins[at]
        following = origins[at + 1] if at + 1 < len(pieces) else None
        if at + 1 == len(pieces):
            parts.append(last)
        elif here is not None and following == here + 1:
            parts.append(text[cells[here].end : cells[here + 1].start])
        else:
            parts.append("," + lead if style.newline else style.comma)
    return "".join([*parts, text[file.array.end - 1 :]])


def _closing(style: _Style) -> str:
    return style.newline + style.base.removesuffix(style.unit) if style.newline else ""
