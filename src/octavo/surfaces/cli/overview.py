"""What `octavo --help` prints, from the table alone."""

from __future__ import annotations

from octavo.app.table import OPERATIONS

HEAD = """\
Octavo runs notebooks and keeps a record of every run that tells the truth.

usage: octavo COMMAND [options]

"""
TAIL = """
`octavo COMMAND --help` tells more; every command takes --json.
Exit codes: 0 success, 1 the notebook failed, 2 wrong use, 3 infrastructure, 130 interrupted.
"""


def overview() -> str:
    """The commands, one line each."""
    width = max(len(entry.name) for entry in OPERATIONS)
    lines = [f"  {entry.name:<{width}}  {entry.help}\n" for entry in OPERATIONS]
    return HEAD + "".join(lines) + TAIL
