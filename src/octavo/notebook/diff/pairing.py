"""Which items of two sequences belong together: equal ones first, then alike ones between them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

Pair = tuple[int, int]
#: Larger passages without anything equal are taken as rewritten.
_LARGEST_PASSAGE = 400


def equal_pairs(
    old: Sequence[Hashable], new: Sequence[Hashable], *, exact: bool = False
) -> list[Pair]:
    """Equal items in order. Unless `exact`, items that are everywhere are no landmarks, which
    keeps long sequences cheap.
    """
    from difflib import SequenceMatcher

    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    rest = shorter - start
    end = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
    old_end, new_end = len(old) - end, len(new) - end
    matcher = SequenceMatcher(None, old[start:old_end], new[start:new_end], autojunk=not exact)
    pairs = [(at, at) for at in range(start)]
    for block in matcher.get_matching_blocks():
        pairs += [(start + block.a + at, start + block.b + at) for at in range(block.size)]
    return pairs + [(old_end + at, new_end + at) for at in range(end)]


def with_alike(
    pairs: Sequence[Pair], old: int, new: int, alike: Callable[[int, int], bool]
) -> list[Pair]:
    """The pairs, and between them those that are alike, in order. `old` and `new` are lengths."""
    found: list[Pair] = []
    i = j = 0
    for at, other in [*pairs, (old, new)]:
        found += _in_order(range(i, at), range(j, other), alike)
        found += [(at, other)] if at < old else []
        i, j = at + 1, other + 1
    return found


def _in_order(old: range, new: range, alike: Callable[[int, int], bool]) -> list[Pair]:
    found: list[Pair] = []
    if len(old) * len(new) > _LARGEST_PASSAGE:
        return found
    start = 0
    for other in new:
        at = next((at for at in old[start:] if alike(at, other)), None)
        if at is not None:
            found.append((at, other))
            start = old.index(at) + 1
    return found
