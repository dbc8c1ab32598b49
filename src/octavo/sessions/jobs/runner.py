"""The process of detached runs, from the inside: it does the work that was handed over to it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any

from octavo.errors import InfrastructureError, OctavoError, UsageError
from octavo.records.disk import storage_error
from octavo.records.result import RunResult
from octavo.records.run_dir import RunDir
from octavo.runs.execution import Begun, begin, enqueue, execute
from octavo.runs.holding import Hold
from octavo.runs.plan import Plan
from octavo.runs.request import RunRequest
from octavo.runs.stopping import Stop
from octavo.sessions.jobs import notes as job_notes
from octavo.sessions.jobs.forgetting import forget_old
from octavo.sessions.jobs.notes import JobNote
from octavo.sessions.jobs.values import Job, JobContext
from octavo.sessions.wire import told
from octavo.value import Value

#: What a process has open beside the journals of its runs.
_OTHER_FILES = 64
CANCELLED = "cancelled"
CLIENT_GONE = "the client is gone"
#: Says something to whoever started this process, as long as they listen.
Tell = Callable[[dict[str, Any]], None]


class Work(Value):
    """What is handed over. All plans are in order; nothing of them has begun.

    With `followed` whoever handed it over listens until the end, and it stops when they are gone.
    `claim` is a file that says which request this is, open and locked, with nothing in it yet.
    """

    plans: tuple[Plan, ...]
    request: RunRequest
    owner: str = ""
    followed: bool = False
    claim: int | None = None


class _Task:
    """One of the runs."""

    def __init__(self, plan: Plan, begun: Begun) -> None:
        self.plan = plan
        self.begun = begun
        self.stop = Stop()


class _Stoppable:
    """The context of a run that can be stopped by itself."""

    def __init__(self, context: JobContext, stop: Stop) -> None:
        self._context = context
        self.stop = stop

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


class Kept(Value):
    """The live kernel of a run that failed."""

    hold: Hold
    run: RunDir
    plan: Plan


async def serve(work: Work, context: JobContext, tell: Tell) -> Kept | None:
    """Begin all runs, tell their ids, and see them to their ends; a kernel that was kept."""
    try:
        tasks = _begun(work, context)
    except OctavoError as error:
        tell({"error": told(error)})
        return None
    tell({"jobs": [_job(task).to_json() for task in tasks]})
    hold = Hold() if work.request.hold is not None else None
    try:
        with _Ears(tasks, followed=work.followed):
            results = await _run_all(tasks, work, context, hold)
            context.finished(results)
    finally:
        for task in tasks:
            task.begun.journal.close()
    if hold is None or hold.kernel is None:
        return None
    return Kept(hold, tasks[0].begun.run_dir, tasks[0].plan)


def _begun(work: Work, context: JobContext) -> list[_Task]:
    """Every run with its journal and its note, or none of them."""
    tasks: list[_Task] = []
    _refuse_too_many(len(work.plans))
    forget_old(context.store(work.plans[0].source.file.path).root)
    try:
        for plan in work.plans:
            tasks.append(_Task(plan, begin(plan, context)))
        for at, task in enumerate(tasks):
            if at >= work.request.jobs:
                enqueue(task.begun, task.plan, work.request)
            job_notes.write(task.begun.run_dir, _note(task, work))
        _keep_claim(work, tasks)
    except (OctavoError, OSError) as error:
        for task in tasks:
            task.begun.journal.close()
            job_notes.forget(task.begun.run_dir)
            task.begun.store.discard(task.begun.run_dir)
        if isinstance(error, OSError):
            raise storage_error(error, tasks[0].begun.run_dir.path) from error
        raise
    return tasks


def _refuse_too_many(count: int) -> None:
    """Each of them has its journal open from the beginning."""
    import resource

    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if count + _OTHER_FILES > allowed:
        raise UsageError(
            "wrong-argument",
            f"{count} notebooks at once need more open files than the {allowed} that are allowed",
            hint="hand over fewer at a time, or raise the limit with `ulimit -n`",
        )


def _note(task: _Task, work: Work) -> JobNote:
    pid = os.getpid()
    return JobNote(
        id=task.begun.run_dir.run_id,
        pid=pid,
        born=job_notes.born(pid),
        notebook=task.plan.source.file.name,
        owner=work.owner,
        given=job_notes.mark_of(task.plan.source.parameters.values),
    )


def _keep_claim(work: Work, tasks: Sequence[_Task]) -> None:
    """From here on the same request gives these jobs; until here another one may begin."""
    if work.claim is None:
        return
    ids = [task.begun.run_dir.run_id for task in tasks]
    os.write(work.claim, json.dumps(ids).encode())
    os.close(work.claim)


def _job(task: _Task) -> Job:
    run = task.begun.run_dir
    return Job(
        id=run.run_id,
        notebook=task.plan.source.file.name,
        status="running",
        started=time.time(),
        record_path=str(run.record_path),
        next=f"octavo job wait {run.run_id[-8:]}",
    )


async def _run_all(
    tasks: Sequence[_Task], work: Work, context: JobContext, hold: Hold | None
) -> list[RunResult]:
    places = asyncio.Semaphore(work.request.jobs)
    context.expect(len(tasks))
    runs = (_run_one(task, places, work, context, hold) for task in tasks)
    done = await asyncio.gather(*runs, return_exceptions=True)
    return [each for each in done if isinstance(each, RunResult)]


async def _run_one(
    task: _Task, places: asyncio.Semaphore, work: Work, context: JobContext, hold: Hold | None
) -> RunResult:
    has_place = await _turn(places, task.stop)
    own: Any = _Stoppable(context, task.stop)
    try:
        return await execute(task.plan, work.request, own, task.begun, hold)
    finally:
        task.begun.journal.close()
        if has_place:
            places.release()


async def _turn(places: asyncio.Semaphore, stop: Stop) -> bool:
    """Wait until it is this run's turn; False when it was cancelled before."""
    turn = asyncio.ensure_future(places.acquire())
    either: set[asyncio.Future[Any]] = {turn, stop.asked}
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    if turn.done():
        return True
    turn.cancel()
    return False


class _Ears:
    """Hears who wants a run to stop: a signal, or with `followed` the end of standard input."""

    def __init__(self, tasks: Sequence[_Task], *, followed: bool) -> None:
        self._tasks = tasks
        self._followed = followed
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, self._asked)
        # Heard and passed over; ignored, it would be ignored by the kernels' children too.
        self._loop.add_signal_handler(signal.SIGHUP, _nothing)
        if self._followed:
            self._loop.add_reader(0, self._gone)

    def __exit__(self, *error: object) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.remove_signal_handler(number)
        if self._followed:
            self._loop.remove_reader(0)

    def _asked(self) -> None:
        meant = [task for task in self._tasks if job_notes.is_meant(task.begun.run_dir)]
        for task in meant or self._tasks:
            task.stop.request(CANCELLED)

    def _gone(self) -> None:
        self._loop.remove_reader(0)
        self._followed = False
        for task in self._tasks:
            task.stop.request(CLIENT_GONE)


def _nothing() -> None:
    pass


def failed(words: str) -> InfrastructureError:
    """The process of a run ended before it said anything."""
    return InfrastructureError(
        "internal",
        "the process of the run did not start; nothing was run",
        hint="without --detach and --hold it is run in this process",
        details={"output": words[-2000:]},
    )
