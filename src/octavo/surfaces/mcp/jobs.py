"""Every kind of job behind one id: runs, executions, processes, and work of this server."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from octavo.errors import UsageError
from octavo.sessions.jobs.values import Job
from octavo.sessions.values import UNDER_WAY, Executed, ExecutedAll
from octavo.surfaces.mcp.desk import WORK, Desk, as_plain
from octavo.surfaces.mcp.following import BUDGET, Followed, Following, no_job, ran
from octavo.surfaces.mcp.processes import Processes
from octavo.surfaces.mcp.tools.steps import answer_of, anything
from octavo.value import Value


class JobAnswer(Value):
    """A job as job_wait tells of it (`plain`); `answer` is that of the tool that began it, where
    it is another."""

    status: str
    plain: dict[str, Any]
    answer: dict[str, Any] | None = None
    started: float | None = None
    finished: float | None = None
    progress: str = ""

    @property
    def cancelled(self) -> bool:
        """Whether it was stopped before its end."""
        return "interrupted" in (self.status, self.plain.get("reason"))


class JobDesk:
    """Waits for jobs of the caller and ends them."""

    def __init__(self, desk: Desk, processes: Processes) -> None:
        self._desk = desk
        self._processes = processes
        self._following = Following(desk)
        self._ending: set[asyncio.Task[Any]] = set()

    async def wait(
        self, job: str, seconds: float, cursor: str | None = None, budget: int = BUDGET
    ) -> JobAnswer:
        """How a job ended, or how far it has come within some time."""
        if self._desk.work_of(job) is not None:
            return await self._work(job, seconds, cursor, budget)
        if self._processes.knows(job):
            return await self._process(job, seconds)
        followed = await self._following.follow(job, seconds, cursor, budget)
        state, plain = followed.state, _told(followed, self._desk, cursor)
        if state.kind == "execution":
            session = state.id.partition(".")[0]
            plain = {**plain, "status": state.status, "session": session, "run_id": None}
            plain |= {"job": state.id, "next": plain["next"] if not state.ended else ""}
        plain = {name: each for name, each in plain.items() if each not in (None, "", [], {})}
        progress = "" if state.ended else f"{state.done} of {state.cells} cells"
        return JobAnswer(plain["status"], plain, None, state.started, state.finished, progress)

    async def cancel(self, job: str) -> dict[str, Any]:
        """Stop a job; how it came to its end."""
        if job.startswith(WORK):
            return await self._cancel_work(job)
        if self._processes.knows(job):
            return await self._cancel_process(job)
        cancelled = await self._following.cancel(job)
        state = cancelled.state
        return {
            "job": state.id,
            "status": state.status,
            "how": cancelled.how,
            "cells_executed": state.done,
            "next": f'run_result(run="{state.id.partition(".")[0][-8:]}")',
        }

    async def _cancel_process(self, job: str) -> dict[str, Any]:
        asked = self._processes.cancel(job)
        if not await self._processes.ended(job, min(10.0, self._desk.patience)):
            return {"job": job, "status": "running", "how": "asked"}
        if asked and self._processes.was_cancelled(job):
            return {"job": job, "status": "interrupted", "how": "interrupted"}
        return {"job": job, "status": "ended", "how": "ended", "next": f'job_wait(job="{job}")'}

    async def _cancel_work(self, job: str) -> dict[str, Any]:
        """What this server does itself cannot be stopped, but for what it was to begin."""
        work = self._desk.work_of(job)
        if work is None and not self._processes.knows(job):
            raise no_job(job)
        if work is not None:
            await asyncio.wait({work.future}, timeout=self._desk.patience)
            if work.future.done() and (begun := _began(work.future.result())) is not None:
                return await self.cancel(begun)
        hint = "job_wait tells its result"
        raise UsageError("wrong-argument", "this cannot be stopped any more", hint=hint)

    def cancel_later(self, job: str) -> None:
        """Stop a job without making anybody wait for that."""
        task = asyncio.ensure_future(self._cancelled(job))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _cancelled(self, job: str) -> None:
        try:
            await self.cancel(job)
        except Exception:
            # It was only asked for; what became of the job is told by the job.
            return

    async def _process(self, job: str, seconds: float) -> JobAnswer:
        if not await self._processes.ended(job, min(seconds, self._desk.patience)):
            return _going_on(job)
        if self._processes.was_cancelled(job):
            return JobAnswer("interrupted", {"job": job, "status": "interrupted"})
        plain = self._processes.answer(job)
        return _other(job, answer_of(self._processes.kind(job), plain))

    async def _work(self, job: str, seconds: float, cursor: str | None, budget: int) -> JobAnswer:
        work = self._desk.work_of(job)
        assert work is not None
        await asyncio.wait({work.future}, timeout=min(seconds, self._desk.patience))
        if not work.future.done():
            return _going_on(job)
        result = work.future.result()
        if (begun := _began(result)) is not None:
            return await self.wait(begun, seconds, cursor, budget)
        plain = json.loads(json.dumps(as_plain(result), default=str))
        return _other(job, anything(plain).model_dump(mode="json", exclude_none=True))


def _told(followed: Followed, desk: Desk, cursor: str | None) -> dict[str, Any]:
    return ran(followed, desk.relative(followed.state.notebook), since=cursor is not None)


def _began(result: Any) -> str | None:
    """The job that work was to begin and has begun, if that is what it did."""
    if isinstance(result, Job):
        return result.id
    if isinstance(result, (Executed, ExecutedAll)) and result.status in UNDER_WAY:
        return result.job or None
    return None


def _going_on(job: str) -> JobAnswer:
    return JobAnswer("running", {"job": job, "status": "running", "next": f'job_wait(job="{job}")'})


def _other(job: str, answer: dict[str, Any]) -> JobAnswer:
    """Work that is no run: what its tool would have answered."""
    status = str(answer.get("status") or "success")
    return JobAnswer(status, {"job": job, "status": status, "result": answer}, answer=answer)
