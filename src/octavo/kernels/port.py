"""What every engine is to the rest of the program.

The driver of a run calls, in this order: `Engine.start` once; then for each cell
`Kernel.execute`; at any moment, from another task, `Kernel.interrupt` or `Kernel.kill`; and
`Kernel.stop` at the end, whatever happened. Events reach the `sink` in the order in which the
code produced them, in batches, before `execute` returns; when `sink` returns they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, runtime_checkable

from octavo.environments.launch import Launch
from octavo.events.types import KernelEvent
from octavo.value import EMPTY, Value

Sink = Callable[[Sequence[KernelEvent]], None]


class Usage(Value):
    """What a cell has used: peak resident memory in bytes, processor seconds."""

    memory_peak: int | None = None
    cpu_seconds: float | None = None


class Outcome(Value):
    """How the execution of a cell ended.

    `died` means that the kernel's process is gone; the other two leave it usable.
    """

    status: Literal["ok", "error", "died"]
    execution_count: int | None = None
    usage: Usage = Usage()


class Death(Value):
    """How a kernel's process ended; `cause` is "oom" where the system's killer did it."""

    exit_code: int | None
    signal: str | None
    message: str
    cause: Literal["exit", "signal", "oom", "killed", "lost"] = "exit"


class Code(Value):
    """One cell to execute. `parent` names the request for widgets."""

    cell: int
    source: str
    metadata: Mapping[str, Any] = EMPTY


class Kernel(Protocol):
    """A process that executes code cells and emits events."""

    pid: int
    facts: Mapping[str, Any]

    async def execute(self, code: Code) -> Outcome:
        """Run one cell to its end. Never raises for what the code did, nor for a dead kernel.

        Where the sink raises, the kernel is killed and this raises the sink's error.
        """

    async def interrupt(self) -> None:
        """Ask the running code to stop, as Ctrl-C does. Returns at once; the kernel stays."""

    async def kill(self) -> None:
        """End the kernel and everything it has started, now."""

    async def stop(self) -> None:
        """End the kernel and everything it has started; safe to call twice."""

    @property
    def death(self) -> Death | None:
        """How the process ended, once it has."""


class Engine(Protocol):
    """A kind of kernel."""

    name: str

    async def start(self, launch: Launch, sink: Sink) -> Kernel:
        """A kernel that is ready for its first cell; KernelFailure when that cannot be had."""

    def release(self) -> None:
        """No more kernels will be asked for: begin to end what waits for them. Returns at once."""

    async def close(self) -> None:
        """Give back what the engine holds (a zygote, a pool)."""


class Refusal(Value):
    """Why a kernel cannot be copied now; `message` names the thread, library or connection."""

    reason: Literal["threads", "thread-pool", "gpu", "connections", "processes", "unsupported"]
    message: str


class Snapshot(Protocol):
    """A paused copy of a kernel's state at a cell boundary. It ends with the kernel's keeper."""

    async def resume(self, sink: Sink) -> Kernel:
        """A kernel that goes on from here. The snapshot stays, and can be resumed again."""

    async def memory(self) -> int:
        """Its own bytes, and its part of those that it shares with the kernel and other copies."""

    async def drop(self) -> None:
        """Give it up; safe to call twice."""


@runtime_checkable
class Copying(Protocol):
    """What a kernel that can be copied also does."""

    async def snapshot(self, connections: Sequence[str] = ()) -> Snapshot | Refusal:
        """A copy of the idle kernel as it stands, or why there can be none.

        `connections` are patterns of hosts and ports; one that is open forbids a copy.
        """


@runtime_checkable
class Asking(Protocol):
    """What a kernel also does that can be looked into without running a cell."""

    async def ask(self, function: str, arguments: Mapping[str, Any], seconds: float) -> Any:
        """What `module:function` of the runtime says of the kernel's names, as JSON.

        It is called with the namespace and the arguments, in a copy where the kernel can be
        copied. TimeoutError when it takes longer.
        """


@runtime_checkable
class Movable(Protocol):
    """A kernel that another process of ours can go on with, given all that is open."""

    @property
    def at_rest(self) -> bool:
        """Whether it lives, nothing is asked of it, and nothing that it said is half read."""

    @property
    def heard_from(self) -> tuple[int, ...]:
        """The descriptors by which it makes itself heard."""
