"""How far a job has come: from its journal while it goes on, from its record afterwards."""

from __future__ import annotations

from octavo.events.statuses import RunFold
from octavo.records.journal import goes_on
from octavo.records.outline import outline_of
from octavo.records.record import result
from octavo.records.run_dir import RunDir
from octavo.records.store import Store
from octavo.sessions.jobs.notes import JobNote
from octavo.sessions.jobs.values import JobState, JobStatus, status_of

_ENDED = ("succeeded", "failed", "timed-out", "interrupted", "kernel-died", "skipped")


def state_of(run: RunDir, note: JobNote | None, store: Store) -> JobState:
    """What is known of a run. One whose process was killed gets its record here."""
    if goes_on(run.path):
        return _running(run, note)
    if not run.record_path.is_file():
        store.recover()
    return _ended(run, note)


def _running(run: RunDir, note: JobNote | None) -> JobState:
    fold = outline_of(run.journal_path).run
    first = fold.started
    status: JobStatus = "running"
    if first is None or first.options.get("queued"):
        status = "queued"
    return JobState(
        id=run.run_id,
        notebook=_notebook(fold, note),
        status=status,
        started=first.time if first else None,
        done=sum(cell.status in _ENDED for cell in fold.cells.values()),
        cells=len(fold.cells),
        next=f"octavo job wait {run.run_id[-8:]}",
    )


def _notebook(fold: RunFold, note: JobNote | None) -> str:
    if fold.started is not None:
        return str(fold.started.source.get("path") or "")
    return note.notebook if note else ""


def _ended(run: RunDir, note: JobNote | None) -> JobState:
    record = run.record()
    code = [cell for cell in record.cells if cell.kind == "code"]
    session = note.session if note else None
    short = run.run_id[-8:]
    return JobState(
        id=run.run_id,
        notebook=str(record.source.get("path") or (note.notebook if note else "")),
        status=status_of(record.status, record.reason),
        started=record.started,
        finished=record.finished,
        done=sum(cell.status in _ENDED for cell in code),
        cells=len(code),
        reason=record.reason,
        message=record.message,
        result=result(record).to_json(),
        session=session,
        next=f"octavo session from-run {short}" if session else f"octavo show {short}",
    )
