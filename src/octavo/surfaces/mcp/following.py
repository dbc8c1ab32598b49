"""Jobs as tools tell of them: what a run came to so far, and how it ended."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from octavo.errors import UsageError
from octavo.sessions.jobs import following as jobs
from octavo.sessions.jobs.meaning import meant
from octavo.sessions.jobs.values import Cancelled, JobContext, JobState, Polled
from octavo.surfaces.mcp.caller import Caller, caller
from octavo.surfaces.mcp.desk import WORK, Desk, StillRunning

#: Tokens of output in one answer, where the caller does not say.
BUDGET = 2000
_STEP = 1.0
_SCRAP = 2000
_SOURCE = 2000
_TRACEBACK = 12
#: Lines for the frame of the failing cell itself, which its source and line tell as well.
_OWN_FRAME = 2
_WIDTH = 400

Tell = Callable[[str, float, float], None]


class Followed:
    """How far a job has come, and what it put out since the cursor. `meant` are names that look
    like one which the failing cell misses."""

    def __init__(self, state: JobState, polled: Polled, meant: Sequence[str] = ()) -> None:
        self.state = state
        self.polled = polled
        self.meant = meant


class Following:
    """Jobs of one desk, for the caller and nobody else."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def refuse_others(self, job: str) -> None:
        """A job of somebody else is as good as none."""
        if not self._desk.owners.has(job, caller().identity):
            raise no_job(job)

    async def follow(
        self, job: str, seconds: float | None, cursor: str | None = None, budget: int = BUDGET
    ) -> Followed:
        """Wait for a job for as long as a call may take, and tell how it goes on."""
        self.refuse_others(job)
        patience = self._desk.patience
        left = patience if seconds is None else max(0.0, min(seconds, patience))
        who, loop = caller(), asyncio.get_running_loop()
        tell = _teller(who, loop)
        future = self._desk.begun(
            lambda context: _followed(job, left, cursor, budget, context, tell)
        )
        await asyncio.wait({future}, timeout=(left + self._desk.limit) / 2)
        if not future.done():
            raise StillRunning(job)
        followed: Followed = future.result()
        return followed

    async def cancel(self, job: str) -> Cancelled:
        """Ask a job to stop, and wait until it has."""
        self.refuse_others(job)
        seconds = max(1.0, self._desk.patience - 5)
        cancelled: Cancelled = await self._desk.bounded(
            lambda context: jobs.cancel(job, context, seconds=seconds)
        )
        return cancelled


async def _followed(
    job: str, left: float, cursor: str | None, budget: int, context: JobContext, tell: Tell
) -> Followed:
    ends = time.monotonic() + left
    while True:
        step = max(0.0, min(_STEP, ends - time.monotonic()))
        state = await jobs.wait(job, step, context)
        if state.ended or time.monotonic() >= ends:
            break
        tell(f"{state.done} of {state.cells} cells", state.done, state.cells)
    polled = await jobs.poll(job, cursor, context, budget=budget)
    return Followed(state, polled, _meant(state, context))


def _meant(state: JobState, context: JobContext) -> Sequence[str]:
    failed = (state.result or {}).get("failed_cell")
    if not failed or state.kind == "execution":
        return ()
    return meant(context.store(context.cwd).find(state.id), failed)


def _teller(who: Caller, loop: asyncio.AbstractEventLoop) -> Tell:
    def tell(text: str, done: float, total: float) -> None:
        loop.call_soon_threadsafe(who.tell, text, done, total or None)

    return tell


def ran(followed: Followed, path: str, *, since: bool = False) -> dict[str, Any]:
    """A run of the notebook at a path, as `notebook_execute` and `job_wait` tell it.

    Whoever asked for what came `since` a cursor gets all of that.
    """
    state, polled = followed.state, followed.polled
    told = {"run_id": state.short, "notebook": path, "outputs": list(polled.outputs)}
    if not state.ended:
        return {**told, **_going_on(state, polled)}
    ended = {**told, **_ended(state, polled, path)}
    if ended["failed_cell"] and followed.meant:
        ended["failed_cell"]["did_you_mean"] = list(followed.meant)
    if since:
        ended |= {"outputs": told["outputs"], "cursor": polled.cursor if polled.more else None}
    return ended


def _going_on(state: JobState, polled: Polled) -> dict[str, Any]:
    return {
        "job": state.id,
        "status": "running",
        "cells_executed": state.done,
        "cells": state.cells,
        "cursor": polled.cursor,
        "next": f'job_wait(job="{state.short}", cursor="{polled.cursor}")',
    }


def _ended(state: JobState, polled: Polled, path: str) -> dict[str, Any]:
    result = state.result or {}
    failed = failed_cell(result.get("failed_cell"), path, polled.outputs)
    return {
        "status": "success" if state.status == "succeeded" else "error",
        "reason": _told_reason(state.reason or result.get("reason"), failed=bool(failed)),
        "message": state.message or result.get("message"),
        "duration_seconds": result.get("duration_seconds"),
        "cells_executed": result.get("cells_executed", state.done) if failed else None,
        "scraps": short_scraps(result.get("scraps") or {}),
        "scrap_problems": list(result.get("scrap_problems") or ()),
        "failed_cell": failed,
        "outputs": _worth_telling(polled.outputs, failed, bool(result.get("scraps"))),
        "images_of_cells": _drawn(polled.outputs) if result.get("scraps") and not failed else None,
        "next": _next(failed, path),
    }


def _told_reason(reason: str | None, *, failed: bool) -> str | None:
    """Why it ended; that a cell raised an error is told by the cell itself."""
    return None if failed and reason == "cell-error" else reason


def _worth_telling(
    outputs: Sequence[Mapping[str, Any]], failed: Mapping[str, Any] | None, handed_out: bool
) -> list[Mapping[str, Any]]:
    """Outputs that say more of an ended run than its answer does; `run_result` has them all.

    Of a failed run those of the failing cell count, without the error that is told already. A
    notebook that hands out values has said itself what came of it.
    """
    if failed is None:
        return [] if handed_out else list(outputs)
    errors = [each for each in outputs if each.get("type") == "error"]
    if not errors:
        return list(outputs)
    cell = errors[-1].get("cell")
    return [each for each in outputs if each.get("cell") == cell and each is not errors[-1]]


def _drawn(outputs: Sequence[Mapping[str, Any]]) -> list[int]:
    """The cells that have images, for whoever wants to see them (`run_result`)."""
    drawn = {each.get("cell") for each in outputs if each.get("type") == "image"}
    return sorted(cell for cell in drawn if isinstance(cell, int))


def _next(failed: Mapping[str, Any] | None, path: str) -> str:
    """What mends it; what succeeded needs nothing."""
    if failed is None or failed.get("index") is None:
        return ""
    return f'notebook_edit("{path}", {failed["index"]}, new_source=…, execute=true)'


def failed_cell(
    plain: Mapping[str, Any] | None, path: str, outputs: Sequence[Mapping[str, Any]]
) -> dict[str, Any] | None:
    """The failing cell in few words, with the line of the author's file."""
    if not plain:
        return None
    errors = [each for each in outputs if each.get("type") == "error"]
    told = errors[-1] if errors else {}
    line = plain.get("line")
    lines = told.get("lines") or short_traceback(plain.get("traceback") or ())
    return {
        "index": plain.get("index"),
        "ename": plain.get("ename") or "",
        "evalue": _cut(str(plain.get("evalue") or ""), _SOURCE),
        "source": _cut(str(plain.get("source") or ""), _SOURCE),
        "where": told.get("where") or (f"{path}:{line}" if line else None),
        "traceback": list(lines) if len(lines) > _OWN_FRAME else None,
    }


def short_traceback(lines: Sequence[str]) -> list[str]:
    """The last lines, without colours."""
    from octavo.render.columns import plain

    every = [plain(line) for each in lines for line in each.splitlines()]
    return [_cut(line, _WIDTH) for line in every[-_TRACEBACK:]]


def short_scraps(scraps: Mapping[str, Any]) -> dict[str, Any]:
    """Scraps, those that are long as the beginning of their text."""
    told = {}
    for name, value in scraps.items():
        text = json.dumps(value, ensure_ascii=False, default=str)
        told[name] = value if len(text) <= _SCRAP else _cut(text, _SCRAP)
    return told


def no_job(job: str) -> UsageError:
    if job.startswith(WORK):
        hint = "it ended with the server that did it: see whether it was done, then call again"
        return UsageError("job-not-found", f"there is no job {job[:80]!r} any more", hint=hint)
    return UsageError(
        "job-not-found", f"there is no job {job[:80]!r}", hint="runs_list shows what was run"
    )


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text)} characters)"
