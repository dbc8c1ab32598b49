"""A check from Python, as part of what is told of a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from octavo.gate.check import check
from octavo.gate.request import CheckRequest
from octavo.gate.verdicts import CheckReport
from octavo.render.check_words import failed_cells
from octavo.render.places import failed_place
from octavo.surfaces.python.steps import called


def checked(valid: dict[str, Any], path: str) -> dict[str, Any]:
    """What is known of a notebook, with the verdicts of a check and what keeps it from passing."""
    report = called(check, CheckRequest(paths=(path,)))
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
