"""Checks and what was announced of them, for people."""

from __future__ import annotations

import os
from typing import Any

from octavo.config import project_root
from octavo.render.checks import CheckView
from octavo.render.columns import one_line
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


_TOLD = {
    "made": "commented on",
    "edited": "brought the comment up to date on",
    "unchanged": "the comment is up to date on",
    "outdated": "left the comment of a newer commit alone on",
}


def announced(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The status that was set, and what became of the comment."""
    sign, status = out.style.sign("success"), result.status
    at = out.style.paint(f"at {result.commit[:10]}", "dim")
    out.print(f"{sign} {status.context}: {status.state}, {one_line(status.description, 200)} {at}")
    if result.number is None:
        if status.state != "pending":
            out.print(out.style.paint("  there is no proposal to comment on", "dim"))
        return
    out.print(f"{sign} {_TOLD[result.what]} #{result.number}")
    if result.comment is not None and result.comment.url:
        out.print(f"  {result.comment.url}")
