"""A forked kernel, from the runner's side."""

from __future__ import annotations

import asyncio
import codecs
import os
import signal
import socket
import struct
from collections.abc import Mapping
from typing import Any

from octavo.errors import KernelFailure
from octavo.events.codec import from_dict
from octavo.events.types import KernelEvent, LimitExceeded, Stream, StreamName
from octavo.kernels.fork.wire import Reader, pack
from octavo.kernels.port import Code, Death, Outcome, Sink, Usage

COALESCE_SECONDS = 0.001
READ_BYTES = 1 << 18
_NUMBER = struct.Struct("!Q")


class ForkKernel:
    """Sends cells to a kernel and hands on what it emits, in order."""

    pid = 0

    def __init__(self, ends: tuple[int, int, int, int, int], sink: Sink) -> None:
        channel, self._acknowledgements, out, err, keeper = ends
        self.facts: Mapping[str, Any] = {}
        self.death: Death | None = None
        self._sink = sink
        self._loop = asyncio.get_running_loop()
        self._channel = socket.socket(fileno=channel)
        self._keeper = socket.socket(fileno=keeper)
        self._cell = 0
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._done: asyncio.Future[Outcome] | None = None
        self._exit_report: dict[str, Any] | None = None
        self._pipes = [_Pipe(out, "stdout"), _Pipe(err, "stderr")]
        self._listening = False
        self._listen()
        self._requests = Reader(self._channel, self._heard, self._channel_ended)
        self._reports = Reader(self._keeper, self._reported, self._keeper_ended)

    async def ready(self) -> None:
        await self._ready

    async def execute(self, code: Code) -> Outcome:
        """Run one cell; a dead kernel gives the outcome `died`."""
        if self._ended.done() or self._channel.fileno() < 0:
            await self._ended
            return Outcome("died")
        self._cell = code.cell
        self._done = self._loop.create_future()
        request = {"op": "execute", "id": f"cell-{code.cell}", "code": code.source}
        try:
            await self._loop.sock_sendall(self._channel, pack(request))
        except OSError:
            self._channel_ended()
        return await self._done

    async def interrupt(self) -> None:
        self._command("interrupt")

    async def kill(self) -> None:
        self._command("kill")
        await self._ended

    async def stop(self) -> None:
        """Let the kernel run its exit handlers, then end whatever is left of it."""
        if not self._ended.done():
            self._command("stop")
            try:
                self._channel.setblocking(True)
                self._channel.sendall(pack({"op": "stop"}))
                self._channel.setblocking(False)
            except OSError:
                pass
            await self._ended
        self._close()

    def _command(self, name: str) -> None:
        try:
            self._keeper.send(pack({"op": name}))
        except OSError:
            pass

    # What the kernel says

    def _heard(self, message: dict[str, Any]) -> None:
        kind = message.pop("type")
        number = message.pop("n", None)
        batch = self._drain()
        if kind not in ("barrier", "ready", "done"):
            message.update(type=kind, cell=self._cell)
            batch.append(_event(message))
        if batch:
            self._sink(batch)
        if number is not None:
            self._acknowledge(number)
        if kind == "ready":
            self.pid, self.facts = message["pid"], message["facts"]
            self._ready.set_result(None)
        elif kind == "done":
            self._finish(_outcome(message))

    def _acknowledge(self, number: int) -> None:
        try:
            os.write(self._acknowledgements, _NUMBER.pack(number))
        except OSError:
            pass

    def _finish(self, outcome: Outcome) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_result(outcome)

    # What it writes to its pipes

    def _listen(self) -> None:
        if not self._listening:
            self._listening = True
            for pipe in self._pipes:
                if pipe.open:
                    self._loop.add_reader(pipe.descriptor, self._readable)

    def _deafen(self) -> None:
        if self._listening:
            self._listening = False
            for pipe in self._pipes:
                if pipe.open:
                    self._loop.remove_reader(pipe.descriptor)

    def _readable(self) -> None:
        """Wait a moment for more, so that a loop of prints does not wake us for every line."""
        self._deafen()
        self._loop.call_later(COALESCE_SECONDS, self._collect)

    def _collect(self) -> None:
        batch = self._drain(at_most=16)
        if batch:
            self._sink(batch)
        if not self._ended.done():
            self._listen()

    def _drain(self, at_most: int = 1 << 30) -> list[KernelEvent]:
        batch: list[KernelEvent] = []
        for pipe in self._pipes:
            text = pipe.read(at_most, self._loop if self._listening else None)
            if text:
                batch.append(Stream(self._cell, pipe.name, text))
        return batch

    # How it ends

    def _reported(self, message: dict[str, Any]) -> None:
        self._exit_report = message

    def _channel_ended(self) -> None:
        """The kernel is gone; its keeper will say how."""

    def _keeper_ended(self) -> None:
        report = self._exit_report or {"exit_code": None, "signal": None, "killed": False}
        batch = self._drain()
        batch.extend(self._leftovers())
        exceeded = report.get("exceeded")
        if exceeded:
            batch.append(LimitExceeded(self._cell, **exceeded))
        if batch:
            self._sink(batch)
        self.death = _death(report, lost=self._exit_report is None)
        self._ended.set_result(None)
        self._finish(Outcome("died"))
        if not self._ready.done():
            self._ready.set_exception(
                KernelFailure("kernel-start", f"the kernel did not start: {self.death.message}")
            )
        self._close()

    def _leftovers(self) -> list[KernelEvent]:
        return [
            Stream(self._cell, pipe.name, text) for pipe in self._pipes if (text := pipe.finish())
        ]

    def _close(self) -> None:
        self._deafen()
        self._requests.close()
        self._reports.close()
        for pipe in self._pipes:
            pipe.close()
        if self._acknowledgements >= 0:
            os.close(self._acknowledgements)
            self._acknowledgements = -1


class _Pipe:
    """The reading end of standard output or error, decoded as it comes."""

    def __init__(self, descriptor: int, name: StreamName) -> None:
        self.descriptor = descriptor
        self.name = name
        self.open = True
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self, at_most: int, loop: asyncio.AbstractEventLoop | None) -> str:
        """All that is there, up to a number of reads."""
        parts: list[bytes] = []
        while self.open and at_most:
            at_most -= 1
            try:
                data = os.read(self.descriptor, READ_BYTES)
            except BlockingIOError:
                break
            if not data:
                self.close(loop)
                break
            parts.append(data)
        return self._decoder.decode(b"".join(parts)) if parts else ""

    def finish(self) -> str:
        return self._decoder.decode(b"", final=True)

    def close(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        if self.open:
            if loop is not None:
                loop.remove_reader(self.descriptor)
            self.open = False
            os.close(self.descriptor)


_EMITTED = {"display", "execute-result", "error", "clear-output", "comm", "exit-requested"}


def _event(message: dict[str, Any]) -> KernelEvent:
    """The event in a message; anything that is not one a kernel may emit becomes a complaint."""
    try:
        if message["type"] not in _EMITTED:
            raise ValueError(message["type"])
        return from_dict(message)  # type: ignore[return-value]
    except (TypeError, ValueError, KeyError) as error:
        return Stream(message["cell"], "stderr", f"[octavo: a malformed event was dropped: {error}]\n")


def _outcome(message: dict[str, Any]) -> Outcome:
    usage = Usage(message.get("memory_peak"), message.get("cpu_seconds"))
    status = "error" if message.get("status") == "error" else "ok"
    return Outcome(status, message.get("execution_count"), usage)


def _death(report: dict[str, Any], *, lost: bool) -> Death:
    if lost:
        return Death(None, None, "the process that keeps the kernel is gone", "lost")
    number, code = report.get("signal"), report.get("exit_code")
    if number is not None:
        name = signal.Signals(number).name
        cause = "killed" if report.get("killed") else "signal"
        return Death(None, name, f"the kernel was ended by {name}", cause)  # type: ignore[arg-type]
    return Death(code, None, f"the kernel ended with exit code {code}", "exit")
