"""What `octavo --help` prints, from the table alone: nothing that it names is loaded."""

from __future__ import annotations

from octavo.surfaces.cli.commands import COMMANDS

HEAD = """\
Octavo runs notebooks and keeps a record of every run that tells the truth.

usage: octavo COMMAND [options]
"""
TAIL = """
octavo COMMAND --help tells more. Every command takes --json.
Exit codes: 0 success, 1 the notebook failed, 2 wrong use, 3 infrastructure, 130 interrupted.
"""


def overview() -> str:
    """The commands, one line each, under their headings."""
    shown = [entry for entry in COMMANDS if not entry.hidden]
    width = max(len(entry.name) for entry in shown)
    groups = dict.fromkeys(entry.group for entry in shown)
    text = HEAD
    for group in groups:
        lines = [f"  {e.name:<{width}}  {e.help}\n" for e in shown if e.group == group]
        text += f"\n{group}:\n" + "".join(lines)
    return text + TAIL
