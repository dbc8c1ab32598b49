"""The `runs` and `scraps` operations: what has been run, and what it handed out."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

from octavo.errors import OctavoError, UsageError
from octavo.events.types import RunStarted
from octavo.records.identity import time_of
from octavo.records.outline import Outline, outline_of
from octavo.records.record import RunRecord
from octavo.records.store import RunDir, Store
from octavo.records.times import iso
from octavo.requests import Request, argument, option
from octavo.runs.context import RunContext
from octavo.runs.moments import moment
from octavo.value import EMPTY, Value

STATUSES = ("success", "error", "running")


class RunsRequest(Request):
    """Which runs to list."""

    notebook: str | None = argument("only runs of this notebook", metavar="NOTEBOOK", default=None)
    status: str | None = option(
        "-s",
        "--status",
        help="only runs with this status (success, error, running) or reason (cell-error, …)",
        metavar="STATUS",
    )
    since: str | None = option(
        "--since", help="only runs from then on: 2h, 3d, today, 2026-01-31", metavar="WHEN"
    )
    limit: int = option("-n", "--limit", help="at most so many", default=20, metavar="N")


class RunRow(Value):
    """What a list tells of a run. `status` is `success`, `error`, `running` or `unreadable`."""

    run_id: str
    status: str
    reason: str | None
    notebook: str | None
    started: float
    duration_seconds: float | None
    cells_executed: int
    parameters: Mapping[str, Any] = EMPTY
    scraps: Mapping[str, Any] = EMPTY
    parent_run: str | None = None
    record_path: str = ""

    def to_json(self) -> dict[str, Any]:
        return {**self.to_dict(), "started": iso(self.started)}


class RunsResult(Value):
    """Runs, the newest first; `more` says that the limit left some out."""

    runs: tuple[RunRow, ...]
    more: bool
    filtered: bool

    def to_json(self) -> dict[str, Any]:
        return {"runs": [row.to_json() for row in self.runs], "more": self.more}


async def runs(request: RunsRequest, context: RunContext) -> RunsResult:
    """The runs of the project around the current folder, the newest first."""
    if request.limit < 1:
        hint = "leave it out for the newest 20"
        raise UsageError("wrong-argument", f"--limit {request.limit}: at least 1", hint=hint)
    since = None if request.since is None else moment(request.since, time.time())
    found: list[RunRow] = []
    for row in _matching(request, context, since):
        if len(found) == request.limit:
            return RunsResult(tuple(found), True, _filters(request))
        found.append(row)
    return RunsResult(tuple(found), False, _filters(request))


def _filters(request: RunsRequest) -> bool:
    return any((request.notebook, request.status, request.since))


def _matching(request: RunsRequest, context: RunContext, since: float | None) -> Iterator[RunRow]:
    notebook = request.notebook
    near = os.path.join(context.cwd, notebook) if notebook else context.cwd
    store = context.store(near if os.path.exists(near) else context.cwd)
    for run in store.runs(since=since):
        row = row_of(run)
        fits = request.status in (None, row.status, row.reason)
        if fits and (notebook is None or _is_of(row, notebook, near)):
            yield row


def _is_of(row: RunRow, notebook: str, absolute: str) -> bool:
    """Whether a run is one of this notebook: the path itself, or the end of it."""
    path = row.notebook or ""
    return path == os.path.normpath(absolute) or f"/{path}".endswith(f"/{notebook}")


def row_of(run: RunDir) -> RunRow:
    """The line of a run; of one that goes on, as far as it is known."""
    try:
        return _from_record(run.record(), run)
    except OctavoError:
        return _from_journal(run)


def readable(run: RunDir) -> RunRow:
    """The line of a run that there is something to tell of; StorageError otherwise."""
    row = row_of(run)
    if row.status == "unreadable":
        run.record()
    return row


def _from_record(record: RunRecord, run: RunDir) -> RunRow:
    return RunRow(
        run_id=record.run_id,
        status=record.status,
        reason=record.reason,
        notebook=record.source.get("path"),
        started=record.started,
        duration_seconds=record.duration_seconds,
        cells_executed=record.cells_executed,
        parameters=record.parameters,
        scraps=record.scraps,
        parent_run=record.parent_run,
        record_path=str(run.record_path),
    )


def _from_journal(run: RunDir) -> RunRow:
    outline, running = _so_far(run)
    fold = outline.run
    first: RunStarted | None = fold.started
    return RunRow(
        run_id=run.run_id,
        status="running" if running else "unreadable",
        reason=None,
        notebook=first.source.get("path") if first else None,
        started=first.time if first else time_of(run.run_id) or 0.0,
        duration_seconds=None,
        cells_executed=sum(cell.started is not None for cell in fold.cells.values()),
        parameters=first.parameters if first else {},
        scraps=outline.scraps,
        parent_run=first.parent_run if first else None,
        record_path=str(run.record_path),
    )


def _so_far(run: RunDir) -> tuple[Outline, bool]:
    """What the journal says, and whether the run goes on."""
    try:
        return outline_of(run.journal_path), run.is_running()
    except OSError:
        return Outline(), False


class ScrapsRequest(Request):
    """Whose scraps."""

    run: str = argument("a run: its id or a part of it, `last`, or its folder", metavar="RUN")
    name: str | None = argument("only this one", metavar="NAME", default=None)


class ScrapsResult(Value):
    """The values that a run handed out."""

    run_id: str
    scraps: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {"run_id": self.run_id, "scraps": dict(self.scraps)}


async def scraps(request: ScrapsRequest, context: RunContext) -> ScrapsResult:
    """The scraps of a run, or one of them; of a run that goes on, those so far."""
    row = readable(found(request.run, context))
    if request.name is None:
        return ScrapsResult(row.run_id, row.scraps)
    if request.name not in row.scraps:
        raise _no_scrap(request.name, row)
    return ScrapsResult(row.run_id, {request.name: row.scraps[request.name]})


def found(name: str, context: RunContext) -> RunDir:
    """The run that a person means, in the store of the current project or at a path."""
    store: Store = context.store(context.cwd)
    path = os.path.join(context.cwd, name)
    return store.find(path if os.path.exists(path) else name)


def _no_scrap(name: str, row: RunRow) -> UsageError:
    from difflib import get_close_matches

    if not row.scraps:
        hint = "the run handed out no scraps; glue(name, value) in the notebook does"
    else:
        close = get_close_matches(name, row.scraps, 1)
        hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(row.scraps)}"
    return UsageError("scrap-not-found", f"no scrap {name!r}", place=row.run_id, hint=hint)
