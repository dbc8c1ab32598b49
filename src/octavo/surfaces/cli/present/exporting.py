"""What was exported, for people."""

from __future__ import annotations

from typing import Any

from octavo.render.columns import plain
from octavo.render.figures import counted, size_text
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


def exported(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The text itself where that was asked for, else a line for each file."""
    for file in result.files:
        if file.text is not None:
            out.write(file.text)
            return
    for file in result.files:
        figures = f", {counted(len(file.figures), 'image')} beside it" if file.figures else ""
        about = out.style.paint(f"{size_text(file.size)}{figures}", "dim")
        out.print(f"{out.style.sign('success')} {plain(file.output)}  {about}")
        for note in file.notes:
            out.print(out.style.paint(f"  {plain(note)}", "dim"))
