"""Checks and what was announced of them, for people."""

from __future__ import annotations

import os
from typing import Any

from octavo.config import project_root
from octavo.render.checks import CheckView
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


def checked(report: Any, asked: Asked, view: View, out: Screen) -> None:
    """What failed first, then what passed; after it the annotations, where they are asked for."""
    cwd = os.getcwd()
    project = project_root(cwd) or cwd
    shown = CheckView(style=out.style, columns=out.columns, cwd=cwd, project=project)
    lines = shown.lines(report, quiet=asked.options.quiet)
    if lines:
        out.print(*lines)
    if getattr(asked.request, "annotations", False):
        from octavo.gate.reports.annotations import annotation_lines

        out.print(*annotation_lines(report))


def announced(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """Where the summary stands now, and which status was set."""
    sign = out.style.sign("success")
    if result.comment is not None:
        what = {"made": "commented on", "edited": "brought up to date on"}.get(result.what, "is on")
        out.print(f"{sign} the summary {what} #{result.number}" if result.what != "made"
                  else f"{sign} {what} #{result.number}")  # fmt: skip
        if result.comment.url:
            out.print(f"  {result.comment.url}")
    if result.status is not None:
        told = f"{result.status.context}: {result.status.state}, {result.status.description}"
        out.print(f"{sign} {told}")
