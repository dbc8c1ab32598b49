"""Lines taken apart: which words of one line are in another."""

from __future__ import annotations

import re
from functools import lru_cache

from octavo.notebook.diff.pairing import Pair, equal_pairs

#: A number, a word, a run of blanks, or a sign.
_WORD = re.compile(r"\d+\.\d+|\w+|\s+|[^\w\s]")
#: Lines this alike are one line that was edited.
LIKENESS = 0.7
#: Lines that share less of their words are not looked at more closely.
_HOPELESS = 0.3
#: Of longer lines only the ends are compared: nobody looks for a word in them.
LONGEST_LINE = 2000

#: So far two texts are compared character by character.
_NEAR = 16

#: From where to where in the old line, and from where to where in the new one.
Edit = tuple[int, int, int, int]
Words = tuple[str, ...]


def words(line: str) -> list[str]:
    """The words, blanks and signs of a line; together they are the line."""
    return [*_words(line)]


@lru_cache(64)
def _words(line: str) -> tuple[str, ...]:
    # A line that is alike is taken apart again at once, to find what changed in it.
    return tuple(_WORD.findall(line))


def edits(old: str, new: str, *, closely: bool = False) -> list[Edit]:
    """What changed between two lines, by words; `closely` by the characters at their ends too."""
    if max(len(old), len(new)) > LONGEST_LINE:
        return [_closer(old, new, (0, len(old), 0, len(new)))]
    found = _edits(_words(old), _words(new))
    return [_closer(old, new, edit) for edit in found] if closely else found


def _edits(old: Words, new: Words) -> list[Edit]:
    found: list[Edit] = []
    i = j = at = other = 0
    for one, two in _word_pairs(old, new):
        if one > i or two > j:
            gone, come = len("".join(old[i:one])), len("".join(new[j:two]))
            found.append((at, at + gone, other, other + come))
            at, other = at + gone, other + come
        shared = len(old[one])
        at, other = at + shared, other + shared
        i, j = one + 1, two + 1
    if i < len(old) or j < len(new):
        gone, come = len("".join(old[i:])), len("".join(new[j:]))
        found.append((at, at + gone, other, other + come))
    return found


def _word_pairs(old: Words, new: Words) -> list[Pair]:
    """Words that are in both lines."""
    in_place = _in_place(old, new)
    return equal_pairs(old, new) if in_place is None else in_place


def _in_place(old: Words, new: Words) -> list[Pair] | None:
    """Mostly some words are replaced, and all others keep their places; None where they do not."""
    if len(old) != len(new):
        return None
    pairs = [(at, at) for at, word in enumerate(old) if word == new[at]]
    return pairs if 3 * len(pairs) > 2 * len(old) else None


def _closer(old: str, new: str, edit: Edit) -> Edit:
    """An edit without the characters that its two sides begin and end with."""
    start, end, new_start, new_end = edit
    one, other = old[start:end], new[new_start:new_end]
    front = _shared_front(one, other)
    back = _shared_back(one[front:], other[front:])
    return start + front, end - back, new_start + front, new_end - back


def _shared_front(old: str, new: str) -> int:
    """How many characters two texts begin with alike; of long ones halves are compared."""
    most = min(len(old), len(new))
    least = min(most, _NEAR)
    for at in range(least):
        if old[at] != new[at]:
            return at
    while least < most:
        middle = (least + most + 1) // 2
        if old[least:middle] == new[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def _shared_back(old: str, new: str) -> int:
    """How many characters two texts end with alike."""
    most = min(len(old), len(new))
    least = min(most, _NEAR)
    for at in range(1, least + 1):
        if old[-at] != new[-at]:
            return at - 1
    while least < most:
        middle = (least + most + 1) // 2
        if old[len(old) - middle : len(old) - least] == new[len(new) - middle : len(new) - least]:
            least = middle
        else:
            most = middle - 1
    return least


def alike(old: str, new: str, likeness: float = LIKENESS) -> bool:
    """Whether one of two lines is the other one, edited."""
    both = len(old) + len(new)
    least = likeness * both
    if 2 * min(len(old), len(new)) <= least:
        return False
    if max(len(old), len(new)) > LONGEST_LINE:
        return 2 * _shared_ends(old, new) > least
    before, after = _words(old), _words(new)
    pairs = _in_place(before, after)
    if pairs is None:
        if _share_little(before, after, both) and not _share_an_end(old, new):
            return False
        pairs = equal_pairs(before, after)
    kept = 2 * len("".join([before[at] for at, _ in pairs]))
    return kept > least or kept + 2 * _shared_within(before, after, pairs) > least


def _share_little(old: Words, new: Words, both: int) -> bool:
    shared = {*old}.intersection(new)
    return 2 * len("".join(filter(shared.__contains__, old))) < _HOPELESS * both


def _shared_within(old: Words, new: Words, pairs: list[Pair]) -> int:
    """How many characters stay at the ends of the passages between equal words."""
    found = i = j = 0
    for one, two in pairs:
        if one > i and two > j:
            found += _shared_ends("".join(old[i:one]), "".join(new[j:two]))
        i, j = one + 1, two + 1
    return found + _shared_ends("".join(old[i:]), "".join(new[j:]))


def _shared_ends(old: str, new: str) -> int:
    front = _shared_front(old, new)
    return front + _shared_back(old[front:], new[front:])


def _share_an_end(old: str, new: str) -> bool:
    """Whether two lines begin or end alike, if only in the middle of a word."""
    half = min(len(old), len(new)) // 2
    return old[:half] == new[:half] or old[-half:] == new[-half:]
