"""Equal items of sequences that are made of a few items, over and over.

Nothing in them is a landmark. Both are walked along together; where they part, the least number
of steps after which they meet again is looked for, but only so far: then the walk goes on from
the place that was reached, so that work stays in proportion to the length.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

Pair = tuple[int, int]
#: So many items are left out or put in before the walk goes on from where it is.
_STEPS = 40
_NOWHERE = -2

#: For each diagonal (old index less new index) the old index that was reached.
Reached = dict[int, int]


def walk(
    old: Sequence[Hashable], new: Sequence[Hashable], span: tuple[int, int, int, int]
) -> list[Pair]:
    """Equal items of a passage, in order."""
    i, old_end, j, new_end = span
    pairs: list[Pair] = []
    while i < old_end and j < new_end:
        found, (i, j) = _stretch(old, new, (i, old_end, j, new_end))
        pairs += found
    return pairs


def _stretch(
    old: Sequence[Hashable], new: Sequence[Hashable], span: tuple[int, int, int, int]
) -> tuple[list[Pair], Pair]:
    """The pairs up to the place that can be reached in a bounded number of steps."""
    i, old_end, j, new_end = span
    start = i - j
    history: list[Reached] = []
    reached: Reached = {start + 1: i}
    for steps in range(_STEPS):
        history.append(reached)
        reached = {}
        for diagonal in range(start - steps, start + steps + 1, 2):
            at = _stepped(history[-1], diagonal)
            other = at - diagonal
            if not i <= at <= old_end or other > new_end:
                continue
            while at < old_end and other < new_end and old[at] == new[other]:
                at, other = at + 1, other + 1
            reached[diagonal] = at
            if at == old_end and other == new_end:
                return _back(history, diagonal, (at, other), (i, j)), (at, other)
    diagonal = max(reached, key=lambda each: 2 * reached[each] - each)
    end = reached[diagonal], reached[diagonal] - diagonal
    return _back(history, diagonal, end, (i, j)), end


def _stepped(reached: Reached, diagonal: int) -> int:
    """Where a diagonal is entered: one item put in, or one left out, whichever gets further."""
    return max(reached.get(diagonal + 1, _NOWHERE), reached.get(diagonal - 1, _NOWHERE) + 1)


def _back(history: list[Reached], diagonal: int, end: Pair, start: Pair) -> list[Pair]:
    """The pairs on the way that led to an end."""
    pairs: list[Pair] = []
    at, other = end
    for steps in range(len(history) - 1, -1, -1):
        begun = start[0] if steps == 0 else _stepped(history[steps], diagonal)
        while at > begun and other > start[1]:
            at, other = at - 1, other - 1
            pairs.append((at, other))
        down = history[steps].get(diagonal + 1, _NOWHERE)
        diagonal = diagonal + 1 if down == begun else diagonal - 1
        at = begun if down == begun else begun - 1
        other = at - diagonal
    return pairs[::-1]
