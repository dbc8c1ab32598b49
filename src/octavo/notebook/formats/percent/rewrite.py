"""Changing some cells of a percent file, every other byte staying as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from octavo.notebook.formats.percent import LAYOUT, options_in, read, write_block
from octavo.notebook.formats.percent.blocks import Block, find_blocks, split_lines
from octavo.notebook.formats.percent.header import is_front_matter, read_header, write_header
from octavo.notebook.formats.percent.spacing import NOTHING, blank_lines, precede
from octavo.notebook.matching import match_cells
from octavo.notebook.model import Cell

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$")


class _Piece(NamedTuple):
    """The text of one cell, and the blank lines after it (None: as many as is usual)."""

    text: str
    after: str | None


class _File(NamedTuple):
    """A percent file taken apart. `cells` starts with the front matter when there is one."""

    lines: list[str]
    header_stop: int
    blocks: list[Block | None]
    cells: tuple[Cell, ...]
    newline: str


def rewrite(
    text: str,
    path: str,
    cells: Sequence[Cell],
    metadata: Mapping[str, Any] | None = None,
    origins: Mapping[int, int] | None = None,
) -> str:
    """The file with these cells instead of its own; only those that differ are written anew.

    `metadata` replaces that of the header. Ids and layout metadata of the cells do not matter.
    `origins` tells which cell of the file each one is, where that is known.
    """
    file = _take_apart(text, path)
    if origins is None:
        origins = match_cells(file.cells, [cell.replace(id=None) for cell in cells])
    before = read(text, path).metadata
    options = options_in(before if metadata is None else metadata)
    head, rest = _head(file, cells, origins, before, metadata)
    pieces = [
        _piece(file, cells[at], origins.get(at), options, first=at == rest)
        for at in range(rest, len(cells))
    ]
    return head + _join(pieces, file.newline)


def _take_apart(text: str, path: str) -> _File:
    raw = _LINE.findall(text)
    lines = split_lines(text.removeprefix("\ufeff"))
    header = read_header(lines, path)
    found = find_blocks(lines, header.stop)
    blocks: list[Block | None] = [None, *found] if header.front_matter else [*found]
    newline = "\r\n" if "\r\n" in text else "\n"
    return _File(raw, header.stop, blocks, read(text, path).cells, newline)


def _head(
    file: _File,
    cells: Sequence[Cell],
    origins: Mapping[int, int],
    before: Mapping[str, Any],
    metadata: Mapping[str, Any] | None,
) -> tuple[str, int]:
    """Everything before the first block, and the index of the cell that the first block is."""
    had = bool(file.blocks) and file.blocks[0] is None
    fits = bool(cells) and cells[0].kind == "raw" and is_front_matter(cells[0].source, {})
    same = had and fits and origins.get(0) == 0 and _equal(cells[0], file.cells[0])
    if metadata in (None, before) and (same or not (had or (fits and file.header_stop))):
        return "".join(file.lines[: file.header_stop]), int(same)
    top, header = write_header(
        before if metadata is None else metadata, cells[0].source if fits else ""
    )
    blank = [""] if header and len(cells) > fits else []
    return "".join(line + file.newline for line in [*top, *header, *blank]), int(fits)


def _equal(one: Cell, other: Cell) -> bool:
    return (one.kind, _text(one), _shown(one)) == (other.kind, _text(other), _shown(other))


def _text(cell: Cell) -> str:
    return held_source(cell.kind, cell.source)


def held_source(kind: str, source: str) -> str:
    """What a percent file holds of a source: lines end in one way, code not in blank ones."""
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    if kind != "code":
        return source
    lines = source.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines)


def _shown(cell: Cell) -> dict[str, Any]:
    return {key: value for key, value in cell.metadata.items() if key not in LAYOUT}


def _piece(
    file: _File, cell: Cell, origin: int | None, options: Mapping[str, Any], *, first: bool
) -> _Piece:
    block = None if origin is None else file.blocks[origin]
    if origin is None or block is None:
        return _Piece(_written(cell, options, file.newline), None)
    last = block.stop >= len(file.lines)
    after = None if last else "".join(file.lines[block.end : block.stop])
    unmarked = block.start == block.body
    if _equal(cell, file.cells[origin]):
        end = block.stop if last and block.end == block.start else block.end
        text = "".join(file.lines[block.start : end])
        if text and not text.endswith(("\n", "\r")):
            text += file.newline
        return _Piece(text if first or not unmarked else f"# %%{file.newline}{text}", after)
    if after is not None and cell.kind == file.cells[origin].kind == "code":
        after = "".join(file.lines[_content_end(file, block) : block.stop])
        cell = cell.replace(source=_text(cell))
    known = file.cells[origin].metadata
    layout = {key: known[key] for key in ("cell_marker",) if key in known}
    marked = cell.replace(metadata={**_shown(cell), **layout})
    text = _written(marked, options, file.newline)
    plain = f"# %%{file.newline}"
    return _Piece(text.removeprefix(plain) if first and unmarked else text, after)


def _content_end(file: _File, block: Block) -> int:
    """Where code ends when blank lines after it are taken for space between cells."""
    end = block.end
    while end > block.body and not file.lines[end - 1].strip():
        end -= 1
    return end


def _written(cell: Cell, options: Mapping[str, Any], newline: str) -> str:
    return "".join(line + newline for line in write_block(cell, options))


def _join(pieces: Sequence[_Piece], newline: str) -> str:
    """All pieces, with the usual blank lines where no others are known; none at the end."""
    texts: list[str] = []
    following = NOTHING
    for piece in reversed(pieces):
        lines = split_lines(piece.text)
        after = "" if following.empty else piece.after
        if after is None:
            after = newline * blank_lines(lines, following)
        texts.append(piece.text + after)
        following = precede([*lines, *split_lines(after)], following)
    return "".join(reversed(texts))
