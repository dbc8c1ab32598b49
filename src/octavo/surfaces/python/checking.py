"""A check from Python: of notebooks, or as part of what is told of one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from octavo.gate.check import check as operation
from octavo.gate.request import CheckRequest
from octavo.gate.verdicts import CheckReport
from octavo.render.check_words import failed_cells
from octavo.render.places import failed_place
from octavo.surfaces.python.steps import called


def check(
    *paths: str | os.PathLike[str],
    since: str | None = None,
    strict: bool = False,
    update: bool = False,
    no_cache: bool = False,
    no_lint: bool = False,
    require_records: bool = False,
    jobs: int = 0,
    tolerance: float | None = None,
    image_threshold: float | None = None,
    sanitize_with: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    cell_timeout: float | None = None,
    memory: int | None = None,
) -> CheckReport:
    """Run notebooks in clean kernels and judge them, as `octavo check` does.

    Without paths, those of the project around the current folder. Times are seconds, memory is in
    bytes; the rest is as the options of the command say. A notebook that fails is a verdict in
    the report; only a wrong call raises.
    """
    request = CheckRequest(
        paths=tuple(os.fspath(path) for path in paths),
        since=since,
        strict=strict,
        update=update,
        no_cache=no_cache,
        no_lint=no_lint,
        require_records=require_records,
        jobs=jobs,
        tolerance=tolerance,
        image_threshold=image_threshold,
        sanitize_with=None if sanitize_with is None else os.fspath(sanitize_with),
        timeout=timeout,
        cell_timeout=cell_timeout,
        memory=memory,
    )
    return called(operation, request)


def checked(valid: dict[str, Any], path: str) -> dict[str, Any]:
    """What is known of a notebook, with the verdicts of a check and what keeps it from passing."""
    report = check(path)
    problems = [*valid["problems"], *_problems(report)]
    verdicts = [each.to_json() for each in report.verdicts]
    return {**valid, "valid": report.passed, "problems": problems, "verdicts": verdicts}


def _problems(report: CheckReport) -> Iterator[dict[str, str]]:
    for verdict in report.verdicts:
        values = f" [{verdict.values}]" if verdict.values else ""
        failed = failed_cells(verdict)
        for cell in failed:
            place = failed_place(verdict.path, cell.index, cell.failed_line or cell.line) + values
            yield {"kind": "notebook-failed", "place": place, "message": cell.message}
        if not verdict.ok and not failed:
            yield {"kind": "notebook-failed", "place": verdict.label, "message": verdict.message}
