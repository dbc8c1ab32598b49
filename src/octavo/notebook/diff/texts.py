"""Changes of a text: by lines, and by characters within a line that was edited."""

from __future__ import annotations

from octavo.notebook.diff.entries import Diff, Entry, sequence
from octavo.notebook.diff.pairing import Pair, equal_pairs, with_alike
from octavo.notebook.diff.words import LIKENESS, alike, edits


def diff_texts(old: str, new: str) -> Diff:
    """The operations on lines, which are those of `str.splitlines`."""
    if old == new:
        return []
    before, after = old.splitlines(True), new.splitlines(True)
    pairs = line_pairs(before, after)
    return sequence(before, after, pairs, lambda i, j: _diff_line(before[i], after[j]))


def line_pairs(old: list[str], new: list[str], likeness: float = LIKENESS) -> list[Pair]:
    """Lines that are equal, or one of which is the other, edited."""
    equal = equal_pairs(old, new)
    return with_alike(equal, len(old), len(new), lambda i, j: alike(old[i], new[j], likeness))


def _diff_line(old: str, new: str) -> Diff:
    if old == new:
        return []
    found: Diff = []
    for start, end, new_start, new_end in edits(old, new, closely=True):
        if new_end > new_start:
            found.append(Entry(op="addrange", key=start, valuelist=new[new_start:new_end]))
        if end > start:
            found.append(Entry(op="removerange", key=start, length=end - start))
    return found
