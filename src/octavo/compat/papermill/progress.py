"""A progress bar where there is a terminal to draw it on."""

from __future__ import annotations

import os
import sys

from octavo.runs.request import RunRequest
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


def progress(request: RunRequest, wanted: bool) -> View:
    """The view of a run; on anything but a terminal it shows nothing."""
    if not wanted or sys.stderr is None:
        return View()
    screen = Screen(sys.stderr, os.environ)
    if not screen.live:
        return View()
    from octavo.surfaces.cli.progress.live import LiveView

    return LiveView(screen, os.getcwd(), len(request.paths), lambda path: {})
