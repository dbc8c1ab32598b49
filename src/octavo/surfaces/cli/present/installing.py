"""What was written for other people's agents, for people."""

from __future__ import annotations

from typing import Any

from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen

#: A change of more lines is told only where nothing is made.
MOST_LINES = 14
_DONE = {"create": "created", "change": "changed", "delete": "removed"}


def installed(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """A line for each file; what changes in it, unless that is a whole page."""
    style = out.style
    for change in result.changes:
        if result.made:
            out.print(f"{style.sign('success')} {_DONE[change.what]} {change.name}")
        else:
            out.print(style.paint(f"{change.what} {change.name}", "bold"))
        lines = change.lines()
        if not result.made or len(lines) <= MOST_LINES:
            out.print(*(f"  {_painted(line, style)}" for line in lines))
    if not result.changes:
        nothing = "there is nothing to take back" if result.undone else "everything is there"
        out.print(nothing)
    for note in result.notes:
        out.print(f"{style.paint('note:', 'yellow')} {note}")
    if result.next:
        out.print(f"  {result.next}")


def page(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The page as it is."""
    out.print(result.text.removesuffix("\n"))


def _painted(line: str, style: Any) -> str:
    colour = {"+": "green", "-": "red"}.get(line[:1])
    return str(style.paint(line, colour) if colour else style.paint(line, "dim"))
