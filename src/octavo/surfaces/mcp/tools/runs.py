"""Tools that run notebooks, look at runs, and wait for work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from octavo.surfaces.mcp.caller import caller
from octavo.surfaces.mcp.declaring import READS, REPLACES, RUNS_CODE, Declared
from octavo.surfaces.mcp.desk import Desk
from octavo.surfaces.mcp.following import BUDGET, short_scraps
from octavo.surfaces.mcp.identity import LOCAL
from octavo.surfaces.mcp.jobs import JobDesk
from octavo.surfaces.mcp.naming import run_named
from octavo.surfaces.mcp.results import JobDone, Ran, Runs, RunShown
from octavo.surfaces.mcp.running import Running
from octavo.surfaces.mcp.tools.notebooks import Budget, Path, refuse_missing, without_digest

Job = Annotated[str, Field(max_length=100, description="The `job` of an answer")]
Wait = Annotated[float, Field(ge=0, le=30, description="Seconds to wait, at most 30")]
RequestId = Annotated[
    str, Field(max_length=100, description="An id of yours: sent twice, it is run once")
]
Sets = Annotated[list[dict[str, Any]], Field(min_length=1, max_length=20)]
_MOST = 1000
#: As many cells are told with their images.
_DRAWN = 10
#: Characters for a token of the budget, where a text is told by its characters.
_LETTERS = 3


class RunTools:
    """Runs and jobs of the caller."""

    def __init__(self, desk: Desk, jobs: JobDesk) -> None:
        self._desk = desk
        self._jobs = jobs
        self._running = Running(desk, jobs)

    def declared(self) -> list[Declared]:
        return [
            Declared(self.notebook_execute, RUNS_CODE),
            Declared(self.runs_list, READS),
            Declared(self.run_result, READS),
            Declared(self.job_wait, READS),
            Declared(self.job_cancel, REPLACES),
        ]

    async def notebook_execute(
        self,
        path: Path,
        parameters: Annotated[
            dict[str, Any] | Sets,
            Field(description="Values of declared parameters; a list: one run for each"),
        ] = {},  # noqa: B006
        wait: Wait = 30,
        request_id: RequestId = "",
        show: Annotated[
            list[int], Field(max_length=20, description="Cells whose outputs to tell")
        ] = [],  # noqa: B006
        budget: Budget = BUDGET,
    ) -> Ran:
        """Run a notebook from top to bottom in a fresh kernel, and keep a record. A failing cell
        is a result (failed_cell). What is not done in time goes on as a job."""
        where = self._desk.path(path)
        refuse_missing(self._desk, where)
        rest = (wait, request_id, show, budget)
        if isinstance(parameters, list):
            return Ran(**await self._running.run_each(where, parameters, *rest))
        return Ran(**await self._running.run(where, parameters, *rest))

    async def runs_list(
        self,
        notebook: Annotated[str, Field(description="Only runs of this notebook")] = "",
        status: Annotated[str, Field(description="success, error, running or a reason")] = "",
        since: Annotated[str, Field(description="2h, 3d, today, 2026-01-31")] = "",
        where: Annotated[
            list[str], Field(description="Conditions on parameters and scraps: score>0.8")
        ] = [],  # noqa: B006
        limit: Annotated[int, Field(ge=1, le=100)] = 10,
    ) -> Runs:
        """Runs of this project with parameters and scraps, the newest first."""
        from octavo.runs.looking.listing import RunsRequest

        who = caller().identity
        path = self._desk.path(notebook, "notebook") if notebook else None
        hidden = [id for id, owner in self._desk.owners.all() if owner not in (LOCAL, who)]
        most = min(_MOST, limit + (len(hidden) if who != LOCAL else 0))
        request = RunsRequest(
            path, status=status or None, since=since or None, where=tuple(where), limit=most
        )
        found = await self._desk.operate("runs", request)
        rows = [row for row in found.runs if self._desk.owners.may_look(row.run_id, who)]
        told = [self._row(row.to_json()) for row in rows[:limit]]
        return Runs(runs=told, more=found.more or len(rows) > limit or None)

    def _row(self, plain: dict[str, Any]) -> dict[str, Any]:
        return _row({**plain, "notebook": self._desk.relative(plain.get("notebook") or "")})

    async def run_result(
        self,
        run: Annotated[str, Field(description="Run id or its last letters; last")] = "last",
        cells: Annotated[str, Field(description='"3-7,load" with outputs; empty: outline')] = "",
        handle: Annotated[str, Field(description="Of a shortened output: all of it")] = "",
        offset: Annotated[int, Field(ge=0, description="handle: from this character on")] = 0,
        budget: Budget = 4000,
    ) -> RunShown:
        """Look at a run: how it ended, what it handed out, cells with their outputs; or the whole
        of one output by its handle."""
        if handle:
            return await self._whole(handle, offset, budget)
        from octavo.authoring.reading.read import ReadRequest

        found = await run_named(self._desk, run)
        request = ReadRequest(found, cells=(cells,) if cells.strip() else (), budget=budget)
        reading = await self._desk.operate("read", request)
        plain = reading.to_json()
        told = plain.get("run") or {}
        return RunShown(
            run_id=found[-8:],
            status=told.get("status"),
            reason=told.get("reason"),
            text=without_digest(reading.text),
            images=await self._images(found, plain) if cells.strip() else None,
        )

    async def _images(self, run: str, plain: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The images of the cells that were read, as files."""
        drawn = [
            each["index"]
            for each in plain.get("cells") or ()
            if each.get("index") is not None and "image" in str(each.get("output_kinds"))
        ]
        outputs = await self._running.outputs(run, drawn[:_DRAWN]) if drawn else []
        return [dict(each) for each in outputs if each.get("type") == "image"]

    async def _whole(self, handle: str, offset: int, budget: int) -> RunShown:
        from octavo.records.handles import handle_of, whole

        meant = handle_of(handle)
        found = await run_named(self._desk, meant.run)

        async def work(context: Any) -> Any:
            run = context.store(self._desk.project).find(found)
            return whole(run, meant, offset, budget * _LETTERS)

        part = await self._desk.bounded(work)
        return RunShown(run_id=found[-8:], text=part.text, omitted=part.left or None)

    async def job_wait(
        self,
        job: Job,
        seconds: Wait = 25,
        cursor: Annotated[str, Field(description="Of the last answer: only what is new")] = "",
        budget: Budget = BUDGET,
    ) -> JobDone:
        """Wait for work that goes on (a run, an execution, a check); answers its result, or how
        far it is with what it printed since the cursor."""
        answer = await self._jobs.wait(job, seconds, cursor or None, budget)
        return JobDone(**answer.plain)

    async def job_cancel(self, job: Job) -> JobDone:
        """Stop work that goes on: the cell is interrupted, then ended. Its record stays true."""
        return JobDone(**await self._jobs.cancel(job))


def _row(plain: dict[str, Any]) -> dict[str, Any]:
    wanted = (
        "run_id", "status", "reason", "notebook", "started", "duration_seconds", "cells_executed",
        "parameters", "scraps", "parent_run",
    )  # fmt: skip
    told = {name: plain[name] for name in wanted if plain.get(name) not in (None, {}, "")}
    told["run_id"] = str(plain["run_id"])[-8:]
    for name in ("parameters", "scraps"):
        if name in told:
            told[name] = {
                key: value if len(str(value)) <= 200 else f"{str(value)[:200]}…"
                for key, value in short_scraps(told[name]).items()
            }
    return told
