"""What sessions leave behind, for people: notebooks saved or promoted, and differences."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.render.columns import plain
from octavo.render.states import difference_lines
from octavo.sessions.states import StatesDiff
from octavo.sessions.writing.promoting import Promoted
from octavo.sessions.writing.saving import Saved
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


def saved(result: Saved, asked: Asked, view: View, out: Screen) -> None:
    """Where the notebook is, and what is in it."""
    style = out.style
    what = f"{result.cells} cell{'s' * (result.cells != 1)}"
    if result.outputs:
        what += f", {result.outputs} with outputs"
    done = "saved" if result.changed else "is as it was"
    out.print(f"{style.sign('success')} {plain(result.path)} {done}  {style.paint(what, 'dim')}")
    below(result.notes, result.next, out)


def promoted(result: Promoted, asked: Asked, view: View, out: Screen) -> None:
    """Where the notebook is, what proves it, and what was left out."""
    style = out.style
    proof = style.paint(f"proved by run {result.run[-8:]}", "dim")
    out.print(f"{style.sign('success')} {plain(result.path)} written  {proof}")
    for name, values in (("parameters", result.parameters), ("scraps", result.scraps)):
        if values:
            out.print(f"  {name}: {plain(', '.join(values))}")
    for each in result.dropped:
        line = f"left out: cell {each['index']}, {each['why']}: {each['first_line']}"
        out.print(style.paint(f"  {plain(line)}", "dim"))
    below(result.notes, result.next, out)


def compared(result: StatesDiff, asked: Asked, view: View, out: Screen) -> None:
    """What differs, variable by variable."""
    out.print(*difference_lines(result.to_dict(), out.style))
    below(result.notes, "", out)


def below(notes: Sequence[str], following: str, out: Screen) -> None:
    """Notes, and the next step."""
    for note in (*notes, *([following] if following else ())):
        out.print(out.style.paint(f"  {plain(note)}", "dim"))
