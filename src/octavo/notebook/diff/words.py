"""Lines taken apart: which words of one line are in another."""

from __future__ import annotations

import re
from collections import Counter

from octavo.notebook.diff.pairing import equal_pairs

#: A number, a word, a run of blanks, or a sign.
_WORD = re.compile(r"\d+\.\d+|\w+|\s+|[^\w\s]")
#: Lines this alike are one line that was edited.
_LIKENESS = 0.7
#: Longer lines are compared as a whole: nobody looks for a word in them.
LONGEST_LINE = 2000

#: From where to where in the old line, and from where to where in the new one.
Edit = tuple[int, int, int, int]


def words(line: str) -> list[str]:
    """The words, blanks and signs of a line; together they are the line."""
    return _WORD.findall(line)


def edits(old: str, new: str, *, closely: bool = False) -> list[Edit]:
    """What changed between two lines, by words; `closely` by the characters at their ends too."""
    before, after = words(old), words(new)
    found: list[Edit] = []
    i = j = at = other = 0
    for one, two in [*equal_pairs(before, after), (len(before), len(after))]:
        if one > i or two > j:
            gone, come = sum(map(len, before[i:one])), sum(map(len, after[j:two]))
            found.append((at, at + gone, other, other + come))
            at, other = at + gone, other + come
        shared = len(before[one]) if one < len(before) else 0
        at, other = at + shared, other + shared
        i, j = one + 1, two + 1
    return [_closer(old, new, edit) for edit in found] if closely else found


def _closer(old: str, new: str, edit: Edit) -> Edit:
    """An edit without the characters that its two sides begin and end with."""
    start, end, new_start, new_end = edit
    while start < end and new_start < new_end and old[start] == new[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < end and new_start < new_end and old[end - 1] == new[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    return start, end, new_start, new_end


def alike(old: str, new: str) -> bool:
    """Whether one of two lines is the other one, edited."""
    both = len(old) + len(new)
    least = _LIKENESS * both
    if max(len(old), len(new)) > LONGEST_LINE or 2 * min(len(old), len(new)) <= least:
        return False
    if 2 * (Counter(old) & Counter(new)).total() <= least:
        return False
    changed = sum(end - start + new_end - new_start
                  for start, end, new_start, new_end in edits(old, new, closely=True))  # fmt: skip
    return both - changed > least
