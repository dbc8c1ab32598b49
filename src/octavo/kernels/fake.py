"""A kernel that plays a script: for tests of everything that drives kernels.

    engine = FakeEngine({
        "print('hello')": [text("hello\\n")],
        "1 + 1": [result("2")],
        "boom": [text("so far\\n"), error("ValueError", "boom", line=1)],
        "spin": [text("started\\n"), wait()],
        "crash": [die(signal="SIGSEGV")],
    })

A cell is looked up by its source; a function of the code may be given instead. A source that the
script does not know does nothing, successfully.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from octavo.environments.launch import Launch
from octavo.events.types import (
    Display,
    ErrorRaised,
    ExecuteResult,
    ExitRequested,
    KernelEvent,
    LimitExceeded,
    Stream,
    StreamName,
)
from octavo.kernels.port import Code, Death, Outcome, Sink, Usage


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait until the kernel is interrupted or killed, or until an event is set."""

    until: asyncio.Event | None = None
    deaf: bool = False


@dataclass(frozen=True, slots=True)
class Used:
    """What the outcome says that the cell has used."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Die:
    """End the process in the middle of the cell."""

    death: Death


Step = KernelEvent | Wait | Die | Used
Script = Mapping[str, Sequence[Step]] | Callable[[Code], Sequence[Step]]


def text(content: str, name: StreamName = "stdout") -> Stream:
    """Text that the cell writes."""
    return Stream(0, name, content)


def result(content: str | Mapping[str, Any]) -> ExecuteResult:
    """The value of the cell; its count is filled in."""
    data = {"text/plain": content} if isinstance(content, str) else content
    return ExecuteResult(0, 0, data)


def display(
    data: Mapping[str, Any], display_id: str | None = None, update: bool = False
) -> Display:
    """Something that the cell displays."""
    return Display(0, data, {}, display_id, update)


def error(ename: str, evalue: str = "", *, line: int | None = 1) -> ErrorRaised:
    """An error that ends the cell."""
    return ErrorRaised(0, ename, evalue, (f"{ename}: {evalue}",), line)


def leave(value: Any = None) -> ExitRequested:
    """The cell asks to end the run, as a success."""
    return ExitRequested(0, value)


def wait(until: asyncio.Event | None = None, *, deaf: bool = False) -> Wait:
    """Stay busy. `deaf` means that interrupts do not help."""
    return Wait(until, deaf)


def used(memory_peak: int | None = None, cpu_seconds: float | None = None) -> Used:
    """What the cell is said to have used."""
    return Used(Usage(memory_peak, cpu_seconds))


def die(exit_code: int | None = None, signal: str | None = None, *, oom: bool = False) -> Die:
    """The process ends by itself, or by the system's want of memory."""
    if signal is None and not oom:
        return Die(Death(exit_code, None, f"the kernel ended with exit code {exit_code}"))
    name = signal or "SIGKILL"
    return Die(Death(None, name, f"the kernel was ended by {name}", "oom" if oom else "signal"))


def exceed(limit: str, allowed: float, used: float) -> list[Step]:
    """A limit is passed and the kernel is ended for it."""
    death = Death(None, "SIGKILL", f"the {limit} limit was passed", "killed")
    return [LimitExceeded(0, limit, allowed, used), Die(death)]


@dataclass(eq=False)
class FakeKernel:
    """Plays its script; `executed` are the codes that it was given."""

    script: Script
    sink: Sink
    launch: Launch
    pid: int = 1
    facts: Mapping[str, Any] = field(default_factory=lambda: {"implementation": "fake"})
    death: Death | None = None
    executed: list[Code] = field(default_factory=list)
    interrupts: int = 0
    stops: int = 0

    def __post_init__(self) -> None:
        self._count = 0
        self._interrupted = asyncio.Event()
        self._dead = asyncio.Event()

    async def execute(self, code: Code) -> Outcome:
        """Play the steps of one cell."""
        if self.death is not None:
            return Outcome("died")
        self.executed.append(code)
        self._interrupted.clear()
        self._count += 1
        usage = Usage(memory_peak=1 << 20, cpu_seconds=0.0)
        for step in self._steps(code):
            if isinstance(step, Used):
                usage = step.usage
            elif isinstance(step, Die):
                self._die(step.death)
            elif isinstance(step, Wait):
                await self._wait(step, code)
            else:
                self.sink([self._placed(step, code)])
            if self.death is not None:
                return Outcome("died", usage=usage)
            if isinstance(step, ErrorRaised) or self._was_interrupted(step):
                return Outcome("error", self._count, usage)
            if isinstance(step, ExitRequested):
                break
        await asyncio.sleep(0)
        return Outcome("ok", self._count, usage)

    async def interrupt(self) -> None:
        self.interrupts += 1
        self._interrupted.set()

    async def kill(self) -> None:
        self._die(Death(None, "SIGKILL", "the kernel was ended by SIGKILL", "killed"))

    async def stop(self) -> None:
        self.stops += 1
        self._die(Death(0, None, "the kernel ended with exit code 0"))

    def _steps(self, code: Code) -> Sequence[Step]:
        if isinstance(self.script, Mapping):
            return self.script.get(code.source, ())
        return self.script(code)

    def _placed(self, event: KernelEvent, code: Code) -> KernelEvent:
        if isinstance(event, ExecuteResult):
            event = event.replace(execution_count=self._count)
        return event.replace(cell=code.cell)

    def _was_interrupted(self, step: Step) -> bool:
        return isinstance(step, Wait) and not step.deaf and self._interrupted.is_set()

    async def _wait(self, step: Wait, code: Code) -> None:
        ends = [self._dead, *([] if step.deaf else [self._interrupted])]
        if step.until is not None:
            ends.append(step.until)
        waiting = [asyncio.ensure_future(end.wait()) for end in ends]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waiting:
                each.cancel()
        if self.death is None and self._was_interrupted(step):
            self.sink([error("KeyboardInterrupt").replace(cell=code.cell)])

    def _die(self, death: Death) -> None:
        if self.death is None:
            self.death = death
            self._dead.set()


class FakeEngine:
    """Makes fake kernels; `kernels` are those that it made, `failure` is raised instead."""

    name = "fake"

    def __init__(self, script: Script | None = None, *, failure: Exception | None = None) -> None:
        self.script: Script = {} if script is None else script
        self.failure = failure
        self.kernels: list[FakeKernel] = []
        self.closed = False

    async def start(self, launch: Launch, sink: Sink) -> FakeKernel:
        if self.failure is not None:
            raise self.failure
        kernel = FakeKernel(self.script, sink, launch, pid=len(self.kernels) + 1)
        self.kernels.append(kernel)
        return kernel

    def release(self) -> None:
        pass

    async def close(self) -> None:
        self.closed = True
