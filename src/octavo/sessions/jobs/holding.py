"""`run --hold`: a run in a process of its own, followed from here, whose kernel outlives it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from octavo.errors import InfrastructureError
from octavo.records.journal import goes_on
from octavo.records.record import result
from octavo.records.run_dir import RunDir
from octavo.runs.context import Happened, Said
from octavo.runs.operation import RunReport
from octavo.runs.plan import Plan
from octavo.runs.request import RunRequest
from octavo.sessions.jobs import notes as job_notes
from octavo.sessions.jobs.detached import Started
from octavo.sessions.jobs.journals import Reader
from octavo.sessions.jobs.runner import Work
from octavo.sessions.jobs.values import JobContext
from octavo.sessions.jobs.watching import Watch


async def run_held(plans: Sequence[Plan], request: RunRequest, context: JobContext) -> RunReport:
    """Follow a run to its end as if it were run here; the session that it has become, if any."""
    work = Work(tuple(plans), request, followed=True)
    started = await asyncio.to_thread(Started, work, context)
    try:
        (job,) = await asyncio.to_thread(started.jobs)
        run = RunDir(Path(job.record_path).parent)
        stopping = asyncio.ensure_future(_relay_stop(run, context))
        try:
            await follow(run, job.notebook, context)
        finally:
            stopping.cancel()
        session = await asyncio.to_thread(_session, started, context)
    finally:
        started.leave()
    if not run.record_path.is_file():
        context.store(str(run.path)).recover()
    return RunReport((result(run.record()),), session=session)


async def follow(run: RunDir, path: str, context: JobContext) -> None:
    """Hand on every event of a run that goes on elsewhere, until it has ended."""
    reader = Reader(run.journal_path)
    with Watch(run.path, growing=True) as watch:
        while True:
            alive = goes_on(run.path)
            for event in reader.events():
                context.emit(Happened(run.run_id, path, event))
            if reader.more:
                await asyncio.sleep(0)
            elif not alive:
                return
            else:
                await watch.changed()


async def _relay_stop(run: RunDir, context: JobContext) -> None:
    """Tell the process of the run what is asked of us: once politely, twice at once."""
    for asked in (context.stop.asked, context.stop.hurry):
        await asked
        note = job_notes.of(run)
        if note is not None:
            job_notes.tell_to_stop(run, note)


def _session(started: Started, context: JobContext) -> str | None:
    """The last word of the process; none when it was killed."""
    try:
        message = started.heard()
    except InfrastructureError:
        return None
    if message.get("why"):
        context.emit(Said(f"the kernel could not be kept: {message['why']}"))
    return str(message["session"]) if message.get("session") else None
