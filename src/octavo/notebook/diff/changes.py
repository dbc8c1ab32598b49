"""What changed between two notebooks, cell by cell, for whoever shows it.

The diff in nbdime's format says how to make the new notebook; it knows no cell that moved. This
says what became of each cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, Literal

from octavo.notebook.diff.cells import PART_OF_KEY, cell_pairs
from octavo.notebook.diff.values import same
from octavo.value import EMPTY, Value

Json = Mapping[str, Any]
How = Literal["added", "removed", "edited", "moved", "moved and edited"]
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()


class ValueChange(Value):
    """A value of metadata: `name` is the way to it, and `MISSING` stands for none."""

    name: str
    old: Any
    new: Any


class CellChange(Value):
    """What became of a cell; indices are from 0, and None on the side that lacks it.

    `parts` are what changed in it: `sources`, `outputs`, `metadata`, `attachments`, `ids`,
    `details` (the execution count) and `kind`.
    """

    old_index: int | None
    new_index: int | None
    old: Json = EMPTY
    new: Json = EMPTY
    moved: bool = False
    parts: frozenset[str] = frozenset()

    @property
    def how(self) -> How:
        if self.old_index is None:
            return "added"
        if self.new_index is None:
            return "removed"
        if self.moved:
            return "moved and edited" if self.parts else "moved"
        return "edited"

    @property
    def cell(self) -> Json:
        """The cell as it is now, or as it was last."""
        return self.old if self.new_index is None else self.new

    @property
    def kind(self) -> str:
        return str(self.cell.get("cell_type", "raw"))

    def text(self, side: Literal["old", "new"]) -> str:
        """The source on one side."""
        return joined((self.old if side == "old" else self.new).get("source", ""))

    def outputs(self, side: Literal["old", "new"]) -> list[Json]:
        """The outputs on one side."""
        found = (self.old if side == "old" else self.new).get("outputs")
        items = found if isinstance(found, list | tuple) else ()
        return [each for each in items if isinstance(each, Mapping)]

    def metadata(self) -> list[ValueChange]:
        """What changed in the metadata."""
        sides = (_mapping(self.old, "metadata"), _mapping(self.new, "metadata"))
        return [*value_changes(*sides)]


class Changes(Value):
    """All changes. `cells` are those with a change, in the order in which they stand now;
    `same` says how many have none.
    """

    cells: tuple[CellChange, ...]
    metadata: tuple[ValueChange, ...] = ()
    same: int = 0

    def __bool__(self) -> bool:
        return bool(self.cells or self.metadata)

    def count(self, how: How) -> int:
        """How many cells this became of."""
        return sum(each.how == how for each in self.cells)


def changes(old: Json | None, new: Json | None, ignore: Set[str] = frozenset()) -> Changes:
    """What became of each cell; None is a notebook that is not there."""
    before, after = _cells(old), _cells(new)
    found = [*_walk(before, after, ignore)]
    told = tuple(each for each in found if each.how != "edited" or each.parts)
    metadata: Iterator[ValueChange] = iter(())
    if "metadata" not in ignore and old is not None and new is not None:
        metadata = value_changes(_mapping(old, "metadata"), _mapping(new, "metadata"))
    return Changes(told, tuple(metadata), len(found) - len(told))


def _walk(old: Sequence[Json], new: Sequence[Json], ignore: Set[str]) -> Iterator[CellChange]:
    """Every cell once: as they stand now, those that are gone where they were."""
    kept, moved = cell_pairs(old, new)
    elsewhere = {at for at, _ in moved}
    old_of = {other: at for at, other in (*kept, *moved)}
    in_place = {at for at, _ in kept}
    i = 0
    for j, cell in enumerate(new):
        at = old_of.get(j)
        if at is None:
            yield CellChange(None, j, new=cell)
            continue
        if at in in_place:
            yield from (CellChange(gone, None, old=old[gone])
                        for gone in range(i, at) if gone not in elsewhere)  # fmt: skip
            i = at + 1
        parts = frozenset(_parts(old[at], cell)) - ignore
        yield CellChange(at, j, old[at], cell, at not in in_place, parts)
    for gone in range(i, len(old)):
        if gone not in elsewhere:
            yield CellChange(gone, None, old=old[gone])


def _parts(old: Json, new: Json) -> Iterator[str]:
    for key in {*old, *new}:
        if not same(old.get(key, MISSING), new.get(key, MISSING)):
            yield PART_OF_KEY.get(key, "kind" if key == "cell_type" else "metadata")


def value_changes(old: Json, new: Json, within: str = "") -> Iterator[ValueChange]:
    """The values that differ, each by the way to it: `kernelspec.name`."""
    for key in sorted({*map(str, old), *map(str, new)}):
        one, other = old.get(key, MISSING), new.get(key, MISSING)
        name = f"{within}{key}"
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            yield from value_changes(one, other, f"{name}.")
        elif one is MISSING or other is MISSING or not same(one, other):
            yield ValueChange(name, one, other)


def joined(value: Any) -> str:
    """Text that nbformat may hold as a list of lines."""
    return "".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _cells(document: Json | None) -> list[Json]:
    found = (document or EMPTY).get("cells")
    items = found if isinstance(found, list | tuple) else ()
    return [each for each in items if isinstance(each, Mapping)]


def _mapping(value: Json, key: str) -> Json:
    found = value.get(key)
    return found if isinstance(found, Mapping) else EMPTY
