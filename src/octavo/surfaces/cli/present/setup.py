"""What was set up."""

from __future__ import annotations

from typing import Any

from octavo.render.columns import one_line
from octavo.render.figures import counted
from octavo.render.tables import table
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


def warm(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """What is kept warm now."""
    if asked.request.stop:
        number = result.stopped
        out.print(
            f"ended {counted(number, 'process', 'processes')}" if number else "nothing was warm"
        )
    elif not result.host and not result.environments:
        out.print("nothing is warm")
    else:
        out.print("warm:", *(f"  {environment}" for environment in result.environments))


def completion(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The script as it is."""
    out.write(result.text)


def kernels(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """A table, and below it what is wrong with kernels that cannot be used."""
    style = out.style
    good = [row for row in result.kernels if row.problem is None]
    rows = [
        (
            style.paint(row.name, "cyan"),
            row.language or "?",
            row.engine,
            row.serves,
            _about(row),
        )
        for row in good
    ]
    out.print(*table(rows, head=("kernel", "language", "engine", "for", ""), style=style))
    for row in result.kernels:
        if row.problem is not None:
            out.print(f"{style.sign('failed')} {row.name}: {row.problem} ({row.folder})")


def _about(row: Any) -> str:
    name = one_line(row.display_name, 50)
    return f"{name} (takes no parameters)" if row.parameters is False else name
