"""Looking at work that goes on without its client, waiting for it, and ending it."""

from __future__ import annotations

import time

from octavo.errors import OctavoError, UsageError
from octavo.events.types import RunStarted
from octavo.records.journal import goes_on
from octavo.records.outline import outline_of
from octavo.records.run_dir import RunDir
from octavo.records.store import Store
from octavo.sessions.jobs import notes as job_notes
from octavo.sessions.jobs import of_sessions as session_jobs
from octavo.sessions.jobs.journals import Reader, place_of
from octavo.sessions.jobs.notes import JobNote
from octavo.sessions.jobs.outputs import Batch, numbered, told
from octavo.sessions.jobs.states import state_of
from octavo.sessions.jobs.values import Cancelled, Job, JobContext, Jobs, JobState, Polled, no_job
from octavo.sessions.jobs.watching import Watch

__all__ = ["Job", "JobState", "Polled", "cancel", "listed", "poll", "wait"]


async def listed(context: JobContext, *, owner: str | None = None, limit: int = 20) -> Jobs:
    """The jobs of the project that go on, and the last that have ended; the newest last."""
    store = context.store(context.cwd)
    executions = await session_jobs.listed(context, owner=owner)
    alive = {state.id for state in executions}
    found: list[JobState] = []
    left = limit
    for note in job_notes.noted(store.root):
        if note.id in alive or (owner is not None and note.owner != owner):
            continue
        try:
            state = await _noted(note, store, context, is_wanted=left > 0)
        except OctavoError:
            continue  # its record was deleted
        if state is not None:
            left -= state.ended
            found.append(state)
    in_order = sorted(found, key=lambda each: (each.status == "queued", each.started or 0.0))
    return Jobs((*in_order, *executions))


async def _noted(
    note: JobNote, store: Store, context: JobContext, *, is_wanted: bool
) -> JobState | None:
    """How a job is that there is a note of; one that has ended, only if it `is_wanted`."""
    if note.is_execution:
        return await session_jobs.briefly(note, context) if is_wanted else None
    run = store.find(note.id)
    return state_of(run, note, store) if is_wanted or goes_on(run.path) else None


async def poll(
    job_id: str,
    cursor: str | None,
    context: JobContext,
    *,
    budget: int | None = None,
    owner: str | None = None,
) -> Polled:
    """What a job did since the cursor (None: from its beginning), and the next cursor."""
    if session_jobs.is_one(job_id):
        return await session_jobs.poll(job_id, cursor, context, budget=budget, owner=owner)
    run = _found(job_id, context, owner)
    reader = Reader(run.journal_path, place_of(cursor, run.journal_path))
    # Looked at before reading: what was written until it ended is then among what is read.
    state = _state(run, context)
    outputs = numbered(run, told(run, Batch().read(reader), budget))
    return Polled(state, str(reader.offset), outputs, reader.more)


async def wait(
    job_id: str, seconds: float | None, context: JobContext, *, owner: str | None = None
) -> JobState:
    """How a job ended; how far it has come, when it goes on for longer than `seconds`."""
    if session_jobs.is_one(job_id):
        return await session_jobs.wait(job_id, seconds, context, owner=owner)
    run = _found(job_id, context, owner)
    await until_ended(run, seconds)
    return _state(run, context)


async def cancel(
    job_id: str, context: JobContext, *, seconds: float = 20.0, owner: str | None = None
) -> Cancelled:
    """Ask a job to stop: its cell is interrupted, and killed when that does not help."""
    if session_jobs.is_one(job_id):
        return await session_jobs.cancel(job_id, context, seconds=seconds, owner=owner)
    run = _found(job_id, context, owner)
    note = job_notes.of(run)
    if not goes_on(run.path):
        return Cancelled(_state(run, context), "ended")
    if note is None:
        raise _not_a_job(run)
    if job_notes.tell_to_stop(run, note):
        await until_ended(run, seconds)
    state = _state(run, context)
    if not state.ended:
        again = f"it does not end yet; octavo job cancel {state.short} again kills its kernel"
        return Cancelled(state, "asked", again)
    return Cancelled(state, "killed" if _was_killed(run) else "interrupted")


def _not_a_job(run: RunDir) -> UsageError:
    short = run.run_id[-8:]
    first = next(Reader(run.journal_path).events(), None)
    if isinstance(first, RunStarted) and first.options.get("session"):
        message, hint = f"{short} is a session", f"octavo session stop {short} ends it"
    else:
        message = f"the run {short} is not detached: somebody waits for it"
        hint = "stop it there with Ctrl-C"
    return UsageError("wrong-argument", message, hint=hint)


def _was_killed(run: RunDir) -> bool:
    """Whether the last cell said nothing of an interrupt: its kernel was ended over it."""
    fold = outline_of(run.journal_path).run
    at = fold.stopped_at
    return at is not None and (fold.error is None or fold.error.cell != at)


def _state(run: RunDir, context: JobContext) -> JobState:
    return state_of(run, job_notes.of(run), context.store(context.cwd))


async def until_ended(run: RunDir, seconds: float | None) -> bool:
    """Wait until nobody writes the journal any more; False when the time is over before."""
    until = None if seconds is None else time.monotonic() + seconds
    with Watch(run.path, growing=False) as watch:
        while goes_on(run.path):
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                return False
            await watch.changed(left)
    return True


def _found(job_id: str, context: JobContext, owner: str | None) -> RunDir:
    try:
        run = context.store(context.cwd).find(job_id)
    except (UsageError, OSError) as error:
        raise no_job(job_id) from error
    note = job_notes.of(run)
    if owner is not None and (note is None or note.owner != owner):
        raise no_job(job_id)
    return run
