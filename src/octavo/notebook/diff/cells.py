"""Changes of a notebook: which cell and which output is which, and what changed within each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
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

#: The parts of a notebook that people may not want to see, by the keys of a cell.
PART_OF_KEY = {
    "source": "sources",
    "outputs": "outputs",
    "metadata": "metadata",
    "attachments": "attachments",
    "id": "ids",
    "execution_count": "details",
}
PARTS = tuple(PART_OF_KEY.values())
_PART_OF_HEAD = {"metadata": "metadata", "nbformat": "details", "nbformat_minor": "details"}


def diff(old: Json, new: Json, ignore: Set[str] = frozenset()) -> Diff:
    """What makes `new` of `old`; an empty list when they are the same.

    Changes of the parts in `ignore` are left out: of `PARTS`.
    """

    def compare(key: str) -> Compare:
        if key == "cells":
            return lambda one, other: _diff_cells(one, other, ignore)
        return diff_values

    left_out = {key for key, part in _PART_OF_HEAD.items() if part in ignore}
    return diff_mappings(old, new, compare, left_out)


def _diff_cells(old: Any, new: Any, ignore: Set[str]) -> Diff | None:
    if not (_are_objects(old) and _are_objects(new)):
        return diff_values(old, new)
    pairs, _ = cell_pairs(old, new)
    left_out = {key for key, part in PART_OF_KEY.items() if part in ignore}
    return sequence([*old], [*new], pairs, lambda i, j: _diff_cell(old[i], new[j], left_out))


def _are_objects(value: Any) -> bool:
    return is_list(value) and all(isinstance(item, Mapping) for item in value)


def cell_pairs(old: Sequence[Json], new: Sequence[Json]) -> tuple[list[Pair], list[Pair]]:
    """Cells that are the same one: those that kept their order, and those that moved.

    As few as possible have moved. nbdime knows no operation for a move: they are removed and
    added.
    """
    found = match_cells([*map(_cell, old)], [*map(_cell, new)])
    pairs = [(found[at], at) for at in sorted(found)]
    kept = longest_increasing([at for at, _ in pairs])
    in_place = [pair for pair in pairs if pair[0] in kept]
    return in_place, [pair for pair in pairs if pair[0] not in kept]


def _cell(cell: Json) -> Cell:
    source, known = cell.get("source", ""), cell.get("id")
    text = "".join(map(str, source)) if is_list(source) else str(source)
    return Cell(cell.get("cell_type", "raw"), text, id=known if isinstance(known, str) else None)


def _diff_cell(old: Json, new: Json, left_out: Set[str]) -> Diff:
    ways: dict[str, Compare] = {
        "id": whole,
        "outputs": _diff_outputs,
        "attachments": _diff_attachments,
    }
    return diff_mappings(old, new, lambda key: ways.get(key, diff_values), left_out)


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
    pairs = output_pairs(old, new)
    return sequence([*old], [*new], pairs, lambda i, j: _diff_output(old[i], new[j]))


def output_pairs(old: Sequence[Json], new: Sequence[Json]) -> list[Pair]:
    """Outputs that are the same one: equal, or of one sort."""
    alone = len(old) == len(new) == 1
    equal = [] if alone else equal_pairs([*map(spelled, old)], [*map(spelled, new)])
    return with_alike(equal, len(old), len(new), lambda i, j: _sort_of(old[i]) == _sort_of(new[j]))


def _sort_of(output: Json) -> tuple[Any, ...]:
    """Outputs of one sort are compared with each other."""
    data = output.get("data")
    mimes = sorted(data) if isinstance(data, Mapping) else None
    return output.get("output_type"), output.get("name"), output.get("ename"), mimes


def _diff_output(old: Json, new: Json) -> Diff:
    return diff_mappings(old, new, lambda key: _diff_bundle if key == "data" else diff_values)
