"""Three notebooks into one: what changed on one side only is taken, cell by cell.

`base` is the common ancestor. Within a cell, edits of different lines are merged by line. What
both sides changed differently becomes a `Conflict` that holds all versions; nothing is dropped
and nothing is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from octavo.notebook.arrangement import Place, Side, anchors, arrange, twins_of
from octavo.notebook.identity import handle
from octavo.notebook.matching import match_cells
from octavo.notebook.merging.lines import merge_source
from octavo.notebook.merging.metadata import (
    MetadataConflict,
    choose,
    lasting,
    merge_mappings,
    same,
)
from octavo.notebook.model import Cell, Notebook
from octavo.value import Value

__all__ = ["Conflict", "Merged", "MetadataConflict", "merge"]


class Conflict(Value):
    """A cell changed on both sides; None where a side (or the base) does not have it.

    `about` names what the versions disagree on: `source`, `kind`, `attachments`, or a key of the
    metadata as in `metadata name`; it is empty where one side deleted the cell.
    """

    base: Cell | None
    ours: Cell | None
    theirs: Cell | None
    about: tuple[str, ...] = ()


class Merged(Value):
    """The outcome: cells and conflicts in their order, and metadata.

    `places` tells for each of them where it stands in the three notebooks.
    """

    cells: tuple[Cell | Conflict, ...]
    metadata: Mapping[str, Any]
    metadata_conflicts: tuple[MetadataConflict, ...] = ()
    places: tuple[Place, ...] = ()

    _uncompared = ("places",)

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
    """Merge what `ours` and `theirs` made of `base`.

    Without a cell in the base, as when both sides added the file, alike cells are one.
    """
    python = ours.is_python and theirs.is_python
    cells: list[Cell | Conflict] = []
    places: list[Place] = []
    for place in _arranged(base, ours, theirs):
        merged = _merge_cell(
            None if place.base is None else base.cells[place.base],
            None if place.ours is None else ours.cells[place.ours],
            None if place.theirs is None else theirs.cells[place.theirs],
            python,
        )
        if merged is not None:
            cells.append(merged)
            places.append(place)
    metadata, conflicts = merge_mappings(base.metadata, ours.metadata, theirs.metadata)
    return Merged(tuple(cells), metadata, conflicts, tuple(places))


def _arranged(base: Notebook, ours: Notebook, theirs: Notebook) -> list[Place]:
    our_base = _recognized(base.cells, ours.cells)
    their_base = _recognized(base.cells, theirs.cells)
    our_side = [our_base.get(at) for at in range(len(ours.cells))]
    their_side = [their_base.get(at) for at in range(len(theirs.cells))]
    if base.cells:
        twins = _twins(our_side, their_side, ours.cells, theirs.cells)
    else:
        twins = match_cells(ours.cells, theirs.cells)
    return arrange(len(base.cells), our_side, their_side, twins)


def _recognized(old: Sequence[Cell], new: Sequence[Cell]) -> dict[int, int]:
    """The cell of the base for each one of a side.

    One in the place of another, with another id and no line in common, is another cell.
    """
    return {
        at: origin
        for at, origin in match_cells(old, new).items()
        if not _replaced(old[origin], new[at])
    }


def _replaced(old: Cell, new: Cell) -> bool:
    if not old.id or not new.id or old.id == new.id or old.source == new.source:
        return False
    if _is_from_content(new):
        return False
    return not {*filter(str.strip, old.source.split("\n"))} & {*new.source.split("\n")}


def _twins(
    our_side: Side, their_side: Side, ours: Sequence[Cell], theirs: Sequence[Cell]
) -> dict[int, int]:
    """New cells that are the same one: equal at one place, or of one id, as one that both sides
    took over from a third.
    """
    keys = ([(cell.kind, cell.source) for cell in cells] for cells in (ours, theirs))
    twins = twins_of(our_side, their_side, *keys)
    paired = set(twins.values())
    known = {
        ours[at].id: at
        for at, origin in enumerate(our_side)
        if origin is None and ours[at].id and at not in paired
    }
    our_anchors, their_anchors = anchors(our_side), anchors(their_side)
    for at, origin in enumerate(their_side):
        other = known.get(theirs[at].id) if origin is None and at not in twins else None
        if other is None:
            continue
        if our_anchors[other] == their_anchors[at] or not _is_from_content(ours[other], theirs[at]):
            twins[at] = known.pop(theirs[at].id)
    return twins


def _is_from_content(*cells: Cell) -> bool:
    """Whether an id was made from content: then equal cells have it, wherever they come from."""
    return any((cell.id or "").partition("-")[0] == handle(cell) for cell in cells)


def _same(one: Cell, other: Cell) -> bool:
    """Whether nobody worked on a cell; that it was run or looked at does not count."""
    return (
        (one.kind, one.source) == (other.kind, other.source)
        and same(lasting(one.metadata), lasting(other.metadata))
        and same(one.attachments or {}, other.attachments or {})
    )


def _merge_cell(
    base: Cell | None, ours: Cell | None, theirs: Cell | None, python: bool
) -> Cell | Conflict | None:
    if base is None:
        if ours is None or theirs is None:
            return ours or theirs
        return _merge_new(ours, theirs)
    if ours is None or theirs is None:
        kept = ours or theirs
        return None if kept is None or _same(kept, base) else Conflict(base, ours, theirs)
    return _merge_changes(base, ours, theirs, python)


def _merge_new(ours: Cell, theirs: Cell) -> Cell | Conflict:
    """A cell that both sides added, which may differ in its metadata."""
    common = Cell(ours.kind, ours.source if ours.source == theirs.source else "")
    if (ours.kind, ours.source) == (theirs.kind, theirs.source):
        merged = _merge_changes(common, ours, theirs, python=False)
        return merged.replace(base=None) if isinstance(merged, Conflict) else merged
    return Conflict(None, ours, theirs, ("source",))


def _merge_changes(base: Cell, ours: Cell, theirs: Cell, python: bool) -> Cell | Conflict:
    kind, kind_told = choose(base.kind, ours.kind, theirs.kind)
    source = _merged_source(base, ours, theirs, python)
    metadata, conflicts = merge_mappings(base.metadata, ours.metadata, theirs.metadata)
    attachments, misfits = merge_mappings(
        base.attachments or {}, ours.attachments or {}, theirs.attachments or {}, "attachments."
    )
    about = [
        *([] if kind_told else ["kind"]),
        *(["source"] if source is None else []),
        *(f"metadata {each.key}" for each in conflicts),
        *(["attachments"] if misfits else []),
    ]
    if about or source is None:
        return Conflict(base, ours, theirs, tuple(about))
    known = _merged_id(base.id, ours.id, theirs.id)
    return Cell(kind, source, metadata, known, attachments or None, line=ours.line)


def _merged_source(base: Cell, ours: Cell, theirs: Cell, python: bool) -> str | None:
    """The merged source; None when both sides changed lines that are not apart.

    Lines that fit side by side need not fit together: what was Python on both sides has to be
    Python after it.
    """
    chosen, told = choose(base.source, ours.source, theirs.source)
    if told:
        return str(chosen)
    if not base.kind == ours.kind == theirs.kind:
        return None
    merged = merge_source(base.source, ours.source, theirs.source)
    if merged is None or not python or ours.kind != "code":
        return merged
    return None if _breaks(merged, ours, theirs) else merged


def _breaks(merged: str, ours: Cell, theirs: Cell) -> bool:
    from octavo.notebook.syntax import cell_problem

    if cell_problem(ours.replace(source=merged), 0) is None:
        return False
    return cell_problem(ours, 0) is None and cell_problem(theirs, 0) is None


def _merged_id(base: str | None, ours: str | None, theirs: str | None) -> str | None:
    """The id that changed; when both did, the same one whichever side we are."""
    if not ours or not theirs:
        return ours or theirs or base
    if ours == base:
        return theirs
    return ours if theirs == base else min(ours, theirs)
