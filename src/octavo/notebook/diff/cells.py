"""Changes of a notebook: which cell and which output is which, and what changed within each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from octavo.notebook.arrangement import longest_increasing
from octavo.notebook.diff.entries import Diff, sequence
from octavo.notebook.diff.pairing import Pair, equal_pairs, with_alike
from octavo.notebook.diff.values import (
    Compare,
    diff_mappings,
    diff_values,
    is_list,
    spelled,
    whole,
)
from octavo.notebook.matching import match_cells
from octavo.notebook.model import Cell

Json = Mapping[str, Any]
#: Data that is compared line by line, or key by key; all other is replaced as a whole.
_READABLE = ("text/", "image/svg+xml", "application/javascript", "application/json")


def diff(old: Json, new: Json) -> Diff:
    """What makes `new` of `old`; an empty list when they are the same."""
    return diff_mappings(old, new, lambda key: _diff_cells if key == "cells" else diff_values)


def _diff_cells(old: Any, new: Any) -> Diff | None:
    if not (_are_objects(old) and _are_objects(new)):
        return diff_values(old, new)
    pairs = _cell_pairs(old, new)
    return sequence([*old], [*new], pairs, lambda i, j: _diff_cell(old[i], new[j]))


def _are_objects(value: Any) -> bool:
    return is_list(value) and all(isinstance(item, Mapping) for item in value)


def _cell_pairs(old: Sequence[Json], new: Sequence[Json]) -> list[Pair]:
    """Cells that are the same one. There is no operation for a move: of those that changed places
    as few as possible are removed and added.
    """
    found = match_cells([*map(_cell, old)], [*map(_cell, new)])
    kept = longest_increasing([found[at] for at in sorted(found)])
    return [(found[at], at) for at in sorted(found) if found[at] in kept]


def _cell(cell: Json) -> Cell:
    source, known = cell.get("source", ""), cell.get("id")
    text = "".join(map(str, source)) if is_list(source) else str(source)
    return Cell(cell.get("cell_type", "raw"), text, id=known if isinstance(known, str) else None)


def _diff_cell(old: Json, new: Json) -> Diff:
    ways: dict[str, Compare] = {
        "id": whole,
        "outputs": _diff_outputs,
        "attachments": _diff_attachments,
    }
    return diff_mappings(old, new, lambda key: ways.get(key, diff_values))


def _diff_attachments(old: Any, new: Any) -> Diff | None:
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        return None
    return diff_mappings(old, new, lambda name: _diff_bundle)


def _diff_bundle(old: Any, new: Any) -> Diff | None:
    """Data by MIME type."""
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        return None
    return diff_mappings(
        old, new, lambda mime: diff_values if mime.lower().startswith(_READABLE) else whole
    )


def _diff_outputs(old: Any, new: Any) -> Diff | None:
    if not (_are_objects(old) and _are_objects(new)):
        return diff_values(old, new)
    pairs = with_alike(
        equal_pairs([*map(spelled, old)], [*map(spelled, new)]),
        len(old),
        len(new),
        lambda i, j: _sort_of(old[i]) == _sort_of(new[j]),
    )
    return sequence([*old], [*new], pairs, lambda i, j: _diff_output(old[i], new[j]))


def _sort_of(output: Json) -> tuple[Any, ...]:
    """Outputs of one sort are compared with each other."""
    data = output.get("data")
    mimes = sorted(data) if isinstance(data, Mapping) else None
    return output.get("output_type"), output.get("name"), output.get("ename"), mimes


def _diff_output(old: Json, new: Json) -> Diff:
    return diff_mappings(old, new, lambda key: _diff_bundle if key == "data" else diff_values)
