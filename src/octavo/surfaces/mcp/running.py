"""Runs that tools begin: by `notebook_execute`, and by an edit that is to be tried at once."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from octavo.sessions.jobs.values import Job
from octavo.surfaces.mcp.caller import caller
from octavo.surfaces.mcp.desk import Desk
from octavo.surfaces.mcp.following import BUDGET
from octavo.surfaces.mcp.jobs import JobDesk
from octavo.value import Value

#: Runs of one call that go on side by side.
_AT_ONCE = 4
#: Tokens of output for each of several runs.
_LEAST = 300


class Begun(Value):
    """Several runs that have begun."""

    jobs: tuple[Job, ...]

    def to_json(self) -> dict[str, Any]:
        return {"jobs": [job.short for job in self.jobs]}


class Running:
    """Begins runs of the caller, and tells what came of them."""

    def __init__(self, desk: Desk, jobs: JobDesk) -> None:
        self._desk = desk
        self._jobs = jobs

    async def run(
        self,
        path: str,
        parameters: Mapping[str, Any],
        wait: float,
        request_id: str = "",
        show: Sequence[int] = (),
        budget: int = BUDGET,
    ) -> dict[str, Any]:
        """A run as tools tell it. Of one that has ended, `show` are the cells whose outputs are
        told; else those that are worth telling."""
        ends = time.monotonic() + min(wait, self._desk.patience)
        [job] = await self._begun(path, [parameters], request_id)
        return await self._told(job.id, ends, show, budget)

    async def run_each(
        self,
        path: str,
        sets: Sequence[Mapping[str, Any]],
        wait: float,
        request_id: str = "",
        show: Sequence[int] = (),
        budget: int = BUDGET,
    ) -> dict[str, Any]:
        """Runs of one notebook with several sets of parameters, in their order."""
        ends = time.monotonic() + min(wait, self._desk.patience)
        jobs = await self._begun(path, sets, request_id)
        share = max(_LEAST, budget // len(jobs))
        runs = [await self._told(job.id, ends, show, share) for job in jobs]
        found = {told.get("status") for told in runs}
        status = next((each for each in ("running", "error") if each in found), "success")
        return {"status": status, "runs": runs}

    async def _begun(
        self, path: str, sets: Sequence[Mapping[str, Any]], request_id: str
    ) -> Sequence[Job]:
        from octavo.runs.request import RunRequest
        from octavo.sessions.jobs.detached import start_each

        who = caller().identity
        at_once = self._desk.bounds.room_for_jobs(min(len(sets), _AT_ONCE), request_id)
        common = RunRequest((path,), jobs=at_once)
        if request_id:
            common = common.replace(request_id=request_id)
        requests = [common.replace(values=dict(values)) for values in sets]

        async def begin(context: Any) -> Any:
            jobs = await start_each(requests, context, owner=who)
            # Whoever asks later for what was begun is told of the one job, or of their names.
            return jobs[0] if len(jobs) == 1 else Begun(jobs)

        begun = await self._desk.bounded(begin)
        return begun.jobs if isinstance(begun, Begun) else (begun,)

    async def _told(
        self, job: str, ends: float, show: Sequence[int], budget: int
    ) -> dict[str, Any]:
        left = max(0.0, ends - time.monotonic())
        answer = await self._jobs.wait(job, left, budget=budget)
        told = {name: each for name, each in answer.plain.items() if name != "notebook"}
        if show and answer.status != "running" and not told.get("failed_cell"):
            told["outputs"] = await self.outputs(job, show, budget)
        return told

    async def outputs(
        self, job: str, show: Sequence[int], budget: int = BUDGET
    ) -> list[Mapping[str, Any]]:
        """What some cells of a run put out."""
        from octavo.sessions.jobs.outputs import of_cells

        async def work(context: Any) -> Any:
            return of_cells(context.store(self._desk.project).find(job), show, budget)

        return list(await self._desk.bounded(work))
