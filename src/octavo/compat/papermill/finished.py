"""From the record of a run to what `execute_notebook` gives back, writes and raises."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from octavo.compat.papermill.error_cells import mark, raised_in
from octavo.compat.papermill.outcome import raise_unless_cells_ran
from octavo.compat.papermill.reading import Given
from octavo.errors import InfrastructureError
from octavo.notebook.formats import ipynb
from octavo.records.publish import write_output
from octavo.runs.operation import RunReport


def finished_notebook(report: RunReport, given: Given) -> Any:
    """The executed notebook as a NotebookNode, written where the caller wants it."""
    text = report.text if report.prepared else _text_of(report)
    document = ipynb.parse(text, str(given.name))
    _as_papermill_tells(document, given)
    error = raised_in(document)
    if error is not None:
        mark(document, error)
    _write(document, given.output)
    if report.results:
        raise_unless_cells_ran(report.results[0])
    if error is not None:
        raise error
    return _node(document)


def _text_of(report: RunReport) -> str:
    run = Path(report.results[0].record_path).parent
    return (run / "notebook.ipynb").read_text(encoding="utf-8")


def _as_papermill_tells(document: dict[str, Any], given: Given) -> None:
    """Paths as the caller wrote them; tags on every cell, and no doubt about those that ran."""
    facts = document["metadata"].setdefault("papermill", {})
    facts["input_path"], facts["output_path"] = given.name, given.output
    facts.setdefault("parameters", dict(given.parameters))
    for cell in document["cells"]:
        cell["metadata"].setdefault("tags", [])
        told = cell["metadata"].get("papermill", {})
        if told.get("status") == "completed":
            told["exception"] = bool(told["exception"])


def _write(document: dict[str, Any], output: str | None) -> None:
    if output is None:
        return
    text = ipynb.dumps(document)
    if output == "-":
        sys.stdout.write(text)
    else:
        write_output(output, ipynb.encode(text))


def _node(document: dict[str, Any]) -> Any:
    try:
        from nbformat import from_dict
    except ImportError as error:
        raise InfrastructureError(
            "extra-missing",
            "nbformat is not installed, and it is what Papermill's callers get back",
            hint="pip install 'octavo[notebooks]'",
        ) from error
    return from_dict(document)
