"""`octavo show`: a run or a notebook on the screen."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any, cast

from octavo.render.figures import ago
from octavo.render.images import How
from octavo.render.notebook import NotebookDrawer, run_head
from octavo.render.places import near_path
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


def shown(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """Draw the cells; above those of a run, what became of it."""
    columns = out.columns
    path = near_path(result.path, os.getcwd()) if result.path else "?"
    if result.run is not None:
        when = ago(time.time() - result.run.started)
        how: dict[str, Any] = {"style": out.style, "columns": columns}
        out.print(*run_head(result.run, path, result.message, when, **how))
    drawer = NotebookDrawer(
        out.style,
        columns,
        result.language,
        images_for(asked.options.images, out, os.environ),
        full=asked.options.full,
    )
    lines = drawer.lines(result.cells)
    if not lines:
        lines = ["no cell failed" if asked.request.errors else "there are no cells"]
    out.print(*lines)


def images_for(wanted: str, out: Screen, environ: Mapping[str, str]) -> How:
    """How images are drawn: as asked for, else as the terminal says that it can."""
    if wanted != "auto":
        return cast("How", wanted)
    if not out.style.colour or not out.style.unicode:
        return "none"
    return _told_by(environ) if out.is_terminal else "blocks"


def _told_by(environ: Mapping[str, str]) -> How:
    term, program = environ.get("TERM", ""), environ.get("TERM_PROGRAM", "")
    blocks: How = "blocks" if environ.get("COLORTERM") in ("truecolor", "24bit") else "blocks-256"
    if environ.get("TMUX") or term.startswith(("screen", "tmux")):
        return blocks
    if "kitty" in term or program == "ghostty" or "KITTY_WINDOW_ID" in environ:
        return "kitty"
    if program in ("iTerm.app", "WezTerm", "mintty") or environ.get("LC_TERMINAL") == "iTerm2":
        return "iterm"
    if "sixel" in term or term.startswith(("foot", "mlterm", "contour")):
        return "sixel"
    return blocks
