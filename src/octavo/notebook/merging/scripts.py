"""Three percent scripts or Markdown documents into one; what nobody changed stays as it is.

Cells decide what the outcome is. Its bytes come from a merge of the lines where that says the
same, else from our file, with the cells that are theirs put in as they stand in theirs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from octavo.errors import NotebookError
from octavo.notebook import formats
from octavo.notebook.formats.percent import LAYOUT
from octavo.notebook.formats.percent.blocks import find_blocks, split_lines
from octavo.notebook.formats.percent.header import read_header
from octavo.notebook.formats.percent.rewrite import held_source
from octavo.notebook.merge import Merged, merge
from octavo.notebook.merging.lines import adds_up, merge_lines
from octavo.notebook.merging.marks import Labels, is_mark, standing, without_conflicts
from octavo.notebook.model import Cell, Notebook

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$")
#: Metadata that tells how a text looks, or that reading derives from the rest of the file.
_HIDDEN = (*LAYOUT, "region_name")
Content = tuple[str, str, str]


class _Span(NamedTuple):
    """The lines of one cell, from its mark to its last one; `marked` when it has a mark."""

    start: int
    end: int
    marked: bool


def merge_scripts(base: str, ours: str, theirs: str, path: str, labels: Labels) -> tuple[str, int]:
    """The merged text, with marks where there are conflicts, and how many there are.

    NotebookError when a side cannot be read, or the outcome cannot be written.
    """
    before, mine, yours = (_read(text, path) for text in (base, ours, theirs))
    before = before.replace(cells=tuple(cell for _, cell in without_conflicts(before.cells)))
    merged = merge(before, mine, yours)
    lines = [_LINE.findall(text) for text in (base, ours, theirs)]
    by_line = merge_lines(*lines)
    if by_line is not None and (merged.clean or adds_up(by_line, *lines)):
        text = "".join(by_line)
        if _agrees(text, path, merged, (mine, yours)):
            return text, 0
    conflicts = len(merged.conflicts) + len(merged.metadata_conflicts)
    return _assembled(ours, theirs, path, merged, labels), conflicts


def _read(text: str, path: str) -> Notebook:
    notebook = formats.read(text, path)
    cells = tuple(cell.replace(metadata=_shown(cell.metadata)) for cell in notebook.cells)
    return notebook.replace(cells=cells)


def _shown(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if key not in _HIDDEN}


def _content(cell: Cell) -> Content:
    source = held_source(cell.kind, cell.source)
    shown = [] if is_mark(cell) else sorted(_shown(cell.metadata).items())
    return cell.kind, source.strip() if cell.kind == "markdown" else source, repr(shown)


def _agrees(text: str, path: str, merged: Merged, sides: Sequence[Notebook]) -> bool:
    """Whether a text that was merged by line says what the cells say.

    Where cells are in conflict and lines are not (one side split a cell, say, and the other edited
    a line of it), git would take the lines. So do we, as long as no cell is broken by it.
    """
    try:
        found = _read(text, path)
    except NotebookError:
        return False
    if merged.clean:
        wanted = merged.notebook
        return found.metadata == wanted.metadata and [*map(_content, found.cells)] == [
            *map(_content, wanted.cells)
        ]
    if merged.metadata_conflicts:
        return False
    from octavo.notebook.syntax import check

    return not check(found) or any(check(side) for side in sides)


def _assembled(ours: str, theirs: str, path: str, merged: Merged, labels: Labels) -> str:
    cells = [each.cell for each in standing(merged, labels)]
    known = _read(ours, path).metadata
    metadata = None if merged.metadata == known else merged.metadata
    text = _rewritten(ours, path, cells, metadata)
    wanted = [*map(_content, cells)]
    if not _holds(text, path, wanted):
        raise NotebookError(
            "notebook-invalid",
            "the merged cells cannot be written into this file",
            place=path,
            hint="merge it by hand",
        )
    as_theirs = _with_theirs(text, ours, theirs, path)
    return as_theirs if _holds(as_theirs, path, wanted) else text


def _rewritten(
    text: str, path: str, cells: Sequence[Cell], metadata: Mapping[str, Any] | None
) -> str:
    if formats.suffix_of(path) == ".md":
        from octavo.notebook.formats.markdown.rewrite import rewrite as in_document

        return in_document(text, path, cells, metadata)
    from octavo.notebook.formats.percent.rewrite import rewrite as in_script

    return in_script(text, path, cells, metadata)


def _holds(text: str, path: str, wanted: Sequence[Content]) -> bool:
    try:
        return [*map(_content, formats.read(text, path).cells)] == [*wanted]
    except NotebookError:
        return False


def _with_theirs(text: str, ours: str, theirs: str, path: str) -> str:
    """The text with the cells that only they have, as they spell them."""
    lines, their_lines = _LINE.findall(text), _LINE.findall(theirs)
    newline = "\r\n" if "\r\n" in text else "\n"
    our_cells = {_content(cell) for cell, _ in _spans(ours, path)}
    their_spans = {_content(cell): span for cell, span in _spans(theirs, path)}
    for cell, span in reversed(_spans(text, path)):
        source = their_spans.get(_content(cell))
        if span and source and span.marked == source.marked and _content(cell) not in our_cells:
            lines[span.start : span.end] = [
                line.rstrip("\r\n") + newline for line in their_lines[source.start : source.end]
            ]
    return "".join(lines)


def _spans(text: str, path: str) -> list[tuple[Cell, _Span | None]]:
    """Every cell with its lines; None for one that stands in the header."""
    lines = split_lines(text.removeprefix("\ufeff"))
    if formats.suffix_of(path) == ".md":
        from octavo.notebook.formats.markdown import take_apart

        parts = take_apart(lines, path)
        spans = [
            block and _Span(block.start, block.end, block.start < block.body)
            for block in parts.blocks
        ]
        return [*zip(parts.notebook.cells, spans, strict=True)]
    header = read_header(lines, path)
    blocks = find_blocks(lines, header.stop)
    found: list[_Span | None] = [
        _Span(block.start, block.end, block.start < block.body) for block in blocks
    ]
    cells = formats.read(text, path).cells
    return [*zip(cells, [None, *found] if header.front_matter else found, strict=True)]
