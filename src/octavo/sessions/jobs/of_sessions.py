"""Jobs of sessions: `<session>.<cell of its record>`.

The host of the session tells how they are doing as long as it lives; when it is gone, the journal
of the session does.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from octavo.errors import OctavoError, UsageError
from octavo.records.outline import outline_of
from octavo.records.run_dir import RunDir
from octavo.records.store import Store
from octavo.sessions import client, places
from octavo.sessions.jobs import notes as job_notes
from octavo.sessions.jobs.journals import Reader, place_of
from octavo.sessions.jobs.notes import JobNote
from octavo.sessions.jobs.outputs import Batch, told
from octavo.sessions.jobs.values import Cancelled, JobContext, JobState, JobStatus, Polled, no_job
from octavo.sessions.places import Place
from octavo.value import Value

_FORM = re.compile(r"([0-9a-f-]{4,36})\.(\d{1,9})")
#: Waiting without a bound, as a number of seconds.
_EVER = 1e8
#: How long a host may take to say what it does.
_PATIENCE = 5.0
_GONE = ("session-not-found", "session-dead", "session-lost")
_UNSAID = ("pending", "running", "queued", "not-run", "skipped")


class _Named(Value):
    """The session of a job, where its record is, and the cell of the record."""

    session: str
    cell: int
    run: RunDir
    place: Place | None

    @property
    def id(self) -> str:
        return f"{self.run.run_id[-8:]}.{self.cell}"


def is_one(job_id: str) -> bool:
    """Whether a word is spelled like a job of a session."""
    return _FORM.fullmatch(job_id) is not None


async def listed(context: JobContext, *, owner: str | None = None) -> list[JobState]:
    """What the live sessions of the project execute now, and what waits there."""
    project = str(context.store(context.cwd).root.parent)
    found: list[JobState] = []
    for place in places.places(context.runtime):
        if place.note.get("project") != project or not _is_owners(place.note, owner):
            continue
        if place.asleep is not None:
            continue  # nothing goes on there
        try:
            asking = client.ask(context.runtime, place.id, "jobs")
            answer = await asyncio.wait_for(asking, _PATIENCE)
        except (OctavoError, TimeoutError):
            continue  # it has just ended, or hangs
        found += [_brief(place, each) for each in answer.get("jobs", ())]
    return found


async def briefly(note: JobNote, context: JobContext) -> JobState:
    """How an execution is doing, without what it gave. Its session is only asked if it must be:
    whoever lists jobs keeps no session alive.
    """
    named = _found(note.id, context, None)
    if note.status is not None:
        return _from_journal(named)[0]
    state, _ = await _asked(named, 0.0, context)
    return state.replace(result=None)


async def poll(
    job_id: str,
    cursor: str | None,
    context: JobContext,
    *,
    budget: int | None = None,
    owner: str | None = None,
) -> Polled:
    """What an execution printed since the cursor."""
    named = _found(job_id, context, owner)
    reader = Reader(named.run.journal_path, place_of(cursor, named.run.journal_path))
    batch = Batch().read(reader)
    # Asked after reading: the cells of what was read are then known to the host.
    state, cells = await _asked(named, 0.0, context)
    if state.ended and not reader.more:
        batch.read(reader)
    return Polled(state, str(reader.offset), told(named.run, batch, budget, cells), reader.more)


async def wait(
    job_id: str, seconds: float | None, context: JobContext, *, owner: str | None = None
) -> JobState:
    """How an execution ended, or how far it has come."""
    named = _found(job_id, context, owner)
    state, _ = await _asked(named, _EVER if seconds is None else seconds, context)
    return state


async def cancel(
    job_id: str, context: JobContext, *, seconds: float = 20.0, owner: str | None = None
) -> Cancelled:
    """Interrupt an execution; one that waits for its turn is never begun."""
    named = _found(job_id, context, owner)
    before, _ = await _asked(named, 0.0, context)
    if before.ended:
        return Cancelled(before, "ended")
    done = await client.ask(context.runtime, named.run.run_id, "cancel", cell=named.cell)
    if done.get("done") == "cancelled":
        # It waited for its turn, and will be passed over.
        return Cancelled(before.replace(status="interrupted", next=""), "interrupted")
    state, _ = await _asked(named, seconds, context)
    if state.ended:
        return Cancelled(state, "interrupted")
    again = f"it does not end; octavo session restart {named.session} gives it up with its state"
    return Cancelled(state, "asked", again)


def _found(job_id: str, context: JobContext, owner: str | None) -> _Named:
    match = _FORM.fullmatch(job_id)
    if match is None:
        raise no_job(job_id)
    session, cell = match[1], int(match[2])
    try:
        place = places.find(context.runtime, session)
    except UsageError:
        place = None
    try:
        run = _run(place, session, context)
    except UsageError as error:
        raise no_job(job_id) from error
    if not _is_owners(place.note if place else _told_of(run, cell), owner):
        raise no_job(job_id)
    return _Named(session, cell, run, place)


def _told_of(run: RunDir, cell: int) -> Mapping[str, Any]:
    note = job_notes.of(run, cell)
    return {} if note is None else {"owner": note.owner}


def _run(place: Place | None, session: str, context: JobContext) -> RunDir:
    if place is not None and place.note.get("project"):
        return Store(Path(str(place.note["project"]))).find(place.id)
    return context.store(context.cwd).find(session)


def _is_owners(note: Mapping[str, Any], owner: str | None) -> bool:
    return owner is None or note.get("owner") == owner


async def _asked(
    named: _Named, seconds: float, context: JobContext
) -> tuple[JobState, frozenset[int]]:
    """The state of an execution and the cells that belong to it."""
    if named.place is not None:
        try:
            answer = await client.ask(
                context.runtime, named.place.id, "job", cell=named.cell, wait=seconds
            )
            return _from_answer(named, answer)
        except OctavoError as error:
            # The host is gone, or has forgotten what ended long ago.
            if error.kind not in (*_GONE, "run-not-found"):
                raise
    return _from_journal(named)


def _from_answer(named: _Named, answer: Mapping[str, Any]) -> tuple[JobState, frozenset[int]]:
    every = [*answer.get("executed", ()), answer]
    names = [str(each.get("job", "")).rpartition(".")[2] for each in every]
    cells = frozenset(int(name) for name in names if name.isdecimal()) | {named.cell}
    errors = [each["error"] for each in every if each.get("error")]
    message = f"{errors[-1].get('name')}: {errors[-1].get('message')}" if errors else ""
    state = JobState(
        id=named.id,
        notebook=str((named.place and named.place.note.get("notebook")) or ""),
        status=answer["status"],
        kind="execution",
        message=message,
        result=dict(answer),
        session=named.run.run_id[-8:],
        next=str(answer.get("next") or ""),
    )
    return state, cells


def _from_journal(named: _Named) -> tuple[JobState, frozenset[int]]:
    """What the record says; what it breaks off at was interrupted when its host was killed."""
    note = job_notes.of(named.run, named.cell)
    fold = outline_of(named.run.journal_path).run
    progress = fold.cells.get(named.cell)
    if progress is None:
        raise no_job(named.id)
    error = fold.error if fold.error is not None and fold.error.cell == named.cell else None
    state = JobState(
        id=named.id,
        notebook=str((fold.started and fold.started.source.get("path")) or ""),
        status=_ended(progress.status, note),
        kind="execution",
        started=progress.started,
        finished=progress.finished,
        message=f"{error.ename}: {error.evalue}" if error else "",
        session=named.run.run_id[-8:],
        next=f"octavo show {named.run.run_id[-8:]}",
    )
    if note is None or not note.cells:
        return state, frozenset((named.cell,))
    # Where its host was killed over it, all that came after its first cell is its own.
    after = note.cells if note.status else (at for at in fold.cells if at >= named.cell)
    return state, frozenset(after)


def _ended(status: str, note: JobNote | None) -> JobStatus:
    """How an execution ended that nobody does any more; `status` is that of its first cell."""
    if note is not None and note.status is not None:
        found: Any = note.status
    elif note is not None and note.cells and status == "succeeded":
        found = "interrupted"  # the cell was not the last, or its host would have noted the end
    else:
        found = status
    return "interrupted" if found in _UNSAID else found


def _brief(place: Place, told: Mapping[str, Any]) -> JobState:
    return JobState(
        id=str(told.get("job", "")),
        notebook=str(place.note.get("notebook") or ""),
        status=told.get("status", "running"),
        kind="execution",
        started=told.get("started"),
        session=place.short,
        next=f"octavo job wait {told.get('job', '')}",
    )
