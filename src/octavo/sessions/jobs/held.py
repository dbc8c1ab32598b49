"""The kernel of a run that failed, as a session: its document, its state, and a record of its own.

The record of the run is finished and stays as it is. What it executed is told again in that of
the session, cell by cell, so that this one is whole.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress

from octavo.errors import OctavoError, UsageError
from octavo.events.fold import OUTPUT_EVENTS
from octavo.events.types import (
    CellBound,
    CellFinished,
    CellSkipped,
    CellStarted,
    CommMessage,
    Event,
    RunStarted,
)
from octavo.kernels.fork.resident import make_folder
from octavo.records.run_dir import RunDir
from octavo.records.store import Store
from octavo.runs.holding import Hold
from octavo.runs.plan import Plan
from octavo.runs.request import HOLD, RunRequest
from octavo.runs.spill import FILES
from octavo.sessions import client
from octavo.sessions.context import SessionContext
from octavo.sessions.hosts.beginning import adopt, recorded
from octavo.sessions.hosts.host import Host
from octavo.sessions.hosts.live import Live
from octavo.sessions.hosts.lives import Ear
from octavo.sessions.jobs import notes as job_notes
from octavo.sessions.jobs.journals import Reader
from octavo.sessions.places import folder_in
from octavo.sessions.requests import FromRunRequest, StartRequest
from octavo.sessions.values import SessionInfo

_TOLD = (*OUTPUT_EVENTS, CommMessage, CellStarted, CellSkipped, CellFinished)
_AT_ONCE = 500


async def become_session(
    hold: Hold, run: RunDir, plan: Plan, request: RunRequest, context: SessionContext
) -> tuple[Host, Live]:
    """Serve the kernel that was kept; it can be found from here on."""
    assert hold.kernel is not None
    note = job_notes.of(run)
    asked = request.replace(detach=False, hold=None, output=None, autosave=None)
    begun = StartRequest(lease=request.hold or HOLD, owner=note.owner if note else "")
    make_folder(folder_in(context.runtime))
    live = recorded(
        begun, asked, plan.replace(output=None), context.engine(plan.engine), context,
        parent=run.run_id,
    )  # fmt: skip
    ear = Ear(live.recording.pipeline)
    hold.redirect(ear)
    adopt(live, hold.kernel, ear)
    _tell_again(live, run, plan, hold.cell or 0)
    await _keep_snapshot(live, hold)
    host = Host(context.runtime)
    await host.serve(live)
    if note is not None:
        job_notes.write(run, note.replace(session=live.short))
    return host, live


def _tell_again(live: Live, run: RunDir, plan: Plan, last: int) -> None:
    """Take over what the run executed, under the numbers that the cells had there."""
    with suppress(OSError):
        shutil.copytree(run.path / FILES, live.recording.path / FILES, copy_function=_linked)
    cells = plan.source.cells[: last + 1]
    keys = [each.key for each in live.document.cells]
    begun = min((at.time for at in _events(run) if isinstance(at, CellStarted)), default=0.0)
    bound = [CellBound(at, begun, cell, "cell", keys[at]) for at, cell in enumerate(cells)]
    live.recording.write(*(live.recording.pipeline.redact(each) for each in bound))
    some: list[Event] = []
    for event in _events(run):
        if isinstance(event, _TOLD) and event.cell <= last:
            some.append(event)
            if isinstance(event, CellFinished):
                live.document = live.document.executed(event.cell, event.cell, event.status)
        if len(some) >= _AT_ONCE:
            live.recording.write(*some)
            some = []
    live.recording.write(*some)
    live.executor.next_cell = last + 1


def _events(run: RunDir) -> Iterator[Event]:
    reader = Reader(run.journal_path)
    yield from reader.events()
    while reader.more:
        yield from reader.events()


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


async def _keep_snapshot(live: Live, hold: Hold) -> None:
    """The state before the failing cell, or shortly before it, is one to go back to."""
    copy = hold.snapshot
    if copy is None or hold.refusal is not None:
        why = hold.refusal.message if hold.refusal else "this kind of kernel cannot be copied"
        live.notes.append(f"no snapshots: {why}; going back executes cells again")
    if copy is None:
        return
    document = live.document
    steps = tuple(step for step in document.steps if step.record_cell < hold.copied_at)
    live.snapshots, mark = live.snapshots.add(document.replace(steps=steps), await copy.memory())
    live.lives.keep(mark.id, copy)


def _held_run(store: Store, name: str) -> RunDir:
    """The run that is meant; where the word leads to the session that a run became, that run."""
    run = store.find(name)
    first = next(Reader(run.journal_path).events(), None)
    if isinstance(first, RunStarted) and first.options.get("session") and first.parent_run:
        return store.find(first.parent_run)
    return run


async def from_run(request: FromRunRequest, context: SessionContext) -> SessionInfo:
    """The live session of a run that was held."""
    run = _held_run(context.store(context.cwd), request.run)
    note = job_notes.of(run)
    short = run.run_id[-8:]
    if note is None or note.session is None:
        raise UsageError(
            "session-not-found",
            f"the run {short} was not held: its kernel ended with it",
            hint=f"octavo rerun {short} --hold keeps the kernel when it fails again",
        )
    try:
        answer = await client.ask(context.runtime, note.session, "info")
    except OctavoError as error:
        raise UsageError(
            "session-not-found",
            f"the kernel of the run {short} is no longer held",
            hint=f"octavo session restore {note.session} executes its cells again; "
            f"octavo rerun {short} --hold=2h keeps it for longer",
        ) from error
    return SessionInfo.from_json(answer)
