"""A kernel under test, and what one of its cells did."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from octavo.environments.launch import Launch
from octavo.events.fold import fold_outputs
from octavo.events.types import Display, ErrorRaised, ExitRequested, KernelEvent, Stream
from octavo.kernels.conformance.languages import Language, language_of
from octavo.kernels.port import Code, Engine, Kernel, Outcome, Snapshot

PATIENCE_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Ran:
    """A cell that was run: its outcome and its events."""

    outcome: Outcome
    events: tuple[KernelEvent, ...]

    @property
    def ok(self) -> bool:
        return self.outcome.status == "ok"

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """What the executed notebook would hold."""
        return next(iter(fold_outputs(self.events).values()), [])

    def text(self, name: str = "stdout") -> str:
        return "".join(
            event.text for event in self.events if isinstance(event, Stream) and event.name == name
        )

    @property
    def stderr(self) -> str:
        return self.text("stderr")

    @property
    def value(self) -> str | None:
        """The plain text of the cell's result."""
        found = [each for each in self.outputs if each["output_type"] == "execute_result"]
        return found[0]["data"].get("text/plain") if found else None

    @property
    def displays(self) -> list[dict[str, Any]]:
        return [each["data"] for each in self.outputs if each["output_type"] == "display_data"]

    @property
    def errors(self) -> list[ErrorRaised]:
        return [event for event in self.events if isinstance(event, ErrorRaised)]

    @property
    def error(self) -> ErrorRaised:
        assert self.errors, f"no error was raised: {self.events}"
        return self.errors[-1]

    @property
    def exits(self) -> list[ExitRequested]:
        return [event for event in self.events if isinstance(event, ExitRequested)]

    @property
    def sequence(self) -> list[str]:
        """Every output as a word: the text of streams by line, the plain text of displays."""
        words: list[str] = []
        for output in self.outputs:
            if output["output_type"] == "stream":
                words.extend(output["text"].splitlines())
            elif "data" in output:
                words.append(output["data"]["text/plain"])
        return words


class Probe:
    """Starts a kernel when it is first needed, runs cells in it and waits for things to happen."""

    def __init__(self, engine: Engine, launch: Launch) -> None:
        self.engine = engine
        self.launch = launch
        self.events: list[KernelEvent] = []
        self._kernel: Kernel | None = None
        self._news = asyncio.Event()
        self._cells = 0
        self._running: asyncio.Task[Ran] | None = None

    @property
    def language(self) -> Language:
        """How plain things are said to this kernel."""
        return language_of(self.launch)

    @property
    def kernel(self) -> Kernel:
        assert self._kernel is not None, "no kernel was started"
        return self._kernel

    async def start(self, **changes: Any) -> Kernel:
        """Start the kernel, with changes to the launch."""
        self.launch = self.launch.replace(**changes)
        self._kernel = await self.engine.start(self.launch, self._take)
        return self._kernel

    async def resume(self, snapshot: Snapshot) -> Probe:
        """A probe of the kernel that goes on from a snapshot."""
        other = Probe(self.engine, self.launch)
        other._cells = self._cells
        other._kernel = await asyncio.wait_for(snapshot.resume(other._take), PATIENCE_SECONDS)
        return other

    async def run(self, source: str) -> Ran:
        """Run a cell to its end."""
        return await self.begin(source)

    def begin(self, source: str) -> asyncio.Task[Ran]:
        """Run a cell while the check does something else."""
        cell = self._cells
        self._cells += 1
        self._running = asyncio.ensure_future(self._run(cell, source))
        self._running.add_done_callback(lambda _: self._news.set())
        return self._running

    async def _run(self, cell: int, source: str) -> Ran:
        if self._kernel is None:
            await self.start()
        outcome = await asyncio.wait_for(self.kernel.execute(Code(cell, source)), PATIENCE_SECONDS)
        return Ran(outcome, tuple(event for event in self.events if event.cell == cell))

    async def seen(self, text: str) -> None:
        """Wait until a kernel has written or displayed a text."""
        await asyncio.wait_for(self._until_seen(text), PATIENCE_SECONDS)

    async def _until_seen(self, text: str) -> None:
        while text not in "".join(map(_shown, self.events)):
            running = self._running
            if running is not None and running.done():
                assert running.result().ok, f"{text!r} was never shown: {self.events}"
            self._news.clear()
            await self._news.wait()

    async def close(self) -> None:
        if self._kernel is not None:
            await self._kernel.stop()

    def _take(self, events: Sequence[KernelEvent]) -> None:
        self.events.extend(events)
        self._news.set()


def _shown(event: KernelEvent) -> str:
    if isinstance(event, Stream):
        return event.text
    return str(event.data.get("text/plain", "")) if isinstance(event, Display) else ""
