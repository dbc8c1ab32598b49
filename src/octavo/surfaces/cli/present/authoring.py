"""What notebooks are and what became of their files, for people."""

from __future__ import annotations

from typing import Any

from octavo.render.columns import one_line
from octavo.render.figures import counted
from octavo.render.tables import table
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen

HEAD = ("parameter", "type", "default", "")


def inspect(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The facts of a notebook in a line, then its parameters in a table."""
    style = out.style
    cells = ", ".join(counted(n, f"{kind} cell") for kind, n in result.cells.items() if n)
    title = f"  {result.title}" if result.title else ""
    out.print(f"{style.paint(result.path, 'bold')}{title}")
    out.print(style.paint(f"{result.language}, {cells or 'no cells'}", "dim"))
    rows = [
        (style.paint(name, "cyan"), one_line(kind, 40), one_line(default, 40), help)
        for name, kind, default, help in result.table()
    ]
    out.print("", *(table(rows, head=HEAD, style=style) or ["it takes no parameters"]))
    for problem in result.problems:
        out.print(f"{style.sign('failed')} {problem.place}: {problem.message}")
