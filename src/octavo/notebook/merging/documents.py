"""Three `.ipynb` dictionaries into one, with outputs, attachments and metadata.

Outputs follow the source that made them. Where a source was merged from both sides no output
belongs to it, and it has none; outputs and execution counts are never a conflict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from octavo.notebook.arrangement import Place
from octavo.notebook.formats import ipynb
from octavo.notebook.identity import assign_ids
from octavo.notebook.merge import Merged, merge
from octavo.notebook.merging.marks import Labels, Standing, standing, without_conflicts
from octavo.notebook.merging.metadata import ABSENT, choose
from octavo.notebook.merging.unresolved import KEY
from octavo.notebook.model import Cell, Notebook

Json = Mapping[str, Any]
#: Cell metadata that tells of a run; it goes where the outputs of that run go.
_OF_RUN = ("ExecuteTime", "execution", "papermill")
_MERGED = ("cell_type", "source", "metadata", "id", "attachments", "outputs", "execution_count")
_EMPTY: Json = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 0}


class _Sides(NamedTuple):
    """The cells of the three documents."""

    base: Sequence[Json]
    ours: Sequence[Json]
    theirs: Sequence[Json]

    def at(self, place: Place) -> tuple[Json | None, Json | None, Json | None]:
        found = [None if at is None else side[at] for side, at in zip(self, place, strict=True)]
        return found[0], found[1], found[2]


def merge_documents(
    base: Json | None, ours: Json, theirs: Json, labels: Labels | None = None
) -> tuple[dict[str, Any], Merged]:
    """The merged dictionary, with marks where there are conflicts, and the merge itself.

    All are checked version 4 dictionaries as `ipynb.parse` gives them; `base` is None when both
    sides added the file.
    """
    labels = labels or Labels()
    before, before_cells = _ancestor(base or _EMPTY)
    merged = merge(before, ipynb.to_notebook(ours), ipynb.to_notebook(theirs))
    sides = _Sides(before_cells, ours["cells"], theirs["cells"])
    found = standing(merged, labels)
    cells = [_document_cell(each, merged, sides) for each in found]
    minor = max(ours.get("nbformat_minor", 0), theirs.get("nbformat_minor", 0))
    document = {
        **_rest(base or _EMPTY, ours, theirs),
        "cells": _with_ids(cells, found) if minor >= 5 else [*map(_without_id, cells)],
        "metadata": dict(merged.metadata),
        "nbformat": 4,
        "nbformat_minor": minor,
    }
    return {key: document[key] for key in dict.fromkeys((*ours, *document))}, merged


def _ancestor(base: Json) -> tuple[Notebook, list[Json]]:
    notebook = ipynb.to_notebook(base)
    kept = without_conflicts(notebook.cells)
    cells: list[Json] = [{**base["cells"][at], "source": cell.source} for at, cell in kept]
    return notebook.replace(cells=tuple(cell for _, cell in kept)), cells


def _rest(base: Json, ours: Json, theirs: Json) -> dict[str, Any]:
    """Keys beside the usual ones, which nbformat does not forbid."""
    usual = (*_EMPTY, "cells")
    keys = [key for key in dict.fromkeys((*ours, *theirs)) if key not in usual]
    return _chosen(keys, base, ours, theirs)


def _chosen(keys: Sequence[str], base: Json, ours: Json, theirs: Json) -> dict[str, Any]:
    values = {
        key: choose(base.get(key, ABSENT), ours.get(key, ABSENT), theirs.get(key, ABSENT))
        for key in keys
    }
    chosen = {
        key: value if told or key not in ours else ours[key]
        for key, (value, told) in values.items()
    }
    return {key: value for key, value in chosen.items() if value is not ABSENT}


def _document_cell(each: Standing, merged: Merged, sides: _Sides) -> Json:
    if each.at is None:
        return ipynb.to_cell(each.cell)
    base, ours, theirs = sides.at(merged.places[each.at])
    if each.side:
        version = (ours if each.side == "ours" else theirs) or {}
        mark = {KEY: {"number": each.number, "side": each.side}}
        return {**version, "metadata": {**version["metadata"], **mark}}
    if ours is None or theirs is None or ours is theirs:
        return ours or theirs or {}
    made = _merged_cell(each.cell, base or {}, ours, theirs)
    return ours if made == ours else theirs if made == theirs else made


def _merged_cell(cell: Cell, base: Json, ours: Json, theirs: Json) -> dict[str, Any]:
    keys = [key for key in dict.fromkeys((*ours, *theirs)) if key not in _MERGED]
    made: dict[str, Any] = {
        **_chosen(keys, base, ours, theirs),
        "cell_type": cell.kind,
        "id": cell.id,
        "metadata": dict(cell.metadata),
        "source": cell.source,
    }
    if cell.attachments or ("attachments" in ours and "attachments" in theirs):
        made["attachments"] = dict(cell.attachments or {})
    if cell.kind == "code":
        made.update(_results(cell, base, ours, theirs, made["metadata"]))
    return {key: made[key] for key in (*(k for k in ours if k in made), *made)}


def _results(
    cell: Cell, base: Json, ours: Json, theirs: Json, metadata: dict[str, Any]
) -> dict[str, Any]:
    """Outputs and execution count; what `metadata` tells of the run is made to fit them."""
    followed = _followed(cell, base, ours, theirs)
    for key in _OF_RUN:
        metadata.pop(key, None)
        if followed is not None and key in followed["metadata"]:
            metadata[key] = followed["metadata"][key]
    if followed is None:
        return {"execution_count": None, "outputs": []}
    return {
        "execution_count": followed.get("execution_count"),
        "outputs": followed.get("outputs", []),
    }


def _followed(cell: Cell, base: Json, ours: Json, theirs: Json) -> Json | None:
    """The cell whose outputs are those of the merged source; None when there is none."""
    fitting = [
        side for side in (ours, theirs)
        if (side["source"], side["cell_type"]) == (cell.source, cell.kind)
    ]  # fmt: skip
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    if (base.get("source"), base.get("cell_type")) != (cell.source, cell.kind):
        # Both made the same edit; one of them may not have run it.
        return ours if ours["outputs"] or not theirs["outputs"] else theirs
    return theirs if _same_run(ours, base) else ours


def _same_run(one: Json, other: Json) -> bool:
    """Whether a cell was not run again; equal outputs are told by their count."""
    return bool(
        one.get("outputs") == other.get("outputs")
        and one.get("execution_count") == other.get("execution_count")
    )


def _without_id(cell: Json) -> dict[str, Any]:
    return {key: value for key, value in cell.items() if key != "id"}


def _with_ids(cells: Sequence[Json], found: Sequence[Standing]) -> list[Json]:
    """Every cell with a valid id of its own; where two have the same one the first keeps it."""
    shown = tuple(each.cell for each in found)
    named = assign_ids(Notebook(shown)).cells
    return [
        cell if cell.get("id") == known.id else {**cell, "id": known.id}
        for cell, known in zip(cells, named, strict=True)
    ]
