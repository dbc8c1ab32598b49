"""`octavo read`: a notebook within a budget, for agents first; on a terminal with colours."""

from __future__ import annotations

import os
from typing import Any

from octavo.render.style import Style
from octavo.surfaces.cli.pager import Pager
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


def reading(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The text as it is; its lines that are ours are painted where there are colours."""
    lines = result.text.rstrip("\n").split("\n")
    if out.style.colour and hasattr(result, "view"):
        outline = result.view.name == "outline"
        lines = [_painted(line, at, outline, out.style) for at, line in enumerate(lines)]
    Pager(out, os.environ).print(lines)


def _painted(line: str, at: int, outline: bool, style: Style) -> str:
    if at == 0:
        name, colon, rest = line.partition(": ")
        return f"{style.paint(name, 'bold')}{colon}{rest}"
    if line.startswith(("… ", "left out: ", "octavo read ", "sha256 ")):
        return style.paint(line, "dim")
    if line.startswith("out error") or " ✗ " in line:
        return style.paint(line, "red")
    if outline:
        is_heading = line.lstrip()[:1].isdecimal()
        return style.paint(line, "bold") if is_heading else line
    return style.paint(line, "cyan") if line.startswith(("[", "out ")) else line
