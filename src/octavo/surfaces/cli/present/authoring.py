"""What notebooks are and what became of their files, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from octavo.render.columns import one_line
from octavo.render.figures import counted
from octavo.render.style import Style
from octavo.render.syncing import sync_lines
from octavo.render.tables import table
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen

HEAD = ("parameter", "type", "default", "")
HANDED_OUT = ("hands out", "type", "bounds", "")


def inspect(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The facts of a notebook in a line, then its parameters and its scraps in tables."""
    style = out.style
    cells = ", ".join(counted(n, f"{kind} cell") for kind, n in result.cells.items() if n)
    title = f"  {result.title}" if result.title else ""
    out.print(f"{style.paint(result.path, 'bold')}{title}")
    out.print(style.paint(f"{result.language}, {cells or 'no cells'}", "dim"))
    taken = _table(result.table(), HEAD, style)
    out.print("", *(taken or ["it takes no parameters"]))
    if handed_out := _table(result.handout_table(), HANDED_OUT, style):
        out.print("", *handed_out)
    for problem in result.problems:
        out.print(f"{style.sign('failed')} {problem.place}: {problem.message}")


def _table(
    rows: Sequence[tuple[str, str, str, str]], head: tuple[str, ...], style: Style
) -> list[str]:
    shown = [
        (style.paint(one_line(name, 40), "cyan"), one_line(kind, 40), one_line(third, 40), help)
        for name, kind, third, help in rows
    ]
    return table(shown, head=head, style=style)


def sync(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """What became of each pair; while watching that has been shown already."""
    if asked.request.watch and not asked.request.check:
        return
    lines = sync_lines(result.files, checked=result.checked, style=out.style)
    out.print(*(lines or ["there is nothing to sync"]))
    if result.checked and not result.in_step:
        out.print("  octavo sync brings them into step")


def convert(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The new text, or where it was written."""
    if result.text is not None:
        out.write(result.text)
        return
    left_out = f", without {' and '.join(result.left_out)}" if result.left_out else ""
    out.print(f"{out.style.sign('success')} {result.output}{left_out}")
