"""Drives the cells of one bound notebook through a kernel, and says how each of them ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from octavo.errors import InfrastructureError, OctavoError
from octavo.events.types import (
    BoundCell,
    CellFinished,
    CellSkipped,
    CellStarted,
    CellStatus,
    Display,
    ErrorRaised,
    ExecuteResult,
    ExitRequested,
    KernelDied,
    KernelEvent,
    LimitExceeded,
    Reason,
    RunStatus,
)
from octavo.kernels.port import Code, Kernel, Outcome
from octavo.notebook.model import Cell
from octavo.notebook.skipping import may_raise, why_skipped
from octavo.runs.deadlines import Deadlines, Expiry
from octavo.runs.pipeline import Pipeline
from octavo.runs.stopping import Stop
from octavo.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from octavo.runs.handouts import HandedOut


class Ending(Value):
    """How a run ended."""

    status: RunStatus
    reason: Reason | None = None
    message: str = ""


class Watcher:
    """Remembers what the driver must know of the events that pass by."""

    def __init__(self, pipeline: Pipeline, handed_out: HandedOut | None) -> None:
        self._pipeline = pipeline
        self.handed_out = handed_out
        self.exit_requested = False
        self.limit: LimitExceeded | None = None
        self.error: ErrorRaised | None = None
        #: That of the first cell that failed, when the run went on after it.
        self.first_error: ErrorRaised | None = None

    def __call__(self, events: Sequence[KernelEvent]) -> None:
        for event in events:
            if isinstance(event, ExitRequested):
                self.exit_requested = True
            elif isinstance(event, LimitExceeded):
                self.limit = event
            elif isinstance(event, ErrorRaised):
                self.error = event
            elif self.handed_out is not None and isinstance(event, (Display, ExecuteResult)):
                self.handed_out.take(event)
        self._pipeline.from_kernel(events)


class Driver:
    """One pass over the cells, top to bottom."""

    def __init__(
        self,
        kernel: Kernel,
        pipeline: Pipeline,
        watcher: Watcher,
        deadlines: Deadlines,
        stop: Stop,
        *,
        grace: float,
        keep_going: bool = False,
    ) -> None:
        self._kernel = kernel
        self._pipeline = pipeline
        self._watcher = watcher
        self._deadlines = deadlines
        self._stop = stop
        self._grace = grace
        self._keep_going = keep_going
        #: Called before each cell is executed, with the idle kernel.
        self.before_cell: Callable[[Kernel, int], Awaitable[None]] | None = None

    async def run(self, cells: Sequence[BoundCell], values: Mapping[str, Any] | None) -> Ending:
        """Execute the code cells in order until one of them ends the run.

        A cell that failed does not end it when the run is to keep going; it is why the run ended
        unless something graver comes. `values` decide which cells are skipped; without them, only
        Jupyter's own tag does.
        """
        kept: Ending | None = None
        for index, cell in enumerate(cells):
            if cell.kind != "code":
                continue
            why = why_skipped(Cell("code", cell.source, cell.metadata), values)
            if why is not None:
                self._pipeline.write(CellSkipped(index, time.time(), why))
                continue
            ending = await self._run_cell(index, cell)
            if ending is None:
                continue
            if not self._goes_on_after(ending):
                return kept or ending if ending.status == "success" else ending
            if kept is None:
                kept, self._watcher.first_error = ending, self._watcher.error
        return kept or Ending("success")

    def _goes_on_after(self, ending: Ending) -> bool:
        return self._keep_going and ending.reason == "cell-error"

    async def _run_cell(self, index: int, cell: BoundCell) -> Ending | None:
        if self._stop.requested:
            return Ending("error", "interrupted", self._stop.message)
        if self.before_cell is not None:
            await self.before_cell(self._kernel, index)
        self._pipeline.write(CellStarted(index, time.time()))
        self._deadlines.start_cell()
        outcome, expiry = await self._outcome_of(index, cell)
        self._pipeline.end_of_cell(index)
        status, ending = self._judge(cell, outcome, expiry)
        self._pipeline.write(
            CellFinished(
                index,
                time.time(),
                status,
                outcome.execution_count,
                outcome.usage.memory_peak,
                outcome.usage.cpu_seconds,
            )
        )
        if self._pipeline.failure is not None:
            raise self._pipeline.failure
        return ending

    async def _outcome_of(self, index: int, cell: BoundCell) -> tuple[Outcome, Expiry | None]:
        if not cell.source.strip():
            return Outcome("ok"), None
        return await self._execute(Code(index, cell.source))

    async def _execute(self, code: Code) -> tuple[Outcome, Expiry | None]:
        """The outcome of a cell, and the bound that had to end it."""
        task = asyncio.ensure_future(self._kernel.execute(code))
        self._pipeline.on_failure = lambda: _abandon(task)
        try:
            expiry = await self._wait(task)
            if not task.done():
                await self._end(task)
            return outcome_of(task), expiry
        except asyncio.CancelledError:
            await self._kernel.kill()
            raise

    async def _wait(self, task: asyncio.Future[Outcome]) -> Expiry | None:
        """Until the cell is done, somebody wants to stop, or a bound is reached."""
        stopping = self._stop.asked
        while True:
            expiry = self._deadlines.next()
            left = None if expiry is None else max(0.0, expiry.left)
            await _first({task, stopping}, left)
            if task.done() or stopping.done():
                return None
            current = self._deadlines.next()
            if current is not None and current.left <= 0:
                return current

    async def _end(self, task: asyncio.Future[Outcome]) -> None:
        """Interrupt first, then end the kernel with everything it has started."""
        await self._kernel.interrupt()
        await _first({task, self._stop.hurry}, self._grace)
        if not task.done():
            await self._kernel.kill()
            await asyncio.wait({task}, timeout=self._grace)
        if not task.done():
            task.cancel()

    def _judge(
        self, cell: BoundCell, outcome: Outcome, expiry: Expiry | None
    ) -> tuple[CellStatus, Ending | None]:
        """What became of a cell, and whether the run ends with it."""
        if self._pipeline.failure is not None and self._kernel.death is None:
            # The kernel lives: it was we who could not go on.
            return "succeeded" if outcome.status == "ok" else "interrupted", None
        if expiry is not None:
            return "timed-out", Ending("error", expiry.reason, expiry.message)
        if self._stop.requested and outcome.status != "ok":
            return "interrupted", Ending("error", "interrupted", self._stop.message)
        if outcome.status == "died":
            return "kernel-died", self._died()
        if outcome.status == "error" and not may_raise(cell.metadata):
            return "failed", Ending("error", "cell-error")
        if self._watcher.exit_requested:
            return "succeeded", Ending("success", "exited-early")
        return "succeeded", None

    def _died(self) -> Ending:
        death = self._kernel.death
        limit = self._watcher.limit
        if limit is not None:
            reason: Reason = "out-of-memory" if limit.limit == "memory" else "limit-exceeded"
            return Ending("error", reason, _limit_message(limit))
        message = death.message if death else "the kernel is gone"
        self._pipeline.write(
            KernelDied(
                time.time(),
                death.exit_code if death else None,
                death.signal if death else None,
                message,
            )
        )
        if death is not None and death.cause == "oom":
            return Ending("error", "out-of-memory", message)
        return Ending("error", "kernel-died", message)


async def _first(futures: set[asyncio.Future[Any]], seconds: float | None) -> None:
    """Until one of them is done, or the time is over."""
    await asyncio.wait(futures, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)


def _abandon(task: asyncio.Future[Outcome]) -> None:
    task.cancel()


def outcome_of(task: asyncio.Future[Outcome]) -> Outcome:
    """The outcome of a cell. An engine that raises has a mistake; no kernel is to be blamed."""
    if not task.done() or task.cancelled():
        return Outcome("died")
    error = task.exception()
    if error is None:
        return task.result()
    if isinstance(error, OctavoError):
        return Outcome("died")
    raise InfrastructureError(
        "internal",
        f"the engine failed: {type(error).__name__}: {error}",
        hint="the notebook is not to blame; please report it",
    ) from error


def _limit_message(limit: LimitExceeded) -> str:
    used, allowed = limit.used, limit.allowed
    if limit.limit in ("memory", "file_size"):
        option = "--memory" if limit.limit == "memory" else "--file-size"
        name = "memory" if limit.limit == "memory" else "a file"
        return f"{name}: {used / 1e6:,.0f} MB used, {allowed / 1e6:,.0f} MB allowed ({option})"
    if limit.limit == "cpu_seconds":
        return f"{used:.1f} s of processor time used, {allowed:g} s allowed (--cpu)"
    return f"{used:g} {limit.limit} used, {allowed:g} allowed (--{limit.limit})"
