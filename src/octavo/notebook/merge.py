"""Three notebooks into one: what changed on one side only is taken, cell by cell.

`base` is the common ancestor. A cell that both sides changed differently becomes a `Conflict`
that holds all versions; nothing is dropped and nothing is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.notebook.arrangement import arrange
from octavo.notebook.matching import match_cells
from octavo.notebook.model import Cell, Notebook
from octavo.value import Value

_ABSENT = object()


class Conflict(Value):
    """A cell changed on both sides; None where a side (or the base) does not have it."""

    base: Cell | None
    ours: Cell | None
    theirs: Cell | None


class MetadataConflict(Value):
    """A key of the notebook's metadata changed on both sides; None where it is absent."""

    key: str
    ours: Any
    theirs: Any


class Merged(Value):
    """The outcome: cells and conflicts in their order, and metadata."""

    cells: tuple[Cell | Conflict, ...]
    metadata: Mapping[str, Any]
    metadata_conflicts: tuple[MetadataConflict, ...] = ()

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        return tuple(cell for cell in self.cells if isinstance(cell, Conflict))

    @property
    def clean(self) -> bool:
        return not self.conflicts and not self.metadata_conflicts

    @property
    def notebook(self) -> Notebook:
        """The merged notebook; only for a clean merge."""
        if not self.clean:
            raise ValueError("there are conflicts")
        return Notebook(tuple(cell for cell in self.cells if isinstance(cell, Cell)), self.metadata)


def merge(base: Notebook, ours: Notebook, theirs: Notebook) -> Merged:
    """Merge what `ours` and `theirs` made of `base`."""
    our_base = match_cells(base.cells, ours.cells)
    their_base = match_cells(base.cells, theirs.cells)
    order = arrange(
        len(base.cells),
        [our_base.get(at) for at in range(len(ours.cells))],
        [their_base.get(at) for at in range(len(theirs.cells))],
        [(cell.kind, cell.source) for cell in ours.cells],
        [(cell.kind, cell.source) for cell in theirs.cells],
    )
    cells = []
    for place in order:
        merged = _merge_cell(
            None if place.base is None else base.cells[place.base],
            None if place.ours is None else ours.cells[place.ours],
            None if place.theirs is None else theirs.cells[place.theirs],
        )
        if merged is not None:
            cells.append(merged)
    metadata, conflicts = _merge_mappings(base.metadata, ours.metadata, theirs.metadata)
    return Merged(tuple(cells), metadata, conflicts)


def _same(one: Cell, other: Cell) -> bool:
    return (one.kind, one.source, one.metadata) == (other.kind, other.source, other.metadata)


def _merge_cell(
    base: Cell | None, ours: Cell | None, theirs: Cell | None
) -> Cell | Conflict | None:
    if base is None:
        if ours is None or theirs is None:
            return ours or theirs
        return _merge_changes(Cell(ours.kind, ours.source), ours, theirs)
    if ours is None or theirs is None:
        kept = ours or theirs
        if kept is None or (_same(kept, base) and kept.attachments == base.attachments):
            return None
        return Conflict(base, ours, theirs)
    return _merge_changes(base, ours, theirs)


def _merge_changes(base: Cell, ours: Cell, theirs: Cell) -> Cell | Conflict:
    text = _choose((base.kind, base.source), (ours.kind, ours.source), (theirs.kind, theirs.source))
    metadata, conflicts = _merge_mappings(base.metadata, ours.metadata, theirs.metadata)
    attachments = _choose(base.attachments, ours.attachments, theirs.attachments)
    if conflicts or text is _ABSENT or attachments is _ABSENT:
        return Conflict(base, ours, theirs)
    kind, source = text
    return Cell(
        kind, source, metadata, ours.id or theirs.id or base.id, attachments, line=ours.line
    )


def _choose(base: Any, ours: Any, theirs: Any) -> Any:
    """The changed value, or `_ABSENT` when both sides changed it differently."""
    if ours in (theirs, base):
        return theirs if ours == base else ours
    return ours if theirs == base else _ABSENT


def _merge_mappings(
    base: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[MetadataConflict, ...]]:
    merged: dict[str, Any] = {}
    conflicts = []
    for key in dict.fromkeys((*ours, *theirs)):
        values = [side.get(key, _ABSENT) for side in (base, ours, theirs)]
        our, their = values[1:]
        if our == their or values[0] in (our, their):
            chosen = _choose(*values)
            if chosen is not _ABSENT:
                merged[key] = chosen
        else:
            shown = [None if value is _ABSENT else value for value in (our, their)]
            conflicts.append(MetadataConflict(key, *shown))
    return merged, tuple(conflicts)
