"""What changed between two notebooks, in nbdime's format, and how to apply it.

    changes = diff(before, after)
    assert patch(before, changes) == after

Both take nbformat dictionaries, with texts joined as they are in memory. nbdime shows, merges and
applies what `diff` gives, and `patch` applies what nbdime gives.
"""

from __future__ import annotations

from octavo.notebook.diff.cells import diff
from octavo.notebook.diff.entries import Diff, Entry
from octavo.notebook.diff.patching import patch

__all__ = ["Diff", "Entry", "diff", "patch"]
