"""Changing some cells of a Markdown document, every other byte staying as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from octavo.notebook.formats.markdown import fenced, myst, spelling_of, take_apart
from octavo.notebook.formats.markdown.languages import declared_language
from octavo.notebook.formats.markdown.parts import Block, Parts, Piece, Spelling
from octavo.notebook.formats.percent import LAYOUT, options_in
from octavo.notebook.formats.percent.blocks import split_lines
from octavo.notebook.formats.percent.rewrite import held_source
from octavo.notebook.matching import match_cells
from octavo.notebook.model import Cell, Notebook

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$")


class _File(NamedTuple):
    """A document taken apart; `lines` have their ends."""

    lines: list[str]
    parts: Parts
    newline: str
    spelling: Spelling

    @property
    def cells(self) -> tuple[Cell, ...]:
        return self.parts.notebook.cells

    @property
    def first(self) -> int:
        """The line where the first cell after the header starts."""
        blocks = (block for block in self.parts.blocks if block is not None)
        return next((block.start for block in blocks), len(self.lines))


class _Placed(NamedTuple):
    """A cell on its way into the text. `origin` is the one in the file that it comes from."""

    text: str
    piece: Piece
    origin: int | None
    same_shape: bool


def rewrite(
    text: str,
    path: str,
    cells: Sequence[Cell],
    metadata: Mapping[str, Any] | None = None,
    origins: Mapping[int, int] | None = None,
) -> str:
    """The document with these cells instead of its own; only those that differ are written anew.

    `metadata` replaces that of the header. Ids and layout metadata of the cells do not matter.
    `origins` tells which cell of the file each one is, where that is known.
    """
    file = _take_apart(text, path)
    notebook = file.parts.notebook if metadata is None else Notebook((), metadata)
    told = declared_language(notebook.metadata)
    if origins is None:
        origins = match_cells(file.cells, [cell.replace(id=None) for cell in cells])
    in_header = bool(cells) and file.spelling.in_header(cells[0], notebook)
    head = _head(file, cells[0] if in_header else None, notebook, metadata is not None)
    rest = range(int(in_header), len(cells))
    regions = {n for n, at in enumerate(rest) if _was_marked(file, origins.get(at))}
    pieces = file.spelling.write_pieces([cells[at] for at in rest], notebook, told, regions)
    if not head.strip() and file.spelling is fenced:
        pieces = fenced.mark_first(pieces)
    placed = [
        _placed(file, cells[at], piece, origins.get(at))
        for at, piece in zip(rest, pieces, strict=True)
    ]
    body = _joined(file, [one for one in placed if one.text], options_in(notebook.metadata))
    if body and head.strip() and file.first == len(file.lines) and split_lines(head)[-1].strip():
        head += file.newline
    return head + body


def _take_apart(text: str, path: str) -> _File:
    parts = take_apart(split_lines(text.removeprefix("\ufeff")), path)
    newline = "\r\n" if "\r\n" in text else "\n"
    return _File(_LINE.findall(text), parts, newline, spelling_of(parts.notebook.metadata))


def _head(file: _File, front_matter: Cell | None, notebook: Notebook, changed: bool) -> str:
    """Everything before the first cell."""
    blocks = file.parts.blocks
    before = file.cells[0] if blocks and blocks[0] is None else None
    same = _equal(front_matter, before) if front_matter and before else front_matter is before
    if same and not changed:
        head = "".join(file.lines[: file.first])
    else:
        lines = file.spelling.header_lines(
            notebook.replace(cells=file.cells) if changed else notebook, front_matter
        )
        head = "".join(f"{line}{file.newline}" for line in [*lines, *([""] if lines else [])])
    if head and not head.endswith(("\n", "\r")):
        head += file.newline
    return head


def _equal(one: Cell, other: Cell) -> bool:
    return (one.kind, held_source(one.kind, one.source), _shown(one)) == (
        other.kind,
        held_source(other.kind, other.source),
        _shown(other),
    )


def _shown(cell: Cell) -> dict[str, Any]:
    return {key: value for key, value in cell.metadata.items() if key not in LAYOUT}


def _was_marked(file: _File, origin: int | None) -> bool:
    block = None if origin is None else file.parts.blocks[origin]
    return block is not None and block.kind == "markdown" and block.options is not None


def _placed(file: _File, cell: Cell, piece: Piece, origin: int | None) -> _Placed:
    block = None if origin is None else file.parts.blocks[origin]
    if origin is None or block is None:
        return _Placed(_written(piece, file.newline), piece, None, False)
    same_shape = _is_text(file, block) == piece.text
    if same_shape and _equal(cell, file.cells[origin]) and _fits(file, block, piece):
        text = "".join(file.lines[block.start : block.end])
        return _Placed(_ended(text, file.newline), piece, origin, True)
    return _Placed(_written(piece, file.newline), piece, origin, same_shape)


def _written(piece: Piece, newline: str) -> str:
    return "".join(f"{line}{newline}" for line in piece.lines)


def _fits(file: _File, block: Block, piece: Piece) -> bool:
    """Whether an unchanged cell may stand as it stood, where it stands now."""
    if file.spelling is fenced:
        return piece.text or piece.language.lower() in ("", block.language.lower())
    marked = bool(piece.lines) and piece.lines[0].startswith("+++")
    return not piece.text or not marked or block.start < block.body


def _is_text(file: _File, block: Block) -> bool:
    return block.kind == "markdown" and (block.options is None or file.spelling is myst)


def _ended(text: str, newline: str) -> str:
    return text if not text or text.endswith(("\n", "\r")) else text + newline


def _joined(file: _File, placed: Sequence[_Placed], options: Mapping[str, Any]) -> str:
    """All cells, with the space between them that was there, or as much as is usual."""
    texts: list[str] = []
    for at, one in enumerate(placed):
        texts.append(one.text)
        following = placed[at + 1] if at + 1 < len(placed) else None
        texts.append(_space(file, one, following, options))
    return "".join(texts)


def _space(file: _File, one: _Placed, following: _Placed | None, options: Mapping[str, Any]) -> str:
    block = None if one.origin is None else file.parts.blocks[one.origin]
    if following is None:
        last = block is not None and block.stop == len(file.lines)
        return "".join(file.lines[block.end :]) if block and last and not one.piece.text else ""
    neighbours = one.origin is not None and following.origin == one.origin + 1
    if block is not None and neighbours and one.same_shape and following.same_shape:
        return "".join(file.lines[block.end : block.stop])
    return file.newline * file.spelling.gap(one.piece, following.piece, options)
