"""What changed between two notebooks, in nbdime's format, and how to apply it.

    changes = diff(before, after)
    assert patch(before, changes) == after

Both take nbformat dictionaries, with texts joined as they are in memory. nbdime shows, merges and
applies what `diff` gives, and `patch` applies what nbdime gives. `changes` tells the same by cell,
for people.
"""

from __future__ import annotations

from octavo.notebook.diff.cells import PARTS, diff
from octavo.notebook.diff.changes import CellChange, Changes, changes
from octavo.notebook.diff.entries import Diff, Entry
from octavo.notebook.diff.patching import patch

__all__ = ["PARTS", "CellChange", "Changes", "Diff", "Entry", "changes", "diff", "patch"]
