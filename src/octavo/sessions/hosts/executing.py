"""One execution of a session: from the code to what the record says of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from octavo.errors import OctavoError, StorageError
from octavo.events.fold import OUTPUT_EVENTS, OutputFold
from octavo.events.types import (
    BoundCell,
    CellBound,
    CellFinished,
    CellStarted,
    CellStatus,
    Display,
    ErrorRaised,
    Event,
    ExecuteResult,
    KernelDied,
    Stream,
)
from octavo.kernels.port import Code, Kernel, Outcome
from octavo.notebook.skipping import may_raise
from octavo.runs.driver import outcome_of
from octavo.runs.pipeline import Pipeline
from octavo.value import Value

Role = Literal["cell", "scratch", "again"]
#: How long code may take to react to an interrupt before its kernel is ended.
GRACE = 3.0


class Wanted(Value):
    """A cell that is to be executed, and under which bounds."""

    bound: BoundCell
    role: Role = "cell"
    key: str = ""
    request: str | None = None
    timeout: float | None = None


class Execution:
    """A cell of the record, as its events arrive."""

    def __init__(self, cell: int, wanted: Wanted) -> None:
        self.cell = cell
        self.wanted = wanted
        self.status: CellStatus = "pending"
        self.started = time.time()
        self.finished: float | None = None
        self.count: int | None = None
        self.error: ErrorRaised | None = None
        self.message = ""
        self.interrupted = False
        self.failure: Exception | None = None
        #: About how many characters its outputs hold.
        self.size = 0
        self._fold = OutputFold()
        self._newest: dict[str, Display] = {}

    def take(self, event: Event) -> None:
        """An event of this cell, as it stands in the journal."""
        if isinstance(event, ErrorRaised):
            self.error = event
        if isinstance(event, Display) and event.display_id is not None:
            self._newest[event.display_id] = event
        if isinstance(event, OUTPUT_EVENTS):
            self._fold.apply(event)
            self.size += _size(event)

    def forget(self) -> None:
        """Let go of the outputs; the record has them."""
        self._fold, self._newest, self.size = OutputFold(), {}, 0

    def outputs(self, read_spilled: Callable[[str, int, int], bytes]) -> list[dict[str, Any]]:
        """What it has shown so far, as nbformat spells it."""
        return self._fold.outputs(self._newest.get, read_spilled)

    @property
    def seconds(self) -> float:
        return max(0.0, (self.finished or time.time()) - self.started)


class Executor:
    """Executes one cell at a time, and writes what happens to the journal first."""

    def __init__(self) -> None:
        self.pipeline: Pipeline
        self.next_cell = 0
        self.follow: Callable[[Event], None] = nobody
        self.current: Execution | None = None

    def reserve(self) -> int:
        """The index of the next cell of the record."""
        self.next_cell += 1
        return self.next_cell - 1

    def emitted(self, event: Event) -> None:
        """Told of every event once it is in the journal."""
        current = self.current
        if current is not None and getattr(event, "cell", None) == current.cell:
            current.take(event)
        self.follow(event)

    def begin(self, wanted: Wanted, cell: int) -> Execution:
        """Write that a cell is executed now; StorageError when the journal cannot be written."""
        execution = Execution(cell, wanted)
        pipeline, now = self.pipeline, execution.started
        bound = CellBound(cell, now, wanted.bound, wanted.role, wanted.key, wanted.request)
        self.current = execution
        pipeline.write(pipeline.redact(bound), CellStarted(cell, now))
        execution.status = "running"
        return execution

    async def run(self, kernel: Kernel, execution: Execution) -> None:
        """Run a cell to its end; its `failure` says why it could not be written down."""
        pipeline = self.pipeline
        outcome, expired = await self._outcome(kernel, execution)
        try:
            pipeline.end_of_cell(execution.cell)
        except StorageError as error:
            pipeline.failure = error
        self._end(kernel, execution, outcome, expired=expired)
        execution.failure, pipeline.failure = pipeline.failure, None

    def not_run(self, wanted: Wanted, cell: int) -> None:
        """Note that a cell was given up before it began."""
        now = time.time()
        bound = CellBound(cell, now, wanted.bound, wanted.role, wanted.key, wanted.request)
        finished = CellFinished(cell, now, "not-run")
        with suppress(StorageError):
            self.pipeline.write(self.pipeline.redact(bound), finished)

    async def _outcome(self, kernel: Kernel, execution: Execution) -> tuple[Outcome, bool]:
        """How the cell ended, and whether its time was over."""
        source = execution.wanted.bound.source
        if not source.strip():
            return Outcome("ok"), False
        bound = execution.wanted.timeout
        code = Code(execution.cell, source)
        try:
            if bound is None:
                return await self._executed(kernel, code), False
            task = asyncio.ensure_future(self._executed(kernel, code))
            await asyncio.wait({task}, timeout=bound)
            late = not task.done()
            if late:
                await _end(kernel, task)
            return outcome_of(task), late
        except asyncio.CancelledError:
            await kernel.kill()
            raise

    async def _executed(self, kernel: Kernel, code: Code) -> Outcome:
        """The outcome of a cell; where it cannot be written down, the cell is ended first."""
        ended: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        ending: list[asyncio.Future[None]] = []

        def stuck() -> None:
            ending.append(asyncio.ensure_future(_end(kernel, ended)))

        self.pipeline.on_failure = stuck
        try:
            outcome = await kernel.execute(code)
        except OctavoError:
            outcome = Outcome("died")
        finally:
            self.pipeline.on_failure = _nothing
        if not ended.done():
            ended.set_result(outcome)
        if ending:
            await ending[0]
        return outcome

    def _end(
        self, kernel: Kernel, execution: Execution, outcome: Outcome, *, expired: bool
    ) -> None:
        execution.status = _status(execution, outcome, expired=expired)
        execution.finished = time.time()
        execution.count = outcome.execution_count
        events: list[Event] = []
        if outcome.status == "died":
            death = kernel.death
            execution.message = death.message if death else "the kernel is gone"
            code, signal = (death.exit_code, death.signal) if death else (None, None)
            events.append(KernelDied(execution.finished, code, signal, execution.message))
        usage = outcome.usage
        events.append(
            CellFinished(
                execution.cell,
                execution.finished,
                execution.status,
                outcome.execution_count,
                usage.memory_peak,
                usage.cpu_seconds,
            )
        )
        try:
            self.pipeline.write(*events)
        except StorageError as error:
            self.pipeline.failure = self.pipeline.failure or error


def _size(event: Event) -> int:
    if isinstance(event, Stream):
        return len(event.text)
    if isinstance(event, Display | ExecuteResult):
        return sum(len(value) if isinstance(value, str) else 1000 for value in event.data.values())
    return 1000


def nobody(event: Event) -> None:
    """Follows what happens while no work goes on."""


def _nothing() -> None:
    pass


async def _end(kernel: Kernel, task: asyncio.Future[Outcome]) -> None:
    """Interrupt first; what does not react loses its kernel."""
    await kernel.interrupt()
    await asyncio.wait({task}, timeout=GRACE)
    if not task.done():
        await kernel.kill()
        await asyncio.wait({task}, timeout=GRACE)
    if not task.done():
        task.cancel()


def _status(execution: Execution, outcome: Outcome, *, expired: bool) -> CellStatus:
    if expired:
        return "timed-out"
    if outcome.status == "died":
        return "kernel-died"
    if outcome.status == "ok" or may_raise(execution.wanted.bound.metadata):
        return "succeeded"
    return "interrupted" if execution.interrupted else "failed"
