"""What is known of a value and of the name that it is bound to, without computing either."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple

Objects = frozenset[int]
NameSet = frozenset[str]
Cells = frozenset[int]
Function = ast.FunctionDef | ast.Lambda

NO_OBJECTS: Objects = frozenset()
NO_NAMES: NameSet = frozenset()
NO_CELLS: Cells = frozenset()


class Thing(NamedTuple):
    """A value: which objects it may be (`itself`), and which it can reach (`inside`, all of them).

    `reads` and `writes` are the notebook's names that calling it, or what it holds, may read and
    change. `function` is its definition where that is sure. Numbers and texts are no objects.
    """

    itself: Objects = NO_OBJECTS
    inside: Objects = NO_OBJECTS
    reads: NameSet = NO_NAMES
    writes: NameSet = NO_NAMES
    function: Function | None = None
    kind: str = ""

    @property
    def calls(self) -> bool:
        """Whether using it may read or change names of the notebook."""
        return bool(self.reads or self.writes)


PLAIN = Thing()


def joined(things: Iterable[Thing]) -> Thing:
    """A value that may be any of these."""
    found = [*things]
    if not found:
        return PLAIN
    if len(found) == 1:
        return found[0]
    if len(found) == 2:
        for one, other in (found, reversed(found)):
            if _covers(one, other):
                return one
    kinds = {each.kind for each in found}
    functions = {id(each.function): each.function for each in found}
    return Thing(
        frozenset().union(*(each.itself for each in found)),
        frozenset().union(*(each.inside for each in found)),
        frozenset().union(*(each.reads for each in found)),
        frozenset().union(*(each.writes for each in found)),
        found[0].function if len(functions) == 1 else None,
        _kind(kinds),
    )


def _kind(kinds: set[str]) -> str:
    """The kind of what may be of any of these: the one that asks for most care."""
    if len(kinds) == 1:
        return min(kinds)
    return next((kind for kind in ("shell", "iterator") if kind in kinds), "")


def _covers(one: Thing, other: Thing) -> bool:
    """Whether a value that may be either of two is the first of them, whichever it is."""
    return (
        one.kind == other.kind
        and one.function is other.function
        and other.itself <= one.itself
        and other.inside <= one.inside
        and other.reads <= one.reads
        and other.writes <= one.writes
    )


class Binding(NamedTuple):
    """A name. `writers` are the cells that its value comes from, `touched` those that may have
    changed it. It is `bound`, and `sure` when that is certain; not `bound` is certainly absent.
    """

    thing: Thing
    writers: Cells
    touched: Cells = NO_CELLS
    sure: bool = True
    bound: bool = True

    @property
    def cells(self) -> Cells:
        return self.writers | self.touched


class State:
    """All names of the notebook at one point of it. `open` are cells that may bind anything.

    Ways that part share the names that they found (`_base`); each has what it made of them for
    itself (`_own`). A copy, and a meeting of ways, so cost no more than what the ways have done.
    """

    __slots__ = ("_base", "_own", "open")

    def __init__(
        self,
        base: dict[str, Binding] | None = None,
        own: dict[str, Binding] | None = None,
        open: Cells = NO_CELLS,
    ) -> None:
        self._base = {} if base is None else base
        self._own = {} if own is None else own
        self.open = open

    def get(self, name: str) -> Binding | None:
        return self._own.get(name) or self._base.get(name)

    def put(self, name: str, binding: Binding) -> None:
        self._own[name] = binding

    def drop_new(self, name: str) -> None:
        """Forget a name that was not there when the names were last settled."""
        self._own.pop(name, None)

    def names(self) -> list[str]:
        return [*self._base, *(name for name in self._own if name not in self._base)]

    def copy(self) -> State:
        return State(self._base, dict(self._own), self.open)

    def settle(self) -> None:
        """Nobody goes back to before this point: all further ways begin with these names."""
        self._base.update(self._own)
        self._own.clear()

    def met(self, other: State) -> State:
        """Where two ways meet: what holds whichever was taken."""
        names = dict(self._own)
        for name, binding in other._own.items():
            mine = self.get(name)
            if mine is not binding:
                names[name] = _either(mine, binding) if mine else _perhaps(binding)
        for name in self._own.keys() - other._own.keys():
            before = self._base.get(name)
            mine = self._own[name]
            if mine is not before:
                names[name] = _either(mine, before) if before else _perhaps(mine)
        return State(self._base, names, self.open | other.open)


def merged(one: State, other: State) -> State:
    """Where two ways meet that parted after the names were last settled."""
    return one.met(other)


def _perhaps(binding: Binding) -> Binding:
    return binding._replace(sure=False) if binding.bound else binding


def _either(one: Binding, other: Binding) -> Binding:
    if one.thing is other.thing and one.bound and other.bound:
        cells = (one.writers | other.writers, one.touched | other.touched)
        return Binding(one.thing, *cells, one.sure and other.sure)
    bound = [each for each in (one, other) if each.bound]
    return Binding(
        joined(each.thing for each in bound),
        one.writers | other.writers,
        one.touched | other.touched,
        one.sure and other.sure and len(bound) == 2,
        bool(bound),
    )


def met(states: Iterable[State | None]) -> State | None:
    """Where any number of ways meet; None when all of them have ended."""
    found = [state for state in states if state is not None]
    if not found:
        return None
    state = found[0]
    for other in found[1:]:
        state = merged(state, other)
    return state
