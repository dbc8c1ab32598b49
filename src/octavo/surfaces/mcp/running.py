"""Runs that tools begin: by `notebook_execute`, and by an edit that is to be tried at once."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from octavo.surfaces.mcp.caller import caller
from octavo.surfaces.mcp.desk import Desk
from octavo.surfaces.mcp.following import BUDGET
from octavo.surfaces.mcp.jobs import JobDesk


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
        from octavo.runs.request import RunRequest
        from octavo.sessions.jobs.detached import start_detached

        began, who = time.monotonic(), caller().identity
        request = RunRequest((path,), values=dict(parameters))
        if request_id:
            request = request.replace(request_id=f"{who}:{request_id}")

        async def begin(context: Any) -> Any:
            return await start_detached(request, context, owner=who)

        job = await self._desk.bounded(begin)
        left = min(wait, self._desk.patience - (time.monotonic() - began))
        answer = await self._jobs.wait(job.id, max(0.0, left), budget=budget)
        told = {name: each for name, each in answer.plain.items() if name != "notebook"}
        if show and answer.status != "running" and not told.get("failed_cell"):
            told["outputs"] = await self._outputs(job.id, show, budget)
        return told

    async def _outputs(self, job: str, show: Sequence[int], budget: int) -> list[Mapping[str, Any]]:
        from octavo.sessions.jobs.outputs import of_cells

        async def work(context: Any) -> Any:
            return of_cells(context.store(self._desk.project).find(job), show, budget)

        return list(await self._desk.bounded(work))
