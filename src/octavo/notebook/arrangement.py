"""The order of cells after both sides inserted, deleted and moved some.

Cells that nobody moved keep the order of the base. Moved and new cells follow the cell that they
follow on the side that put them there. When both sides moved the same cell, ours decides.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

#: For each cell of a side: the base cell that it is, or None for a new one.
Side = Sequence[int | None]
Node = tuple[str, int]
_START: Node = ("start", 0)


class Place(NamedTuple):
    """One cell of the outcome, as an index into each notebook that has it."""

    base: int | None
    ours: int | None
    theirs: int | None


def arrange(base: int, ours: Side, theirs: Side, twins: Mapping[int, int]) -> list[Place]:
    """The order of all cells; `twins` are new cells that are one: index in theirs to that in ours.

    Base cells that only one side deleted are in the outcome, for the caller to decide.
    """
    our_nodes: list[Node] = [
        ("ours", at) if known is None else ("base", known) for at, known in enumerate(ours)
    ]
    their_nodes: list[Node] = [
        ("base", known) if known is not None else ("ours", twins[at]) if at in twins
        else ("theirs", at)
        for at, known in enumerate(theirs)
    ]  # fmt: skip
    order = _order(base, our_nodes, their_nodes)
    our_index = {node: at for at, node in enumerate(our_nodes)}
    their_index = {node: at for at, node in enumerate(their_nodes)}
    return [
        Place(at if kind == "base" else None, our_index.get(node), their_index.get(node))
        for node in order
        for kind, at in [node]
    ]


def twins_of(
    ours: Side, theirs: Side, our_keys: Sequence[Hashable], their_keys: Sequence[Hashable]
) -> dict[int, int]:
    """New cells with equal keys that both sides put at the same place, for `arrange`."""
    ours_after, theirs_after = _new_after(ours), _new_after(theirs)
    twins = {}
    for anchor, their_new in theirs_after.items():
        places: dict[Hashable, list[int]] = {}
        for our in ours_after.get(anchor, ()):
            places.setdefault(our_keys[our], []).append(our)
        first = 0
        for their in their_new:
            candidates = places.get(their_keys[their], ())
            at = bisect_left(candidates, first)
            if at < len(candidates):
                twins[their] = candidates[at]
                first = candidates[at] + 1
    return twins


def _new_after(side: Side) -> dict[int | None, list[int]]:
    """The new cells of a side, by the base cell that they follow."""
    found: dict[int | None, list[int]] = {}
    for at, (known, anchor) in enumerate(zip(side, anchors(side), strict=True)):
        if known is None:
            found.setdefault(anchor, []).append(at)
    return found


def anchors(side: Side) -> list[int | None]:
    """For each cell of a side, the base cell that it is or follows."""
    last: int | None = None
    found = []
    for known in side:
        last = last if known is None else known
        found.append(last)
    return found


def _order(base: int, ours: list[Node], theirs: list[Node]) -> list[Node]:
    count = len({("base", at) for at in range(base)} | set(ours) | set(theirs))
    our_moved, their_moved = _moved(ours), _moved(theirs)
    found = _thread(base, ours, our_moved, theirs, their_moved - our_moved)
    if len(found) == count:
        return found
    # The moves of both sides contradict each other: ours decide, theirs are left out.
    return _thread(base, ours, our_moved, theirs, set())


def _moved(nodes: Sequence[Node]) -> set[Node]:
    """Base cells that are not in the longest run of base cells that kept their order."""
    known = [node for node in nodes if node[0] == "base"]
    kept = longest_increasing([at for _, at in known])
    return {node for node in known if node[1] not in kept}


def longest_increasing(numbers: Sequence[int]) -> set[int]:
    """The numbers, all different, of a longest run that rises."""
    tails: list[int] = []
    before: dict[int, int | None] = {}
    for number in numbers:
        at = bisect_left(tails, number)
        before[number] = tails[at - 1] if at else None
        tails[at : at + 1] = [number]
    kept = set()
    last: int | None = tails[-1] if tails else None
    while last is not None:
        kept.add(last)
        last = before[last]
    return kept


def _thread(
    base: int, ours: list[Node], our_moved: set[Node], theirs: list[Node], their_moved: set[Node]
) -> list[Node]:
    """Hang moved and new cells behind the ones they follow, then read all in order."""
    behind: dict[Node, list[Node]] = {}
    placed: set[Node] = set()
    for nodes, moved in ((ours, our_moved), (theirs, their_moved)):
        last = _START
        for node in nodes:
            if node not in placed and (node[0] != "base" or node in moved):
                behind.setdefault(last, []).append(node)
                placed.add(node)
            last = node
    anywhere = our_moved | their_moved
    spine: list[Node] = [("base", at) for at in range(base) if ("base", at) not in anywhere]
    return _read(spine, behind)


def _read(spine: Sequence[Node], behind: dict[Node, list[Node]]) -> list[Node]:
    order: list[Node] = []
    stack = [*reversed(spine), _START]
    while stack:
        node = stack.pop()
        if node is not _START:
            order.append(node)
        stack.extend(reversed(behind.get(node, ())))
    return order
