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
from octavo.surfaces.cli.pager import Pager
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen

PROTOCOLS = ("kitty", "iterm", "sixel")


def shown(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """Draw the cells; above those of a run, what became of it.

    A pager cannot show the images of graphics protocols: what is paged has them as blocks.
    """
    how = images_for(asked.options.images, out, os.environ)
    drawn_for_pager = asked.options.images == "auto" and how in PROTOCOLS
    in_pager = images_in_pager(os.environ) if drawn_for_pager else how
    wanted = not asked.options.no_pager and in_pager not in PROTOCOLS
    pager = Pager(out, os.environ, wanted=wanted)
    lines = _lines(result, asked, out, in_pager)
    if how != in_pager and not pager.takes(lines):
        lines = _lines(result, asked, out, how)
    pager.print(lines)


def _lines(result: Any, asked: Asked, out: Screen, images: How) -> list[str]:
    columns, full = out.columns, asked.options.full
    head: list[str] = []
    if result.run is not None:
        path = near_path(result.path, os.getcwd()) if result.path else "?"
        when = ago(time.time() - result.run.started)
        head = run_head(result.run, path, result.message, when, style=out.style, columns=columns)
    drawer = NotebookDrawer(out.style, columns, result.language, images, full=full)
    cells = drawer.lines(result.cells)
    if not cells:
        cells = ["no cell failed" if asked.request.errors else "there are no cells"]
    return [*head, *cells]


def images_for(wanted: str, out: Screen, environ: Mapping[str, str]) -> How:
    """How images are drawn: as asked for, else as the terminal says that it can."""
    if wanted != "auto":
        return cast("How", wanted)
    if not out.style.colour or not out.style.unicode:
        return "none"
    return _told_by(environ) if out.is_terminal else "blocks"


def images_in_pager(environ: Mapping[str, str]) -> How:
    """How images are drawn where no graphics protocol will do."""
    return "blocks" if environ.get("COLORTERM") in ("truecolor", "24bit") else "blocks-256"


def _told_by(environ: Mapping[str, str]) -> How:
    term, program = environ.get("TERM", ""), environ.get("TERM_PROGRAM", "")
    blocks = images_in_pager(environ)
    if environ.get("TMUX") or term.startswith(("screen", "tmux")):
        return blocks
    if "kitty" in term or program == "ghostty" or "KITTY_WINDOW_ID" in environ:
        return "kitty"
    if program in ("iTerm.app", "WezTerm", "mintty") or environ.get("LC_TERMINAL") == "iTerm2":
        return "iterm"
    if "sixel" in term or term.startswith(("foot", "mlterm", "contour")):
        return "sixel"
    return blocks
