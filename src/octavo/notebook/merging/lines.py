"""Three lists of lines into one, as git does it: changes that touch each other are a conflict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from octavo.notebook.arrangement import longest_increasing

Pair = tuple[int, int]
#: Passages without a landmark that are larger than this are taken as rewritten.
_LARGEST_PASSAGE = 250_000
_DEEPEST = 24


class _Change(NamedTuple):
    """Lines `[start:stop]` of the base became lines `[first:last]` of a side."""

    start: int
    stop: int
    first: int
    last: int


def merge_lines(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]
) -> list[str] | None:
    """What both sides made of the base; None when they changed the same or adjoining lines."""
    our_changes = _changes(base, ours)
    their_changes = _changes(base, theirs)
    merged: list[str] = []
    done = 0
    for mine, yours in _groups(our_changes, their_changes):
        start = min(change.start for change in (*mine, *yours))
        stop = max(change.stop for change in (*mine, *yours))
        found = [_region(base, side, changes, start, stop)
                 for side, changes in ((ours, mine), (theirs, yours)) if changes]  # fmt: skip
        if len(found) == 2 and found[0] != found[1]:
            return None
        merged += base[done:start]
        merged += found[0]
        done = stop
    return [*merged, *base[done:]]


def merge_source(base: str, ours: str, theirs: str) -> str | None:
    """The same for the source of a cell, whose last line has no end."""
    merged = merge_lines(base.split("\n"), ours.split("\n"), theirs.split("\n"))
    return None if merged is None else "\n".join(merged)


def adds_up(
    merged: Sequence[str], base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]
) -> bool:
    """Whether every line is there as often as both sides together want it.

    A merge by line takes a passage that was moved for one that was deleted and another that was
    written, and brings back what the other side deleted or edited in it.
    """
    found, before, mine, yours = map(Counter, (merged, base, ours, theirs))
    for line in {*before, *mine, *yours}:
        one, other = mine[line] - before[line], yours[line] - before[line]
        wanted = (one + other, one if abs(one) > abs(other) else other)
        least, most = (min(wanted), max(wanted)) if one * other > 0 else (one + other, one + other)
        if line.strip() and not least <= found[line] - before[line] <= most:
            return False
    return True


def _changes(base: Sequence[str], side: Sequence[str]) -> list[_Change]:
    pairs = [(-1, -1), *equal_lines(base, side), (len(base), len(side))]
    return [
        _Change(before[0] + 1, after[0], before[1] + 1, after[1])
        for before, after in pairwise(pairs)
        if before[0] + 1 < after[0] or before[1] + 1 < after[1]
    ]


def _groups(
    ours: Sequence[_Change], theirs: Sequence[_Change]
) -> Iterator[tuple[list[_Change], list[_Change]]]:
    """Changes of both sides, those together that overlap or touch each other."""
    tagged = sorted(
        [(change, 0) for change in ours] + [(change, 1) for change in theirs],
        key=lambda each: (each[0].start, each[0].stop),
    )
    group: tuple[list[_Change], list[_Change]] = ([], [])
    reach = -1
    for change, side in tagged:
        if change.start > reach and (group[0] or group[1]):
            yield group
            group = ([], [])
        group[side].append(change)
        reach = max(reach, change.stop)
    if group[0] or group[1]:
        yield group


def _region(
    base: Sequence[str], side: Sequence[str], changes: Sequence[_Change], start: int, stop: int
) -> list[str]:
    """What a side has in place of lines `[start:stop]` of the base."""
    found: list[str] = []
    done = start
    for change in changes:
        found += base[done : change.start]
        found += side[change.first : change.last]
        done = change.stop
    return [*found, *base[done:stop]]


def equal_lines(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """Lines that stayed, in order. Lines that are there once are landmarks; the work grows with
    the number of lines.
    """
    found: list[Pair] = []
    rest = [(0, len(old), 0, len(new), 0)]
    while rest:
        start, stop, first, last, depth = rest.pop()
        while start < stop and first < last and old[start] == new[first]:
            found.append((start, first))
            start, first = start + 1, first + 1
        while start < stop and first < last and old[stop - 1] == new[last - 1]:
            stop, last = stop - 1, last - 1
            found.append((stop, last))
        if start == stop or first == last:
            continue
        marks = _landmarks(old[start:stop], new[first:last]) if depth < _DEEPEST else []
        if not marks:
            found += _in_passage(old[start:stop], new[first:last], start, first)
            continue
        at, other = start, first
        for mark, twin in [*marks, (stop - start, last - first)]:
            rest.append((at, start + mark, other, first + twin, depth + 1))
            at, other = start + mark, first + twin
    return sorted(found)


def _landmarks(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """Lines that are there once on each side and did not change their order."""
    counted, others = Counter(old), Counter(new)
    places = {line: at for at, line in enumerate(old) if counted[line] == 1}
    shared = [(places[line], at) for at, line in enumerate(new)
              if line in places and others[line] == 1]  # fmt: skip
    kept = longest_increasing([at for at, _ in shared])
    return [pair for pair in shared if pair[0] in kept]


def _in_passage(old: Sequence[str], new: Sequence[str], start: int, first: int) -> list[Pair]:
    if len(old) * len(new) > _LARGEST_PASSAGE or not set(old) & set(new):
        return []
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        (start + block.a + at, first + block.b + at)
        for block in matcher.get_matching_blocks()
        for at in range(block.size)
    ]
