"""Changes of a text: by lines, and by characters within a line that was edited."""

from __future__ import annotations

from octavo.notebook.diff.entries import Diff, sequence, unchanged
from octavo.notebook.diff.pairing import equal_pairs, with_alike

#: Lines this alike are one line that was edited.
_LIKENESS = 0.7
#: Within longer lines nobody looks for single characters.
_LONGEST_LINE = 1000


def diff_texts(old: str, new: str) -> Diff:
    """The operations on lines, which are those of `str.splitlines`."""
    if old == new:
        return []
    before, after = old.splitlines(True), new.splitlines(True)
    pairs = with_alike(
        equal_pairs(before, after),
        len(before),
        len(after),
        lambda i, j: _alike(before[i], after[j]),
    )
    return sequence(before, after, pairs, lambda i, j: _diff_line(before[i], after[j]))


def _alike(old: str, new: str) -> bool:
    from difflib import SequenceMatcher

    if max(len(old), len(new)) > _LONGEST_LINE:
        return False
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return all(
        ratio() > _LIKENESS
        for ratio in (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio)
    )


def _diff_line(old: str, new: str) -> Diff:
    if old == new:
        return []
    return sequence(old, new, equal_pairs(old, new, exact=True), unchanged)
