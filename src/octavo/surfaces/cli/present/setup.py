"""What was set up."""

from __future__ import annotations

from typing import Any

from octavo.render.figures import counted
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
