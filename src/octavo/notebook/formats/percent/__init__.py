"""Percent files: a Python script whose cells start with `# %%`, as Jupytext spells them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from octavo.notebook.formats.percent.blocks import Block, find_blocks, split_lines
from octavo.notebook.formats.percent.cells import read_cell, write_cell
from octavo.notebook.formats.percent.header import (
    Header,
    extend_filters,
    is_front_matter,
    read_header,
    select,
    write_header,
)
from octavo.notebook.formats.percent.spacing import NOTHING, blank_lines, precede
from octavo.notebook.model import Cell, Notebook

#: Cell metadata that tells how the text looks; it never stands in a marker.
LAYOUT = ("cell_marker", "lines_to_next_cell", "lines_to_end_of_cell_marker")
#: Cell metadata about views and runs, left out of the text unless a filter asks for it.
VOLATILE = (
    "autoscroll", "collapsed", "scrolled", "trusted", "execution", "ExecuteTime", "octavo_conflict",
)  # fmt: skip


def read(text: str, path: str) -> Notebook:
    """Read a percent file."""
    lines = split_lines(text.removeprefix("\ufeff"))
    header = read_header(lines, path)
    blocks = find_blocks(lines, header.stop)
    magics = options_in(header.metadata).get("comment_magics", True) is not False
    cells = [read_cell(lines, block, magics) for block in blocks]
    cells = _note_spacing(cells, blocks, lines)
    if header.front_matter:
        cells.insert(0, _front_matter_cell(header, lines))
    keys = dict.fromkeys(key for cell in cells for key in cell.metadata if key not in LAYOUT)
    extend_filters(header.metadata, keys)
    return Notebook(tuple(cells), header.metadata)


def options_in(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Jupytext's options in notebook metadata."""
    options = metadata.get("jupytext")
    return options if isinstance(options, Mapping) else {}


def _note_spacing(cells: list[Cell], blocks: list[Block], lines: list[str]) -> list[Cell]:
    """Keep an unusual number of blank lines after a cell in its metadata."""
    after = NOTHING
    for at in range(len(blocks) - 1, -1, -1):
        block = blocks[at]
        found = _blanks_found(block, len(lines))
        if found != blank_lines(lines[block.body : block.end] or [""], after):
            metadata = {**cells[at].metadata, "lines_to_next_cell": found}
            cells[at] = cells[at].replace(metadata=metadata)
        after = precede(lines[block.start : block.stop], after)
    return cells


def _blanks_found(block: Block, total: int) -> int:
    if block.end >= total:
        return 1
    return block.stop - block.end + (block.stop >= total)


def _front_matter_cell(header: Header, lines: list[str]) -> Cell:
    after = precede(lines[header.stop :], NOTHING) if header.stop < len(lines) else NOTHING
    usual = header.blank_after == blank_lines(["---"], after)
    metadata = {} if usual else {"lines_to_next_cell": header.blank_after}
    return Cell("raw", header.front_matter, metadata, line=header.front_matter_line)


def write(notebook: Notebook) -> str:
    """Write a notebook as a percent file."""
    cells = list(notebook.cells)
    front_matter, after_header = "", None
    if cells and cells[0].kind == "raw" and is_front_matter(cells[0].source, cells[0].metadata):
        first = cells.pop(0)
        front_matter, after_header = first.source, first.metadata.get("lines_to_next_cell")
    top, header = write_header(notebook.metadata, front_matter)
    options = options_in(notebook.metadata)
    texts = [write_block(cell, options) for cell in cells]
    after = NOTHING
    for cell, text in zip(reversed(cells), reversed(texts), strict=True):
        text += [""] * _blanks_wanted(cell, text, after)
        after = precede(text, after)
    if not isinstance(after_header, int):
        after_header = blank_lines(header, after)
    lines = top + header + [""] * after_header
    for block in texts:
        lines += block
    whole = "\n".join(lines)
    return whole if whole.endswith("\n") or not whole else whole + "\n"


def write_block(cell: Cell, options: Mapping[str, Any]) -> list[str]:
    """The lines of one cell, marker first, without blank lines after it."""
    told = options.get("cell_metadata_filter")
    metadata = select(cell.metadata, told, None, VOLATILE)
    for key in LAYOUT:
        metadata.pop(key, None)
    if not metadata.get("tags", True):
        del metadata["tags"]
    return write_cell(cell, metadata, options)


def _blanks_wanted(cell: Cell, text: Sequence[str], after: Any) -> int:
    wanted = cell.metadata.get("lines_to_next_cell")
    return wanted if isinstance(wanted, int) else blank_lines(text, after)
