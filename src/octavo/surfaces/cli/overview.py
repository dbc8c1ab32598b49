"""What `octavo --help` prints, from the table alone: nothing that it names is loaded."""

from __future__ import annotations

from octavo.surfaces.cli.commands import COMMANDS, FAMILIES, family

HEAD = """\
Octavo runs notebooks and keeps a record of every run that tells the truth.

usage: octavo COMMAND [options]
"""
TAIL = """
octavo COMMAND --help tells more. Every command takes --json.
Exit codes: 0 success, 1 the notebook failed, 2 wrong use, 3 infrastructure, 130 interrupted.
"""


def overview() -> str:
    """The commands, one line each, under their headings; a family has one line."""
    told = _lines()
    width = max(len(name) for _, name, _ in told)
    text = HEAD
    for group in dict.fromkeys(group for group, _, _ in told):
        lines = [f"  {name:<{width}}  {help}\n" for of, name, help in told if of == group]
        text += f"\n{group}:\n" + "".join(lines)
    return text + TAIL


def of_family(name: str) -> str:
    """The commands of one family."""
    entries = family(name)
    width = max(len(entry.name) for entry in entries)
    lines = [f"  {entry.name:<{width}}  {entry.help}\n" for entry in entries]
    about = FAMILIES[name]
    head = f"usage: octavo {name} COMMAND [options]\n\n{about[0].upper()}{about[1:]}.\n\n"
    return head + "".join(lines) + f"\noctavo {name} COMMAND --help tells more.\n"


def _lines() -> list[tuple[str, str, str]]:
    """Group, name and help of every command and family that people call."""
    shown = [entry for entry in COMMANDS if not entry.hidden]
    told = {
        entry.family or entry.name: (entry.group, FAMILIES.get(entry.family) or entry.help)
        for entry in shown
    }
    return [(group, name, help) for name, (group, help) in told.items()]
