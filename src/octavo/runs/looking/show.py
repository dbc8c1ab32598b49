"""The `show` operation: a run or a notebook, cell by cell, for whoever draws it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from octavo.errors import UsageError
from octavo.events.statuses import RunFold
from octavo.events.types import BoundCell, CellStatus
from octavo.notebook.formats import is_notebook_name
from octavo.notebook.model import Cell
from octavo.records.disk import cannot_read
from octavo.records.handles import Handle, handle_of, is_handle
from octavo.records.journal import JOURNAL_NAME
from octavo.records.outline import read_outline
from octavo.records.outputs import CellOutputs
from octavo.records.run_dir import RunDir
from octavo.records.tracebacks import located
from octavo.requests import Request, argument, option
from octavo.runs.context import RunContext
from octavo.runs.looking.listing import RunRow, found, readable
from octavo.sources import SourceFile, read_source
from octavo.value import EMPTY, Value

FAILED = ("failed", "timed-out", "interrupted", "kernel-died")


class ShowRequest(Request):
    """What to show, and which of its cells."""

    what: str = argument(
        "a run (its id or a part of it, `last`, its folder), a notebook file, or the handle of an "
        "output (3feb815f:4:0)",
        metavar="WHAT",
        default="last",
    )
    cells: tuple[str, ...] = option(
        "-c",
        "--cell",
        help="only this cell: its index, a range like 2-5, its name, or a tag",
        default=(),
        metavar="CELL",
    )
    errors: bool = option("-e", "--errors", help="only the cells that failed", default=False)


class ShownCell(Value):
    """A cell with its outputs as nbformat spells them.

    `index` is that of the author's file, None for an injected cell. Only code cells that were
    part of a run have a status.
    """

    index: int | None
    kind: str
    source: str
    metadata: Mapping[str, Any] = EMPTY
    outputs: Sequence[Mapping[str, Any]] = ()
    status: CellStatus | None = None
    duration_seconds: float | None = None
    why: str = ""
    line: int = 1

    def to_json(self) -> dict[str, Any]:
        return {**self.to_dict(), "outputs": list(self.outputs), "metadata": dict(self.metadata)}


class Shown(Value):
    """A notebook; `run` tells of the run it belongs to."""

    path: str | None
    language: str
    cells: tuple[ShownCell, ...]
    run: RunRow | None = None
    message: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "language": self.language,
            "run": self.run and self.run.to_json(),
            "message": self.message,
            "cells": [cell.to_json() for cell in self.cells],
        }


async def show(request: ShowRequest, context: RunContext) -> Shown:
    """The cells that were asked for, of a run or of a notebook file."""
    path = file_meant(request.what, context)
    if path is not None:
        return shown_file(path, request)
    if is_handle(request.what) and not os.path.exists(os.path.join(context.cwd, request.what)):
        return shown_output(handle_of(request.what), context)
    return shown_run(found(request.what, context), request)


def shown_output(handle: Handle, context: RunContext) -> Shown:
    """The cell of a run that a handle names, with the one output, or all of them."""
    shown = shown_run(found(handle.run, context), ShowRequest(handle.run))
    cell = shown.cells[handle.cell] if handle.cell < len(shown.cells) else None
    if cell is None or (handle.output is not None and handle.output >= len(cell.outputs)):
        what = f"cell {handle.cell}" if cell is None else f"output {handle.output}"
        hint = f"octavo show {handle.run}"
        raise UsageError("wrong-argument", f"the run has no {what}", place=str(handle), hint=hint)
    if handle.output is not None:
        cell = cell.replace(outputs=(cell.outputs[handle.output],))
    return shown.replace(cells=(cell,))


def file_meant(what: str, context: RunContext) -> str | None:
    """The path of the notebook file that is meant; None where a run is."""
    path = os.path.join(context.cwd, what)
    in_run = os.path.exists(os.path.join(os.path.dirname(path), JOURNAL_NAME))
    return path if is_notebook_name(what) and not in_run else None


def shown_run(run: RunDir, request: ShowRequest) -> Shown:
    """From the journal, so that a run that still goes on can be shown too.

    An archived run has none: its notebook and its record tell of it.
    """
    row = readable(run)
    if not run.journal_path.is_file() and run.notebook_path.is_file():
        return _without_journal(run, row, request)
    with _journal(run) as journal:
        outline = read_outline(journal)
        fold = outline.run
        if row.status != "running":
            fold.settle()
        outputs = CellOutputs(journal, outline, run.path)
        bound = fold.started.cells if fold.started else ()
        chosen = _chosen(request, bound, lambda at: bound[at].origin)
        cells = []
        for at in chosen:
            progress = fold.cells.get(at)
            if request.errors and (progress is None or progress.status not in FAILED):
                continue
            cell = _from_bound(bound[at], list(_located(outputs.of(at), fold, at)))
            if progress is not None:
                cell = _with_progress(cell, progress)
            cells.append(cell)
        metadata = fold.started.metadata if fold.started else {}
        message = fold.message if row.status != "running" else ""
    return Shown(row.notebook, _language(metadata), tuple(cells), row, message)


def _without_journal(run: RunDir, row: RunRow, request: ShowRequest) -> Shown:
    """The cells of the notebook, and what the record says of them."""
    record, source = run.record(), read_source(str(run.notebook_path))
    cells, outputs, told = source.notebook.cells, _saved_outputs(source), record.cells
    if len(told) != len(cells):
        return shown_file(str(run.notebook_path), request).replace(run=row)
    chosen = _chosen(request, cells, lambda at: told[at].origin)
    shown = [
        ShownCell(
            told[at].origin, cells[at].kind, cells[at].source, cells[at].metadata, outputs(at),
            told[at].status, told[at].duration_seconds, told[at].why, cells[at].line,
        )
        for at in chosen
        if not request.errors or told[at].status in FAILED
    ]  # fmt: skip
    return Shown(row.notebook, source.notebook.language, tuple(shown), row, record.message)


def _from_bound(cell: BoundCell, outputs: Sequence[Mapping[str, Any]]) -> ShownCell:
    return ShownCell(cell.origin, cell.kind, cell.source, cell.metadata, outputs, line=cell.line)


def _with_progress(cell: ShownCell, progress: Any) -> ShownCell:
    return cell.replace(
        status=progress.status, duration_seconds=progress.duration, why=progress.why
    )


def _located(
    outputs: Sequence[dict[str, Any]], fold: RunFold, cell: int
) -> Iterator[dict[str, Any]]:
    """Outputs of a cell whose tracebacks name the lines of the author's file."""
    for output in outputs:
        if output.get("output_type") == "error":
            traceback = located(tuple(output["traceback"]), fold, cell)
            output = {**output, "traceback": list(traceback)}
        yield output


def shown_file(path: str, request: ShowRequest) -> Shown:
    """A notebook file, with the outputs that it holds."""
    source = read_source(path)
    cells = source.notebook.cells
    outputs = _saved_outputs(source)
    chosen = _chosen(request, cells, lambda at: at)
    shown = [
        ShownCell(
            at, cells[at].kind, cells[at].source, cells[at].metadata, outputs(at),
            line=cells[at].line,
        )
        for at in chosen
    ]  # fmt: skip
    if request.errors:
        shown = [cell for cell in shown if _has_error(cell.outputs)]
    return Shown(path, source.notebook.language, tuple(shown))


def _saved_outputs(source: SourceFile) -> Callable[[int], Sequence[Mapping[str, Any]]]:
    """The outputs that a `.ipynb` holds; our model of a notebook has none."""
    if source.format != "ipynb":
        return lambda at: ()
    import json

    cells = json.loads(source.text.removeprefix("\ufeff")).get("cells", [])
    if len(cells) != len(source.notebook.cells):
        return lambda at: ()
    return lambda at: cells[at].get("outputs", ())


def _has_error(outputs: Sequence[Mapping[str, Any]]) -> bool:
    return any(output.get("output_type") == "error" for output in outputs)


def _language(metadata: Mapping[str, Any]) -> str:
    from octavo.notebook.model import Notebook

    return Notebook((), metadata).language


AnyCell = BoundCell | Cell


def _journal(run: RunDir) -> BinaryIO:
    try:
        return run.journal_path.open("rb")
    except OSError as error:
        raise cannot_read(error, run.journal_path) from error


def _chosen(
    request: ShowRequest, cells: Sequence[AnyCell], index: Callable[[int], int | None]
) -> list[int]:
    """The positions of the cells that were asked for, in their order."""
    if not request.cells:
        return list(range(len(cells)))
    chosen: set[int] = set()
    for wanted in request.cells:
        matches = [at for at in range(len(cells)) if _matches(wanted, cells[at], index(at))]
        if not matches:
            raise _no_cell(wanted, cells)
        chosen.update(matches)
    return sorted(chosen)


def _matches(wanted: str, cell: AnyCell, index: int | None) -> bool:
    first, dash, last = wanted.partition("-")
    if first.isdecimal() and (not dash or last.isdecimal()):
        return index is not None and int(first) <= index <= int(last if dash else first)
    tags = cell.metadata.get("tags")
    names = (cell.metadata.get("name"), cell.metadata.get("title"))
    return wanted in names or (isinstance(tags, (list, tuple)) and wanted in tags)


def _no_cell(wanted: str, cells: Sequence[AnyCell]) -> UsageError:
    names = [str(cell.metadata[key]) for cell in cells for key in ("name", "title")
             if key in cell.metadata]  # fmt: skip
    hint = f"the cells are numbered 0 to {len(cells) - 1}" if cells else "it has no cells"
    if names:
        hint += f"; names are: {', '.join(names[:8])}"
    return UsageError("cell-not-found", f"there is no cell {wanted!r}", hint=hint)
