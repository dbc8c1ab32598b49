"""What is in a session, for people."""

from __future__ import annotations

from octavo.render.columns import plain
from octavo.render.figures import counted
from octavo.render.variables import listing_lines, package_lines, preview_lines
from octavo.sessions.looking import Preview, Variables
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


def listed(result: Variables, asked: Asked, view: View, out: Screen) -> None:
    """The variables, or the packages."""
    style = out.style
    noun = "package" if asked.request.packages else "variable"
    lines = (
        package_lines(result.packages, style)
        if asked.request.packages
        else listing_lines(result.variables, out.columns, style)
    )
    out.print(*(lines or [f"no {noun}s"]))
    if result.omitted:
        out.print(style.paint(f"{counted(result.omitted, noun)} more: --limit", "dim"))
    _notes(result.notes, out)


def previewed(result: Preview, asked: Asked, view: View, out: Screen) -> None:
    """One variable in part."""
    out.print(*preview_lines(result.shown, out.columns, out.style))
    _notes(result.notes, out)


def _notes(notes: tuple[str, ...], out: Screen) -> None:
    for note in notes:
        out.print(out.style.paint(f"  {plain(note)}", "dim"))
