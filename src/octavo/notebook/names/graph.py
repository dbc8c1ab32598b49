"""Which cell depends on which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from octavo.notebook.names.notes import Undefined
from octavo.value import Value


class CellNames(Value):
    """The names of a code cell.

    `used` are those that it takes from cells before it, `changed` those of other cells whose
    values it changes or may change. `unknown` says why more cannot be told of the cell: it may
    then use, bind and change anything. A cell that is not `reached` is never run; the line that
    ends the run is `ends`.
    """

    index: int
    defined: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    undefined: tuple[Undefined, ...] = ()
    unknown: str = ""
    reached: bool = True
    ends: int | None = None


class Edge(Value):
    """A cell takes names from an earlier one. When not `sure`, it may do without."""

    source: int
    target: int
    names: tuple[str, ...]
    sure: bool = True


class Names(Value):
    """The names of a notebook: its code cells, and what each takes from others."""

    cells: tuple[CellNames, ...]
    edges: tuple[Edge, ...]
    #: For each name the cells that its value comes from at the end of the notebook.
    last: Mapping[str, frozenset[int]] = {}
    #: For each cell that only may bind some names: the cells whose values of them it may keep.
    kept: Mapping[int, frozenset[int]] = {}

    def downstream(self, index: int) -> tuple[int, ...]:
        """The cells that an edit of this one may touch, in order, without itself."""
        return _closure(index, self._after)

    def upstream(self, index: int) -> tuple[int, ...]:
        """The cells that this one may depend on, in order, without itself."""
        return _closure(index, self._before)

    def rerun(self, index: int) -> tuple[int, ...]:
        """The cells to run again, in order, after this one was edited, in a kernel where all have
        run: what the edit touches, and what brings back values that were replaced since.
        """
        chosen = {index, *self.downstream(index)}
        while True:
            more = {cell for each in chosen for cell in self._needed(each)} - chosen
            if not more:
                return tuple(sorted(chosen))
            chosen |= more

    def _needed(self, cell: int) -> Iterable[int]:
        for edge in self._edges_to.get(cell, ()):
            if any(self._is_replaced(name) for name in edge.names):
                yield edge.source
        yield from self.kept.get(cell, ())
        for name in self._written.get(cell, ()):
            yield from (other for other in self._writers[name] if other > cell)
        yield from self._after.get(cell, ())

    def _is_replaced(self, name: str) -> bool:
        """Whether a name has had more than one value."""
        return len(self._writers.get(name, ())) > 1

    @cached_property
    def _written(self) -> dict[int, tuple[str, ...]]:
        return {cell.index: (*cell.defined, *cell.deleted, *cell.changed) for cell in self.cells}

    @cached_property
    def _writers(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for cell, names in self._written.items():
            for name in names:
                found.setdefault(name, set()).add(cell)
        return found

    @cached_property
    def _edges_to(self) -> dict[int, list[Edge]]:
        found: dict[int, list[Edge]] = {}
        for edge in self.edges:
            found.setdefault(edge.target, []).append(edge)
        return found

    @cached_property
    def _after(self) -> dict[int, set[int]]:
        found: dict[int, set[int]] = {cell.index: set() for cell in self.cells}
        for edge in self.edges:
            found[edge.source].add(edge.target)
        for cell in self.cells:
            if cell.unknown:
                for other in self.cells:
                    if other.index < cell.index:
                        found[other.index].add(cell.index)
                    elif other.index > cell.index:
                        found[cell.index].add(other.index)
        return found

    @cached_property
    def _before(self) -> dict[int, set[int]]:
        found: dict[int, set[int]] = {cell.index: set() for cell in self.cells}
        for source, targets in self._after.items():
            for target in targets:
                found[target].add(source)
        return found


def _closure(index: int, following: Mapping[int, set[int]]) -> tuple[int, ...]:
    found: set[int] = set()
    waiting = [index]
    while waiting:
        for each in following.get(waiting.pop(), set()) - found:
            found.add(each)
            waiting.append(each)
    return tuple(sorted(found - {index}))
