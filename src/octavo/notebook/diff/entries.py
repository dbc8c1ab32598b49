"""The operations that a diff is made of, and how those on a sequence are put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any


class Entry(dict[str, Any]):
    """One operation, which is JSON as it stands.

    Its keys are attributes too, because nbdime's functions read them so.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


Diff = list[Entry]
#: Items of two sequences that belong together: index in the one, index in the other.
Pairs = Iterable[tuple[int, int]]


def add(key: str, value: Any) -> Entry:
    """A key that is new."""
    return Entry(op="add", key=key, value=value)


def remove(key: str) -> Entry:
    """A key that is gone."""
    return Entry(op="remove", key=key)


def replace(key: str, value: Any) -> Entry:
    """A key whose value is another one."""
    return Entry(op="replace", key=key, value=value)


def change(key: str | int, diff: Diff) -> Entry:
    """A key or an item within which something changed."""
    return Entry(op="patch", key=key, diff=diff)


def sequence(
    old: Sequence[Any], new: Sequence[Any], pairs: Pairs, within: Callable[[int, int], Diff]
) -> Diff:
    """The diff of two sequences whose pairs are given in order.

    Items without a counterpart are added and removed; `within` compares those of a pair. What is
    added at a place comes before what is removed there.
    """
    found: Diff = []
    i = j = 0
    for at, other in [*pairs, (len(old), len(new))]:
        if other > j:
            found.append(Entry(op="addrange", key=i, valuelist=new[j:other]))
        if at > i:
            found.append(Entry(op="removerange", key=i, length=at - i))
        inner = within(at, other) if at < len(old) else []
        if inner:
            found.append(change(at, inner))
        i, j = at + 1, other + 1
    return found


def unchanged(old: int, new: int) -> Diff:
    """For pairs that are equal."""
    return []
