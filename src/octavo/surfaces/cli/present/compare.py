"""`octavo compare`: two runs side by side."""

from __future__ import annotations

import os
import time
from typing import Any

from octavo.render.compare import ComparisonDrawer
from octavo.surfaces.cli.pager import Pager
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


def comparison(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """What differs, section by section."""
    drawer = ComparisonDrawer(
        out.style, out.columns, now=time.time(), cwd=os.getcwd(), full=asked.options.full
    )
    pager = Pager(out, os.environ, wanted=not asked.options.no_pager)
    pager.print(drawer.lines(result))
