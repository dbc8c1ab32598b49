"""The files that a check leaves when it is asked to: JUnit, SARIF, Markdown, JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from octavo.authoring.files import replace_file, unwritable
from octavo.errors import UsageError
from octavo.gate.request import CheckRequest
from octavo.gate.verdicts import CheckReport


def refuse_unwritable(request: CheckRequest, cwd: str) -> None:
    """UsageError for a report that could not be written, before anything is run."""
    for option, path in _wanted(request, cwd):
        if path.is_dir() or not path.parent.is_dir():
            what = "is a folder" if path.is_dir() else "is in a folder that is not there"
            raise UsageError(
                "output-unwritable",
                f"{option}: the file {what}",
                place=str(path),
                hint=f"mkdir -p {path.parent}" if not path.is_dir() else "name a file",
            )


def _wanted(request: CheckRequest, cwd: str) -> Iterator[tuple[str, Path]]:
    for name in ("junit", "sarif", "markdown", "report"):
        value = getattr(request, name)
        if value is not None:
            yield f"--{name}", Path(os.path.join(cwd, value))


def write_reports(report: CheckReport, request: CheckRequest, cwd: str) -> None:
    """Every report that was asked for. Markdown is added to what its file holds: a step summary
    may have more than one author.
    """
    for option, path in _wanted(request, cwd):
        text = _text(report, option)
        if option == "--markdown":
            _append(path, text)
        else:
            replace_file(path, text.encode("utf-8"))


def _text(report: CheckReport, option: str) -> str:
    if option == "--junit":
        from octavo.gate.reports.junit import junit

        return junit(report)
    if option == "--sarif":
        from octavo.gate.reports.sarif import sarif

        return sarif(report)
    if option == "--markdown":
        from octavo.gate.reports.markdown import markdown

        return markdown(report)
    return json.dumps(report.to_json(), indent=1, default=str) + "\n"


def _append(path: Path, text: str) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{text.rstrip()}\n")
    except OSError as error:
        raise unwritable(error, path) from error
