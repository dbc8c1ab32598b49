"""A forked kernel, from the runner's side."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping, Sequence
from typing import Any

from octavo.errors import KernelFailure
from octavo.events.types import KernelEvent, LimitExceeded, Stream
from octavo.kernels.fork import copies
from octavo.kernels.local import reports
from octavo.kernels.local.pipes import Piece, Pipes
from octavo.kernels.local.wire import (
    PacketReader,
    Reader,
    acknowledge,
    pack,
    send_launch,
    send_packet,
)
from octavo.kernels.port import Code, Death, Outcome, Refusal, Sink, Snapshot
from octavo.systems import Descriptor


class ForkKernel:
    """Sends cells to a kernel and hands on what it emits, in order."""

    pid = 0

    def __init__(
        self, ends: tuple[int, int, int, int, int], sink: Sink, limits: Mapping[str, Any]
    ) -> None:
        channel, self._acknowledgements, out, err, keeper = ends
        self.limits = limits
        self.facts: Mapping[str, Any] = {}
        self.death: Death | None = None
        self._sink = sink
        self._sink_failure: BaseException | None = None
        self._loop = asyncio.get_running_loop()
        self._channel = socket.socket(fileno=channel)
        self._keeper = socket.socket(fileno=keeper)
        self._cell = 0
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._done: asyncio.Future[Outcome] | None = None
        self._interrupts = 0
        #: The cell that was interrupted last.
        self._interrupted: int | None = None
        self._calm = asyncio.Event()
        self._calm.set()
        self._one_at_a_time = asyncio.Lock()
        self._way: asyncio.Future[None] | None = None
        self._report: dict[str, Any] | None = None
        self._pipes = Pipes(out, err, self._collect)
        self._requests = PacketReader(self._channel, self._heard, self._garbled)
        self._reports = Reader(self._keeper, self._reported, self._keeper_ended)

    def __getstate__(self) -> dict[str, Any]:
        """Of a kernel that is at rest, for another process that goes on with it."""
        ends = (self._channel.fileno(), self._acknowledgements, *self._pipes.descriptors)
        return {
            "ends": tuple(map(Descriptor, (*ends, self._keeper.fileno()))),
            "given": (self._sink, self.limits),
            "found": {"pid": self.pid, "facts": self.facts, "_cell": self._cell},
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        ForkKernel.__init__(self, state["ends"], *state["given"])
        self.__dict__.update(state["found"])
        self._ready.set_result(None)

    @property
    def at_rest(self) -> bool:
        """Whether it lives, nothing is asked of it, and nothing that it said is half read."""
        asked = self._done is not None or self._one_at_a_time.locked() or self._interrupts
        heard = self._pipes.at_rest and self._reports.at_rest and self._requests.listening
        return self.death is None and not asked and heard

    @property
    def heard_from(self) -> tuple[int, ...]:
        """The descriptors by which it makes itself heard."""
        return self._channel.fileno(), *self._pipes.descriptors, self._keeper.fileno()

    async def ready(self) -> None:
        await self._ready

    async def execute(self, code: Code) -> Outcome:
        """Run one cell; a dead kernel gives the outcome `died`."""
        async with self._one_at_a_time:
            return await self._execute(code)

    async def snapshot(self, connections: Sequence[str] = ()) -> Snapshot | Refusal:
        """A frozen copy; `connections` are patterns of hosts and ports that forbid one."""
        async with self._one_at_a_time:
            return await copies.freeze(self, connections)

    async def ask(self, function: str, arguments: Mapping[str, Any], seconds: float) -> Any:
        """What a function of the runtime says of the kernel's names; TimeoutError when late."""
        await asyncio.wait_for(self._one_at_a_time.acquire(), seconds)  # a cell may be running
        try:
            reply = copies.question(self, function, arguments, seconds)
        finally:
            self._one_at_a_time.release()
        return await copies.answer(reply, seconds)

    def request(self, message: dict[str, Any], descriptors: tuple[int, ...]) -> None:
        """Ask an idle kernel for something that is not a cell."""
        send_packet(self._channel, message, descriptors)

    async def make_way(self, link: int) -> None:
        """Let the keeper prepare for a copy, which it will know by a link."""
        self._way = self._loop.create_future()
        send_launch(self._keeper, {"op": "copying"}, [link])
        await self._way

    def way_made(self) -> None:
        """The copy is made, or will not be."""
        self._command("copied")

    async def _execute(self, code: Code) -> Outcome:
        await self._calm.wait()
        if self._ended.done():
            return Outcome("died")
        self._cell = code.cell
        self._done = self._loop.create_future()
        request = {"op": "execute", "id": f"cell-{code.cell}", "code": code.source}
        try:
            send_packet(self._channel, request)
        except OSError:
            pass  # it has just died; its keeper will say how
        try:
            return await self._done
        finally:
            self._done = None

    async def interrupt(self) -> None:
        """Interrupt the cell that runs, and no later one: the next waits until it was sent."""
        if self._done is not None and not self._ended.done():
            self._interrupted = self._cell
            self._send_interrupt()

    def _send_interrupt(self) -> None:
        self._interrupts += 1
        self._calm.clear()
        self._command("interrupt")

    async def kill(self) -> None:
        self._command("kill")
        await asyncio.shield(self._ended)

    async def stop(self) -> None:
        """Let an idle kernel run its exit handlers, then end whatever is left of it."""
        if not self._ended.done():
            self._command("stop" if self._done is None else "kill")
            try:
                send_packet(self._channel, {"op": "stop"})
            except OSError:
                pass
            await asyncio.shield(self._ended)

    def _command(self, name: str) -> None:
        try:
            self._keeper.send(pack({"op": name}))
        except OSError:
            pass

    # What the kernel says

    def _heard(self, message: dict[str, Any], reply: int | None) -> None:
        kind = message.get("type")
        batch = self._streams(self._pipes.written())
        if kind not in ("barrier", "ready", "done", "unheeded"):
            batch.append(reports.event(message, self._cell))
        elif kind == "done" and "last" in message:
            batch.append(reports.event(message["last"], self._cell))
        self._give(batch)
        # Answer to the pipe that came along with the message, else to the kernel's own.
        acknowledge(self._acknowledgements if reply is None else reply, message.get("n"))
        if kind == "ready" and not self._ready.done():
            self.pid, self.facts = message["pid"], message["facts"]
            self._ready.set_result(None)
        elif kind == "done":
            self._finish(reports.outcome(message))
        elif kind == "unheeded":
            self._interrupt_again()

    def _interrupt_again(self) -> None:
        """The interrupt came before the cell that it was meant for had begun."""
        waits = self._done is not None and not self._done.done()
        if waits and self._interrupted == self._cell and not self._ended.done():
            self._send_interrupt()

    def _garbled(self, why: str) -> None:
        self._give([reports.complaint(self._cell, why)])

    def _finish(self, outcome: Outcome) -> None:
        if self._done is not None and not self._done.done():
            if self._sink_failure is not None:
                self._done.set_exception(self._sink_failure)
            else:
                self._done.set_result(outcome)

    # What it writes

    def _collect(self) -> None:
        self._give(self._streams(self._pipes.some()))
        self._pipes.resume()

    def _streams(self, pieces: list[Piece]) -> list[KernelEvent]:
        return [Stream(self._cell, name, text) for name, text in pieces]

    def _give(self, batch: list[KernelEvent]) -> None:
        """Hand on a batch. Where it cannot be written the kernel must not go on."""
        if not batch or self._sink_failure is not None:
            return
        try:
            self._sink(batch)
        except Exception as error:
            self._sink_failure = error
            self._command("kill")

    # How it ends

    def _reported(self, message: dict[str, Any]) -> None:
        if message["type"] == "ended":
            self._report = message
            return
        if message["type"] == "copying":
            self._clear_way()
            return
        self._interrupts -= 1
        if not self._interrupts:
            self._calm.set()

    def _keeper_ended(self) -> None:
        self._requests.rest()
        batch = self._streams(self._pipes.rest())
        exceeded = (self._report or {}).get("exceeded")
        if exceeded:
            batch.append(LimitExceeded(self._cell, **exceeded))
        self._give(batch)
        self.death = reports.death(self._report)
        self._ended.set_result(None)
        self._calm.set()
        self._clear_way()
        self._finish(Outcome("died"))
        if not self._ready.done():
            self._ready.set_exception(
                KernelFailure(
                    "kernel-start",
                    f"the kernel did not start: {self.death.message}",
                    hint="try again; if it stays so, run with another interpreter (--python)",
                )
            )
        self._close()

    def _clear_way(self) -> None:
        if self._way is not None and not self._way.done():
            self._way.set_result(None)

    def abandon(self) -> None:
        """Close our ends; whoever has the others ends the kernel."""
        if not self._ended.done():
            self._ended.set_result(None)
        self._close()

    def _close(self) -> None:
        self._pipes.close()
        self._requests.close()
        self._reports.close()
        if self._acknowledgements >= 0:
            os.close(self._acknowledgements)
            self._acknowledgements = -1
