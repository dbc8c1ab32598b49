"""`octavo mcp` and `octavo serve`: what they say goes to their clients."""

from __future__ import annotations

from typing import Any

from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


def served(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """Nothing: standard output is the client's."""
