"""Changes of JSON values: keys of objects, items of lists, lines of texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from octavo.notebook.diff import entries
from octavo.notebook.diff.entries import Diff
from octavo.notebook.diff.pairing import equal_pairs
from octavo.notebook.diff.texts import diff_texts

#: How the value of a key is compared; None when it can only be replaced as a whole.
Compare = Callable[[Any, Any], Diff | None]


def diff_mappings(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    compare: Callable[[str], Compare] = lambda key: diff_values,
    left_out: Set[str] = frozenset(),
) -> Diff:
    """The operations on keys, sorted. `compare` gives the way to compare a key's values."""
    found: Diff = []
    for key in sorted({*old, *new} - left_out):
        if key not in new:
            found.append(entries.remove(key))
        elif key not in old:
            found.append(entries.add(key, new[key]))
        elif not same(old[key], new[key]):
            found += _changed(key, new[key], compare(key)(old[key], new[key]))
    return found


def _changed(key: str, value: Any, within: Diff | None) -> Diff:
    """One operation; none where all that changed was left out."""
    if within is None:
        return [entries.replace(key, value)]
    return [entries.change(key, within)] if within else []


def diff_values(old: Any, new: Any) -> Diff | None:
    """The changes within a value; None when it is of another type, or has no parts."""
    if isinstance(old, str) and isinstance(new, str):
        return diff_texts(old, new)
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return diff_mappings(old, new)
    if is_list(old) and is_list(new):
        return diff_lists(old, new)
    return None


def diff_lists(old: Sequence[Any], new: Sequence[Any]) -> Diff:
    """Items that are not equal are removed and added."""
    pairs = equal_pairs([*map(spelled, old)], [*map(spelled, new)])
    return entries.sequence([*old], [*new], pairs, entries.unchanged)


def whole(old: Any, new: Any) -> None:
    """For values that are replaced as a whole."""


def is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def spelled(value: Any) -> str:
    """The JSON of a value: equal for equal values, and only for them (`1` is not `true`)."""
    import json

    return json.dumps(value, sort_keys=True, default=repr)


def same(old: Any, new: Any) -> bool:
    """Whether two values are the same JSON."""
    if old is new:
        return True
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return old.keys() == new.keys() and all(same(old[key], new[key]) for key in old)
    if is_list(old) and is_list(new):
        return len(old) == len(new) and all(map(same, old, new))
    if type(old) is type(new) and isinstance(old, str | int):
        return bool(old == new)
    return spelled(old) == spelled(new)
