"""Giving out a budget: steps in a fixed order, as many as there is room for.

The order does not depend on the budget, so whoever gives more gets no less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

#: A block and the level that it is raised to; higher levels show more.
Step = tuple[int, int]
#: What a block weighs at a level.
Cost = Callable[[int, int], int]


def fitted(steps: Iterable[Step], cost: Cost, room: int) -> dict[int, int]:
    """The level of every block that is shown, after the last step that still fits."""
    levels: dict[int, int] = {}
    used = 0
    for block, level in steps:
        before = levels.get(block)
        if before is not None and before >= level:
            continue
        used += cost(block, level) - (0 if before is None else cost(block, before))
        if used > room:
            break
        levels[block] = level
    return levels


def all_fit(highest: Iterable[Step], cost: Cost, room: int) -> Mapping[int, int] | None:
    """Every block at its highest level; None as soon as that is too much."""
    levels: dict[int, int] = {}
    for block, level in highest:
        room -= cost(block, level)
        if room < 0:
            return None
        levels[block] = level
    return levels
