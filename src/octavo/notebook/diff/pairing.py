"""Which items of two sequences belong together: equal ones first, then alike ones between them.

Work grows with the length of both sequences, not with their product. Of all ways to keep equal
items in order a longest one is found, as long as items do not repeat without end; those that are
everywhere are left to the second look, between the landmarks that the others make.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence

from octavo.notebook.diff.stepping import walk

Pair = tuple[int, int]
#: So many places of equal items are looked at for each item; the commonest ones come too late.
_PLACES = 16
#: How often the gaps between landmarks are looked at again.
_DEPTH = 6
#: So many items of a passage are looked at to find one that is alike, and so many in vain.
_LOOKS, _IN_VAIN = 4, 12
#: Larger passages without anything equal are taken as rewritten.
_LARGEST_PASSAGE = 400


def equal_pairs(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Pair]:
    """Equal items in order."""
    pairs: list[Pair] = []
    _pair(old, new, (0, len(old), 0, len(new)), _DEPTH, pairs)
    return pairs


Span = tuple[int, int, int, int]


def _pair(
    old: Sequence[Hashable], new: Sequence[Hashable], span: Span, depth: int, pairs: list[Pair]
) -> None:
    """Add the pairs of a passage, in order."""
    i, old_end, j, new_end = span
    while i < old_end and j < new_end and old[i] == new[j]:
        pairs.append((i, j))
        i, j = i + 1, j + 1
    last_old, last_new = old_end, new_end
    while i < last_old and j < last_new and old[last_old - 1] == new[last_new - 1]:
        last_old, last_new = last_old - 1, last_new - 1
    if i < last_old and j < last_new and depth:
        _pair_within(old, new, (i, last_old, j, last_new), depth, pairs)
    pairs += zip(range(last_old, old_end), range(last_new, new_end), strict=True)


def _pair_within(
    old: Sequence[Hashable], new: Sequence[Hashable], span: Span, depth: int, pairs: list[Pair]
) -> None:
    i, old_end, j, new_end = span
    landmarks, whole = _landmarks(old, new, span)
    if whole:
        pairs += landmarks
        return
    for at, other in landmarks:
        if at >= i and other >= j:
            _pair(old, new, (i, at, j, other), depth - 1, pairs)
            pairs.append((at, other))
            i, j = at + 1, other + 1
    if landmarks:
        _pair(old, new, (i, old_end, j, new_end), depth - 1, pairs)
    else:
        pairs += walk(old, new, span)


def _landmarks(
    old: Sequence[Hashable], new: Sequence[Hashable], span: Span
) -> tuple[list[Pair], bool]:
    """A longest run of equal items in order, and whether all items took part in it.

    Items with the most places are left out until the rest is little enough to be looked at.
    """
    i, old_end, j, new_end = span
    common = {*old[i:old_end]}.intersection(new[j:new_end])
    if not common:
        return [], True
    places: dict[Hashable, list[int]] = {item: [] for item in common}
    for at in range(i, old_end):
        if old[at] in common:
            places[old[at]].append(at)
    times = dict.fromkeys(common, 0)
    for item in new[j:new_end]:
        if item in common:
            times[item] += 1
    room = _PLACES * (old_end - i + new_end - j)
    rare: dict[Hashable, list[int]] = {}
    for item in sorted(places, key=lambda item: (times[item] * len(places[item]), places[item])):
        room -= times[item] * len(places[item])
        if room < 0:
            break
        rare[item] = places[item][::-1]
    return _longest(new, range(j, new_end), rare), len(rare) == len(times)


def _longest(new: Sequence[Hashable], span: range, places: dict[Hashable, list[int]]) -> list[Pair]:
    """A longest run of pairs that rises on both sides; `places` in the old one are falling."""
    tails: list[int] = []
    links: list[tuple[int, int, object]] = []
    for other in span:
        for at in places.get(new[other], ()):
            length = bisect_left(tails, at)
            if length < len(tails) and tails[length] == at:
                continue
            link = (at, other, links[length - 1] if length else None)
            if length == len(tails):
                tails.append(at)
                links.append(link)
            else:
                tails[length], links[length] = at, link
    found: list[Pair] = []
    last: object = links[-1] if links else None
    while isinstance(last, tuple):
        found.append((last[0], last[1]))
        last = last[2]
    return found[::-1]


def with_alike(
    pairs: Sequence[Pair], old: int, new: int, alike: Callable[[int, int], bool]
) -> list[Pair]:
    """The pairs, and between them those that are alike, in order. `old` and `new` are lengths."""
    found: list[Pair] = []
    i = j = 0
    for at, other in [*pairs, (old, new)]:
        if i < at and j < other and (at - i) * (other - j) <= _LARGEST_PASSAGE:
            found += _in_order(range(i, at), range(j, other), alike)
        if at < old:
            found.append((at, other))
        i, j = at + 1, other + 1
    return found


def _in_order(old: range, new: range, alike: Callable[[int, int], bool]) -> list[Pair]:
    """Alike items of a passage. Where as many are new as are gone, each is at the place of one;
    else a few are looked at for each. A passage that begins otherwise was rewritten.
    """
    found: list[Pair] = []
    looks = 1 if len(old) == len(new) else _LOOKS
    start, in_vain = old.start, 0
    for other in new:
        if looks == 1:
            start = old.start + other - new.start
        for at in range(start, min(start + looks, old.stop)):
            if alike(at, other):
                found.append((at, other))
                start, in_vain = at + 1, 0
                break
            in_vain += 1
        if in_vain >= _IN_VAIN:
            break
    return found
