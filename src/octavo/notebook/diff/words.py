"""Lines taken apart: which words of one line are in another."""

from __future__ import annotations

import re

from octavo.notebook.diff.pairing import Pair, equal_pairs

#: A number, a word, a run of blanks, or a sign.
_WORD = re.compile(r"\d+\.\d+|\w+|\s+|[^\w\s]")
#: Lines this alike are one line that was edited.
_LIKENESS = 0.7
#: Lines that share less of their words are not looked at more closely.
_HOPELESS = 0.3
#: Longer lines are compared as a whole: nobody looks for a word in them.
LONGEST_LINE = 2000

#: From where to where in the old line, and from where to where in the new one.
Edit = tuple[int, int, int, int]


def words(line: str) -> list[str]:
    """The words, blanks and signs of a line; together they are the line."""
    return _WORD.findall(line)


def edits(old: str, new: str, *, closely: bool = False) -> list[Edit]:
    """What changed between two lines, by words; `closely` by the characters at their ends too."""
    found = _edits(words(old), words(new))
    return [_closer(old, new, edit) for edit in found] if closely else found


def _edits(old: list[str], new: list[str]) -> list[Edit]:
    found: list[Edit] = []
    i = j = at = other = 0
    for one, two in [*_word_pairs(old, new), (len(old), len(new))]:
        if one > i or two > j:
            gone, come = sum(map(len, old[i:one])), sum(map(len, new[j:two]))
            found.append((at, at + gone, other, other + come))
            at, other = at + gone, other + come
        shared = len(old[one]) if one < len(old) else 0
        at, other = at + shared, other + shared
        i, j = one + 1, two + 1
    return found


def _word_pairs(old: list[str], new: list[str]) -> list[Pair]:
    """Words that are in both lines. Mostly some are replaced, and all others keep their places."""
    if len(old) == len(new):
        in_place = [(at, at) for at, word in enumerate(old) if word == new[at]]
        if 3 * len(in_place) > 2 * len(old):
            return in_place
    return equal_pairs(old, new)


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
    before, after = words(old), words(new)
    shared = {*before}.intersection(after)
    known = 2 * sum(map(len, filter(shared.__contains__, before)))
    if known < _HOPELESS * both and not _share_an_end(old, new):
        return False
    changed = sum(end - start + new_end - new_start
                  for start, end, new_start, new_end
                  in (_closer(old, new, edit) for edit in _edits(before, after)))  # fmt: skip
    return both - changed > least


def _share_an_end(old: str, new: str) -> bool:
    """Whether two lines begin or end alike, if only in the middle of a word."""
    half = min(len(old), len(new)) // 2
    return old[:half] == new[:half] or old[-half:] == new[-half:]
