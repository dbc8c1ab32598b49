"""Metadata of three versions into one, key by key.

What views and runs leave there never conflicts: when both sides changed it, the later version
number or time is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from octavo.value import Value

ABSENT: Final = object()
Json = Mapping[str, Any]

#: Keys, with those above them, that tell how a notebook was looked at or run.
VOLATILE: frozenset[str] = frozenset(
    (
        "ExecuteTime", "autoscroll", "celltoolbar", "collapsed", "execution", "heading_collapsed",
        "hidden", "hide_input", "jupytext.text_representation", "kernelspec.display_name",
        "kernelspec.language", "language_info", "octavo_conflict", "orig_nbformat",
        "orig_nbformat_minor", "papermill", "scrolled", "signature", "toc", "trusted",
        "varInspector", "vscode", "widgets",
    )
)  # fmt: skip
#: Lists whose order has no meaning, and texts that are such lists with commas.
_SETS = ("tags",)
_FILTERS = ("jupytext.cell_metadata_filter", "jupytext.notebook_metadata_filter")
_PART = re.compile(r"\d+|\D+")


class MetadataConflict(Value):
    """A key of the metadata changed on both sides; None where it is absent."""

    key: str
    ours: Any
    theirs: Any


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON, where `1` is neither `true` nor `1.0`."""
    if one is ABSENT or other is ABSENT or one != other:
        return one is other
    return isinstance(one, str) or _spelled(one) == _spelled(other)


def lasting(metadata: Json) -> dict[str, Any]:
    """Metadata without what views and runs leave there."""
    return {key: value for key, value in metadata.items() if key not in VOLATILE}


def _spelled(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=repr)


def choose(base: Any, ours: Any, theirs: Any) -> tuple[Any, bool]:
    """The value that changed, and whether that can be told."""
    if same(ours, theirs) or same(theirs, base):
        return ours, True
    return theirs, same(ours, base)


def merge_mappings(
    base: Json, ours: Json, theirs: Json, above: str = ""
) -> tuple[dict[str, Any], tuple[MetadataConflict, ...]]:
    """The merged mapping; in a conflict it has our value, or theirs where we have none."""
    merged: dict[str, Any] = {}
    conflicts: list[MetadataConflict] = []
    for key in dict.fromkeys((*ours, *theirs)):
        values = [side.get(key, ABSENT) for side in (base, ours, theirs)]
        chosen, told = _merged_value(f"{above}{key}", values, conflicts)
        if not told:
            shown = [None if value is ABSENT else value for value in values[1:]]
            conflicts.append(MetadataConflict(f"{above}{key}", *shown))
        if chosen is not ABSENT:
            merged[key] = chosen
    return merged, tuple(conflicts)


def _merged_value(
    key: str, values: Sequence[Any], conflicts: list[MetadataConflict]
) -> tuple[Any, bool]:
    base, ours, theirs = values
    chosen, told = choose(base, ours, theirs)
    if told:
        return chosen, True
    if key in _SETS and _are_lists(values):
        return _merged_set(*(_or(value, []) for value in values)), True
    if key in _FILTERS and _are(values, str):
        lists = (_or(value, "").split(",") for value in values)
        return ",".join(name for name in _merged_set(*lists) if name), True
    if key == "kernelspec" and (whole := _merged_kernel(base, ours, theirs)) is not None:
        return whole, True
    if _is_volatile(key):
        return _later(ours, theirs), True
    if _are(values, Mapping) and ours is not ABSENT and theirs is not ABSENT:
        same_kernel = key != "kernelspec" or ours.get("name") == theirs.get("name")
        if same_kernel:
            inner, found = merge_mappings(_or(base, {}), ours, theirs, f"{key}.")
            conflicts.extend(found)
            return inner, True
    return (theirs if ours is ABSENT else ours), False


def _merged_kernel(base: Any, ours: Any, theirs: Any) -> Any:
    """The kernel of the side that chose another one; its names belong together."""
    names = [_kernel_name(value) for value in (base, ours, theirs)]
    if names[1] == names[2] or None in names[1:] or names[0] not in names[1:]:
        return None
    return theirs if names[0] == names[1] else ours


def _kernel_name(value: Any) -> Any:
    return value.get("name") if isinstance(value, Mapping) else None


def _or(value: Any, default: Any) -> Any:
    return default if value is ABSENT else value


def _are(values: Sequence[Any], kind: type) -> bool:
    return all(value is ABSENT or isinstance(value, kind) for value in values)


def _are_lists(values: Sequence[Any]) -> bool:
    return all(
        value is ABSENT
        or (isinstance(value, list | tuple) and all(isinstance(item, str) for item in value))
        for value in values
    )


def _merged_set(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Ours in their order, then what they added; what either side took away is gone."""
    kept = [item for item in ours if item in theirs or item not in base]
    return kept + [item for item in theirs if item not in ours and item not in base]


def _is_volatile(key: str) -> bool:
    parts = key.split(".")
    return any(".".join(parts[:length]) in VOLATILE for length in range(1, len(parts) + 1))


def _later(ours: Any, theirs: Any) -> Any:
    if ours is ABSENT or theirs is ABSENT:
        return theirs if ours is ABSENT else ours
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        keys = dict.fromkeys((*ours, *theirs))
        return {key: _later(ours.get(key, ABSENT), theirs.get(key, ABSENT)) for key in keys}
    return max(ours, theirs, key=_rank)


def _rank(value: Any) -> list[tuple[int, int, str]]:
    """Numbers within a text count as numbers: 3.9 comes before 3.10."""
    return [
        (0, int(part), "") if part.isdigit() and part.isascii() and len(part) < 19
        else (1, 0, part)
        for part in _PART.findall(_spelled(value))
    ]  # fmt: skip
