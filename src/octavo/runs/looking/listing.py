"""The `runs` operation: what has been run."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, get_args

from octavo.errors import OctavoError, UsageError
from octavo.events.types import Reason, RunStarted
from octavo.records.heads import read_head
from octavo.records.identity import time_of
from octavo.records.outline import Outline, outline_of
from octavo.records.record import RunRecord
from octavo.records.run_dir import RunDir
from octavo.records.store import Store
from octavo.records.times import from_iso, iso
from octavo.requests import Request, argument, option
from octavo.runs.context import RunContext
from octavo.runs.looking.moments import moment
from octavo.runs.looking.selecting import ORDERS, condition, in_order, refuse_unknown_key
from octavo.value import EMPTY, Value

STATUSES = ("success", "error", "running")


class RunsRequest(Request):
    """Which runs to list, and in which order."""

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
    until: str | None = option("--until", help="only runs before then", metavar="WHEN")
    where: tuple[str, ...] = option(
        "-w",
        "--where",
        help="only runs whose parameter or scrap is so: threshold=0.9, 'score>0.8'",
        default=(),
        metavar="CONDITION",
    )
    sort: str = option(
        "--sort",
        help="by started, duration, notebook, status, or the name of a parameter or scrap",
        default="started",
        metavar="KEY",
    )
    reverse: bool = option("--reverse", help="the other way round", default=False)
    limit: int = option("-n", "--limit", help="at most so many", default=20, metavar="N")
    archived: bool = option(
        "--archived", help="the runs in the archive, not those in this folder", default=False
    )
    ref: str = option(
        "--ref",
        help="with --archived: the branch or commit to read (default: the archive's)",
        default="",
        metavar="REF",
    )


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
    defaults: Mapping[str, Any] = EMPTY

    def to_json(self) -> dict[str, Any]:
        return {**self.to_dict(), "started": iso(self.started)}


class RunsResult(Value):
    """Runs in the order that was asked for; `more` says that the limit left some out.

    `sorted_by` names the parameter or scrap that they are sorted by, if it is one.
    """

    runs: tuple[RunRow, ...]
    more: bool
    filtered: bool
    sorted_by: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"runs": [row.to_json() for row in self.runs], "more": self.more}


#: What a row takes over as a record has it.
_IN_HEAD = (
    "run_id", "status", "reason", "duration_seconds", "cells_executed", "parameters", "scraps",
    "parent_run", "defaults",
)  # fmt: skip


async def runs(request: RunsRequest, context: RunContext) -> RunsResult:
    """The runs of the project around the current folder, unless asked otherwise newest first."""
    if request.limit < 1:
        hint = "leave it out for the newest 20"
        raise UsageError("wrong-argument", f"--limit {request.limit}: at least 1", hint=hint)
    if request.ref and not request.archived:
        hint = f"octavo runs --archived --ref {request.ref}"
        raise UsageError("wrong-argument", "--ref is for --archived", hint=hint)
    _refuse_unknown_status(request.status)
    rows = _matching(request, context)
    if request.sort == "started" and not request.reverse:
        found = list(islice(rows, request.limit + 1))
    else:
        found = in_order(rows, request.sort, reverse=request.reverse, most=request.limit + 1)
        refuse_unknown_key(request.sort, found)
    name = None if request.sort in ORDERS else request.sort
    more = len(found) > request.limit
    return RunsResult(tuple(found[: request.limit]), more, _filters(request), name)


def _refuse_unknown_status(status: str | None) -> None:
    """A word that no run has would find none, as if there were none of the kind that is meant."""
    known = (*STATUSES, "unreadable", *get_args(Reason))
    if status is not None and status not in known:
        hint = f"statuses are {', '.join(STATUSES)}; reasons {', '.join(get_args(Reason))}"
        raise UsageError("wrong-argument", f"no run has the status {status!r}", hint=hint)


def _filters(request: RunsRequest) -> bool:
    asked = (request.notebook, request.status, request.since, request.until, request.where)
    return any(asked)


def _matching(request: RunsRequest, context: RunContext) -> Iterator[RunRow]:
    """The runs that fit, the newest first; records are read one by one as they are asked for."""
    now = time.time()
    since, until = (
        None if when is None else moment(when, now) for when in (request.since, request.until)
    )
    conditions = [condition(text) for text in request.where]
    notebook = request.notebook
    near = os.path.join(context.cwd, notebook) if notebook else context.cwd
    for row in _rows(request, context, near, since, until):
        fits = request.status in (None, row.status, row.reason)
        if fits and notebook is not None:
            fits = _is_of(row, notebook, near)
        if fits and all(fit(row) for fit in conditions):
            yield row


def _rows(
    request: RunsRequest, context: RunContext, near: str, since: float | None, until: float | None
) -> Iterator[RunRow]:
    """All runs of a span of time."""
    if request.archived:
        for row in context.archived_rows(request.ref):
            began = time_of(row.run_id) or 0.0
            if since is not None and began < since:
                return
            if until is None or began < until:
                yield row
        return
    store = context.store(near if os.path.exists(near) else context.cwd)
    for run in store.runs(since=since):
        if until is None or (time_of(run.run_id) or 0.0) < until:
            yield row_of(run)


def _is_of(row: RunRow, notebook: str, absolute: str) -> bool:
    """Whether a run is one of this notebook: the path itself, or the end of it."""
    path = row.notebook or ""
    return path == os.path.normpath(absolute) or f"/{path}".endswith(f"/{notebook}")


def row_of(run: RunDir) -> RunRow:
    """The line of a run; of one that goes on, as far as it is known."""
    head = read_head(run.path)
    if head is not None:
        try:
            return _from_head(head, run)
        except (KeyError, TypeError, ValueError, AttributeError):
            pass  # damaged: the record is rebuilt below
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


def _from_head(head: Mapping[str, Any], run: RunDir) -> RunRow:
    started = from_iso(head["started"])
    if started is None:
        raise ValueError("it does not say when it began")
    return RunRow(
        **{name: head[name] for name in _IN_HEAD},
        notebook=head["source"].get("path"),
        started=started,
        record_path=str(run.record_path),
    )


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
        defaults=record.defaults,
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
        defaults=first.defaults if first else {},
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


def found(name: str, context: RunContext) -> RunDir:
    """The run that a person means: in the store of the current project, at a path, or archived."""
    try:
        return found_here(name, context)
    except UsageError as error:
        if error.kind == "run-not-found" and " matches " not in error.message.partition(":")[0]:
            archived = context.archived_run(name)
            if archived is not None:
                return archived
        raise


def found_here(name: str, context: RunContext) -> RunDir:
    """The run that a person means, in the store of the current project or at a path."""
    store: Store = context.store(context.cwd)
    path = os.path.join(context.cwd, name)
    return store.find(path if os.path.exists(path) else name)
