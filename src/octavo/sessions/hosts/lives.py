"""The kernels of a session, one after the other, and the copies that it can go back to."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from octavo.environments.launch import Launch
from octavo.errors import KernelFailure, OctavoError
from octavo.events.types import KernelEvent
from octavo.kernels.local import memory
from octavo.kernels.port import Asking, Copying, Engine, Kernel, Refusal, Snapshot
from octavo.runs.pipeline import Pipeline

_LEAVING = 5.0


class Ear:
    """Hands on what one kernel emits, until it is not the session's any more."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self.closed = False

    def __call__(self, events: Sequence[KernelEvent]) -> None:
        if not self.closed:
            self._pipeline.from_kernel(events)


class Lives:
    """The kernel that holds the state, and how it is replaced by another."""

    def __init__(
        self,
        engine: Engine,
        launch: Launch,
        pipeline: Pipeline,
        no_snapshot_with: Sequence[str] = (),
    ) -> None:
        self._engine = engine
        self._no_snapshot_with = no_snapshot_with
        self._launch = launch
        self._pipeline = pipeline
        self._ears: dict[Kernel, Ear] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._copies: dict[int, Snapshot] = {}
        self.kernel: Kernel | None = None
        #: Why there are no copies, once that is known.
        self.refused = ""

    @property
    def alive(self) -> bool:
        return self.kernel is not None and self.kernel.death is None

    @property
    def settled(self) -> bool:
        """Whether every kernel but the present one has ended."""
        return not self._leaving

    def adopt(self, kernel: Kernel, ear: Ear) -> Kernel:
        """This is the kernel now; the one before it ends."""
        before, self.kernel = self.kernel, kernel
        self._ears[kernel] = ear
        self._dismiss(before)
        return kernel

    async def start(self) -> Kernel:
        """A new kernel, in which nothing has been executed."""
        ear = Ear(self._pipeline)
        return self.adopt(await self._engine.start(self._launch, ear), ear)

    async def resume(self, number: int) -> Kernel:
        """A kernel that goes on from a copy; KernelFailure when that is gone."""
        ear = Ear(self._pipeline)
        return self.adopt(await self._copy(number).resume(ear), ear)

    async def beside(self, number: int, pipeline: Pipeline | None = None) -> tuple[Kernel, Ear]:
        """A second kernel from a copy, beside the one that there is."""
        ear = Ear(pipeline or self._pipeline)
        return await self._copy(number).resume(ear), ear

    async def copy(self, number: int) -> bool:
        """Take a copy of the idle kernel under a number; False when it is refused."""
        kernel = self.kernel
        if not isinstance(kernel, Copying):
            self.refused = "this kind of kernel cannot be copied"
            return False
        try:
            taken = await kernel.snapshot(self._no_snapshot_with)
        except OctavoError as error:
            self.refused = error.message
            return False
        if isinstance(taken, Refusal):
            self.refused = taken.message
            return False
        self.refused = ""
        self._copies[number] = taken
        return True

    async def weights(self) -> dict[int, int]:
        """What the copies cost, in bytes: together what would be free without them."""
        shares = {number: await _memory(copy) for number, copy in list(self._copies.items())}
        kernel = self.kernel
        lent = await asyncio.to_thread(memory.lent, kernel.pid) if kernel is not None else 0
        total = sum(shares.values())
        part = max(0, total - lent) / total if total else 0.0
        return {number: int(share * part) for number, share in shares.items()}

    def keep(self, number: int, copy: Snapshot) -> None:
        """A copy that was taken before, under a number."""
        self._copies[number] = copy

    async def drop(self, *numbers: int) -> None:
        """Give copies up."""
        for number in numbers:
            copy = self._copies.pop(number, None)
            if copy is not None:
                with suppress(OctavoError, OSError):
                    await copy.drop()

    def has(self, number: int) -> bool:
        return number in self._copies

    async def ask(self, function: str, arguments: Mapping[str, Any], seconds: float) -> Any:
        """What a function of the runtime says of the names in the kernel."""
        if not isinstance(self.kernel, Asking):
            raise KernelFailure(
                "platform",
                "this kind of kernel cannot be looked into",
                hint="execute code that shows what you want to see",
            )
        try:
            return await self.kernel.ask(function, arguments, seconds)
        except TimeoutError:
            raise KernelFailure(
                "variable-unreadable",
                f"looking into the kernel took longer than {seconds:g} s",
                hint="ask for less, or execute code that shows what you want to see",
            ) from None

    async def end(self) -> None:
        """No kernel and no copy is left."""
        await self.drop(*list(self._copies))
        self._dismiss(self.kernel, politely=True)
        self.kernel = None
        if self._leaving:
            await asyncio.wait(self._leaving, timeout=2 * _LEAVING)

    def lost(self) -> None:
        """The kernel has died."""
        kernel, self.kernel = self.kernel, None
        if kernel is not None:
            self._ears.pop(kernel, None)

    def _copy(self, number: int) -> Snapshot:
        copy = self._copies.get(number)
        if copy is None:
            raise KernelFailure("kernel-died", "that snapshot is gone", hint="try again")
        return copy

    def _dismiss(self, kernel: Kernel | None, *, politely: bool = False) -> None:
        if kernel is None:
            return
        ear = self._ears.pop(kernel, None)
        if ear is not None and not politely:
            ear.closed = True
        if kernel.death is None:
            task = asyncio.ensure_future(_leave(kernel, politely=politely))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)


async def _leave(kernel: Kernel, *, politely: bool) -> None:
    with suppress(OctavoError, OSError):
        if politely:
            stopping = asyncio.ensure_future(kernel.stop())
            await asyncio.wait({stopping}, timeout=_LEAVING)
            if stopping.done():
                return
        await kernel.kill()


async def _memory(copy: Snapshot) -> int:
    try:
        return await copy.memory()
    except (OctavoError, OSError):
        return 0
