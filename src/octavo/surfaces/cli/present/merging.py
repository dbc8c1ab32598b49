"""What became of a merge, for people."""

from __future__ import annotations

import os
import sys
from typing import Any

from octavo.render.figures import counted
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


def git_merge(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The text where it was asked for. A conflict is told beside it: programs read what git
    prints while it calls us.
    """
    if result.text is not None:
        out.write(result.text)
    if not result.conflicts:
        return
    err = Screen(sys.stderr, os.environ)
    if result.by_cell:
        conflicts = counted(result.conflicts, "conflict")
        err.print(f"{result.path}: {conflicts}, between cells with the tag octavo-conflict")
    else:
        err.print(f"{result.path}: merged as text, with conflicts")
