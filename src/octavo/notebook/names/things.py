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
    """All names of the notebook at one point of it. `open` are cells that may bind anything."""

    __slots__ = ("names", "open")

    def __init__(self, names: dict[str, Binding] | None = None, open: Cells = NO_CELLS) -> None:
        self.names = {} if names is None else names
        self.open = open

    def copy(self) -> State:
        return State(dict(self.names), self.open)


def merged(one: State, other: State) -> State:
    """Where two ways meet: what holds whichever was taken."""
    names = dict(one.names)
    for name, binding in other.names.items():
        mine = names.get(name)
        if mine is binding:
            continue
        names[name] = _either(mine, binding) if mine else _perhaps(binding)
    for name in one.names.keys() - other.names.keys():
        names[name] = _perhaps(one.names[name])
    return State(names, one.open | other.open)


def _perhaps(binding: Binding) -> Binding:
    return binding._replace(sure=False) if binding.bound else binding


def _either(one: Binding, other: Binding) -> Binding:
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
