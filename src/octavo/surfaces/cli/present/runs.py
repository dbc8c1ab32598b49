"""Runs and lists of runs, for people."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from octavo.config import project_root
from octavo.records.result import RunResult
from octavo.render.summary import several, summary
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


def run_report(report: Any, asked: Asked, view: View, out: Screen) -> None:
    """How the runs of a command ended."""
    if hasattr(report, "jobs"):
        from octavo.surfaces.cli.present.jobs import detached

        detached(report, out)
        return
    if report.prepared:
        out.print(*report.prepared)
        return
    results: Sequence[RunResult] = report.results
    if asked.options.quiet:
        results = [result for result in results if not result.ok]
    paths = [view.states[result.run_id].path for result in results]
    cwd = os.getcwd()
    how: dict[str, Any] = {"style": out.style, "columns": out.columns, "cwd": cwd}
    how["project"] = project_root(cwd) or cwd
    if results and out.is_terminal and view.drawn:
        out.print("")
    if len(results) == 1:
        out.print(*summary(results[0], paths[0], **how))
    elif results:
        out.print(*several(results, paths, **how))
    if report.session:
        step = f"  held    octavo session from-run {report.results[0].run_id[-8:]}"
        out.print(out.style.paint(step, "dim"))


def listing(found: Any, asked: Asked, view: View, out: Screen) -> None:
    """Runs, one line each, and below them how long those of each notebook took."""
    from octavo.render.listing import run_lines
    from octavo.render.sparklines import duration_lines
    from octavo.surfaces.cli.pager import Pager

    if not found.runs:
        out.print("no runs match" if found.filtered else "no runs yet; octavo run notebook.py")
        return
    how: dict[str, Any] = {"style": out.style, "columns": out.columns, "cwd": os.getcwd()}
    lines = run_lines(found.runs, now=time.time(), value=found.sorted_by, **how)
    if found.more:
        lines.append(out.style.paint("more with --limit", "dim"))
    if taken := duration_lines(found.runs, **how):
        lines += ["", *taken]
    Pager(out, os.environ, wanted=not asked.options.no_pager).print(lines)
