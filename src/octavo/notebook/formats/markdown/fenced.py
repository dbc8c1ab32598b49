"""A whole document in Jupytext's spelling: code fences are cells, comments mark other text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from octavo.notebook.formats.markdown.blocks import INDENT, Finder
from octavo.notebook.formats.markdown.cells import read_cell, region, write_cell
from octavo.notebook.formats.markdown.header import Header, find_header, read_header, write_header
from octavo.notebook.formats.markdown.languages import (
    declared_language,
    fence_name,
    prevailing_language,
)
from octavo.notebook.formats.markdown.parts import Block, Parts, Piece
from octavo.notebook.formats.percent import LAYOUT, options_in
from octavo.notebook.formats.percent.header import extend_filters, is_front_matter
from octavo.notebook.model import Cell, Notebook


def take_apart(lines: Sequence[str], path: str) -> Parts:
    """The cells of a document, and where they stand."""
    header = read_header(lines, path)
    told = declared_language(header.metadata)
    split = options_in(header.metadata).get("split_at_heading") is True
    blocks = Finder(lines, path, told, split).blocks(header.stop)
    main = told or prevailing_language(block.language for block in blocks if block.language)
    cells = [
        _spaced(read_cell(lines, block, main), block, following, len(lines))
        for block, following in zip(blocks, [*blocks[1:], None], strict=False)
    ]
    metadata = _metadata(header.metadata, cells, None if told else main)
    if not header.front_matter:
        return Parts(Notebook(tuple(cells), metadata), tuple(blocks))
    first = _front_matter_cell(header)
    return Parts(Notebook((first, *cells), metadata), (None, *blocks))


def _metadata(
    found: dict[str, Any], cells: Sequence[Cell], prevailing: str | None
) -> dict[str, Any]:
    extend_filters(found, dict.fromkeys(k for c in cells for k in c.metadata if k not in LAYOUT))
    if prevailing not in (None, "python"):
        found.setdefault("language_info", {"name": prevailing})
    return found


def _spaced(cell: Cell, block: Block, following: Block | None, total: int) -> Cell:
    """The cell, with an unusual number of blank lines after it in its metadata."""
    if block.options is None and (following is None or following.options is None):
        return cell
    found = block.stop - block.end + (following is None and block.end < total)
    if found == 1 or (following is None and block.end >= total):
        return cell
    return cell.replace(metadata={**cell.metadata, "lines_to_next_cell": found})


def _front_matter_cell(header: Header) -> Cell:
    metadata = {} if header.blanks == 1 else {"lines_to_next_cell": header.blanks}
    return Cell("raw", header.front_matter, metadata, line=header.line)


def in_header(cell: Cell | None, notebook: Notebook) -> bool:
    """Whether a first cell stands in the header."""
    if cell is None or cell.kind != "raw" or not is_front_matter(cell.source, cell.metadata):
        return False
    return find_header(cell.source.rstrip("\n").split("\n")) is not None


def header_lines(notebook: Notebook, front_matter: Cell | None) -> list[str]:
    """The header, without blank lines after it."""
    return write_header(notebook.metadata, front_matter.source if front_matter else "")


def write_pieces(
    cells: Sequence[Cell], notebook: Notebook, told: str | None, marked: Set[int] = frozenset()
) -> list[Piece]:
    """The lines of each cell, by the options and in the language of a notebook.

    `told` is the language that the header tells. Without it the fences have to tell, and other
    languages stay inside of them where they would outnumber it. Text with an index in `marked`
    gets a region even where it needs none.
    """
    options = options_in(notebook.metadata)
    main = told or fence_name(notebook.language)
    pieces = _pieces(cells, options, main, marked, magics=True)
    if not told and main != prevailing_language(p.language for p in pieces if p.language):
        pieces = _pieces(cells, options, main, marked, magics=False)
    return pieces


def _pieces(
    cells: Sequence[Cell],
    options: Mapping[str, Any],
    main: str,
    marked: Set[int],
    *,
    magics: bool,
) -> list[Piece]:
    pieces: list[Piece] = []
    before_text = False
    for at in range(len(cells) - 1, -1, -1):
        piece = write_cell(cells[at], options, main, before_text, magics=magics)
        pieces.append(_in_region(piece) if piece.text and at in marked else piece)
        before_text = pieces[-1].text
    pieces.reverse()
    for at in range(1, len(pieces)):
        if pieces[at - 1].text and pieces[at].text and pieces[at].lines[0].startswith(INDENT):
            pieces[at] = _in_region(pieces[at])
    return pieces


def _in_region(piece: Piece) -> Piece:
    return Piece(region("region", {}, piece.lines), False)


def mark_first(pieces: list[Piece]) -> list[Piece]:
    """The pieces of a document without header, the first marked if it could be taken for one."""
    if not pieces or not pieces[0].text or pieces[0].lines[0].strip() not in ("---", "<!--"):
        return pieces
    if find_header([line for piece in pieces for line in piece.lines]) is None:
        return pieces
    return [_in_region(pieces[0]), *pieces[1:]]


def gap(piece: Piece, following: Piece, options: Mapping[str, Any], wanted: Any = None) -> int:
    """How many blank lines stand between two cells; `wanted` is what the first asks for."""
    if not (piece.text and following.text):
        usual = 1 if not isinstance(wanted, int) or wanted < 0 else wanted
        if not piece.text:
            return usual
        # One blank line below text is the gap, so text that ends in one needs another.
        return min(usual, 1) if piece.lines[-1].strip() else 1
    heading = options.get("split_at_heading") is True and following.lines[0].startswith("#")
    return 1 if heading else 2


def write(notebook: Notebook) -> list[str]:
    """The lines of a notebook."""
    cells = list(notebook.cells)
    first = cells.pop(0) if cells and in_header(cells[0], notebook) else None
    lines = header_lines(notebook, first)
    told = declared_language(read_header(lines, "").metadata)
    pieces = write_pieces(cells, notebook, told)
    if not lines:
        pieces = mark_first(pieces)
    elif pieces:
        wanted = first.metadata.get("lines_to_next_cell") if first else None
        lines += [""] * (wanted if isinstance(wanted, int) and wanted >= 0 else 1)
    options = options_in(notebook.metadata)
    for at, (cell, piece) in enumerate(zip(cells, pieces, strict=True)):
        lines += piece.lines
        wanted = cell.metadata.get("lines_to_next_cell")
        if at + 1 < len(pieces):
            lines += [""] * gap(piece, pieces[at + 1], options, wanted)
        elif isinstance(wanted, int) and not piece.text:
            lines += [""] * (wanted - 1)
    return lines
