"""What is exported: a document with outputs, and what is known of the run that made them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from octavo.authoring.documents import document_of
from octavo.authoring.exporting.request import ExportContext
from octavo.errors import OctavoError
from octavo.notebook import formats
from octavo.records.executed_file import executed_document
from octavo.records.outline import outline_of
from octavo.records.reading import notebook_at
from octavo.records.run_dir import RunDir
from octavo.records.times import from_iso
from octavo.records.tracebacks import located
from octavo.render.page.about import About, about_run
from octavo.runs.looking.listing import found, readable
from octavo.runs.looking.show import Shown, ShowRequest, file_meant, shown_run
from octavo.sources import read_source
from octavo.value import Value

Json = Mapping[str, Any]
UNREDACTED = "taken as the file has it: nothing was redacted"
GOES_ON = "the run goes on, this is what there is so far"


class Material(Value):
    """A document (nbformat 4.5). `path` is the author's file, `name` that without its suffix.

    `executed` is the notebook that a run has left, if it is a run that came to its end.
    """

    what: str
    path: str
    name: str
    document: Json
    about: About
    run_id: str = ""
    notes: tuple[str, ...] = ()
    executed: str = ""


def material(what: str, context: ExportContext) -> Material:
    """The run or the notebook that a person means."""
    path = file_meant(what, context)
    return _of_file(what, path, context) if path is not None else _of_run(what, context)


def _of_run(what: str, context: ExportContext) -> Material:
    run = found(what, context)
    row = readable(run)
    path = row.notebook or str(run.notebook_path)
    shown_path = _shown_path(path, context)
    if row.status == "running":
        shown = shown_run(run, ShowRequest())
        about = _about_running(shown, shown_path)
        document = _document_so_far(shown)
        return Material(what, path, _name(path), document, about, run.run_id, (GOES_ON,))
    about = about_run(run.record(), shown_path)
    document = _located(executed_document(run), run)
    executed = str(run.notebook_path)
    return Material(what, path, _name(path), document, about, run.run_id, (), executed)


def _located(document: Json, run: RunDir) -> Json:
    """The notebook with tracebacks that name the lines of the author's file."""
    errors = [
        (at, output)
        for at, cell in enumerate(document.get("cells", ()))
        for output in cell.get("outputs", ())
        if output.get("output_type") == "error"
    ]
    if not errors or not run.journal_path.is_file():
        return document
    fold = outline_of(run.journal_path).run
    for at, output in errors:
        lines = tuple(map(str, output.get("traceback", ())))
        output["traceback"] = list(located(lines, fold, at))
    return document


def _of_file(what: str, path: str, context: ExportContext) -> Material:
    source = read_source(os.path.normpath(path))
    document = document_of(source)
    about = _about_file(document, _shown_path(source.path, context), source.path)
    has_outputs = any(cell.get("outputs") for cell in document["cells"])
    notes = (UNREDACTED,) if has_outputs else ()
    return Material(what, source.path, _name(source.path), document, about, notes=notes)


def _name(path: str) -> str:
    """The name of a file without the suffix of a notebook."""
    name = os.path.basename(path)
    suffix = formats.suffix_of(name) if formats.is_notebook_name(name) else ""
    return (name.removesuffix(suffix) if suffix else name) or "notebook"


def _shown_path(path: str, context: ExportContext) -> str:
    """A path within the project; of others the name alone: pages travel, home folders need not."""
    if "://" in path:
        return path
    relative = os.path.relpath(path, context.project)
    return os.path.basename(path) if relative.startswith("..") else relative


def _about_file(document: Json, shown_path: str, path: str) -> About:
    """What Papermill or a run of ours has left in the metadata of a notebook."""
    metadata = document.get("metadata") or {}
    ours, theirs = (_mapping(metadata.get(name)) for name in ("octavo", "papermill"))
    about = About(path=shown_path)
    if not theirs and "run_id" not in ours:
        return about
    failed = theirs.get("exception") is True
    status = ours.get("status") if "run_id" in ours else "error" if failed else "success"
    return about.replace(
        status=str(status or ""),
        reason=ours.get("reason"),
        started=_moment(theirs.get("start_time")),
        duration_seconds=_number(theirs.get("duration")),
        run_id=str(ours.get("run_id") or ""),
        parameters=_mapping(theirs.get("parameters")),
        defaults=_mapping(theirs.get("default_parameters")),
        scraps=_scraps(path),
    )


def _scraps(path: str) -> Json:
    try:
        return notebook_at(path, light=True).scraps.summaries()
    except OctavoError:
        return {}


def _moment(text: Any) -> float | None:
    try:
        return from_iso(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _number(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number else None


def _mapping(value: Any) -> Json:
    return value if isinstance(value, Mapping) else {}


def _about_running(shown: Shown, path: str) -> About:
    row = shown.run
    if row is None:
        return About(path=path, status="running")
    return About(
        path=path,
        status="running",
        started=row.started,
        run_id=row.run_id,
        parameters=row.parameters,
        defaults=row.defaults,
        scraps=row.scraps,
    )


def _document_so_far(shown: Shown) -> Json:
    """The notebook of a run that goes on, from its journal."""
    run_id = shown.run.run_id if shown.run else ""
    cells = []
    for at, cell in enumerate(shown.cells):
        plain: dict[str, Any] = {
            "cell_type": cell.kind,
            "id": f"octavo-cell-{at}",
            "metadata": {**cell.metadata, "octavo": {"status": cell.status}},
            "source": cell.source,
        }
        if cell.kind == "code":
            plain |= {"outputs": list(cell.outputs), "execution_count": None}
        cells.append(plain)
    metadata = {"kernelspec": _spec(shown.language), "octavo": {"run_id": run_id}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _spec(language: str) -> dict[str, str]:
    name = "python3" if language == "python" else language
    return {"name": name, "display_name": name, "language": language}
