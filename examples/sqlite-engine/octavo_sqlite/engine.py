"""An engine is what starts kernels; this one starts a process that runs SQL."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from octavo.environments.launch import Launch
from octavo.errors import KernelFailure
from octavo.events.types import ErrorRaised, ExecuteResult
from octavo.kernels.port import Code, Death, Outcome, Sink

LONGEST_LINE = 64 * 1024 * 1024


class SqliteEngine:
    """Starts SQLite kernels. The database is named by the variable SQLITE_DATABASE."""

    name = "sqlite"

    async def start(self, launch: Launch, sink: Sink) -> SqliteKernel:
        """A process of its own, so that a query that goes wrong takes nothing with it."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "octavo_sqlite.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=launch.cwd,
            env={**launch.variables, "PYTHONPATH": os.pathsep.join(sys.path)},
            start_new_session=True,
            limit=LONGEST_LINE,
        )
        kernel = SqliteKernel(process, sink)
        await kernel.ready(launch.start_seconds or 60.0)
        return kernel

    def release(self) -> None:
        """Nothing waits for kernels here."""

    async def close(self) -> None:
        """Nor is anything held."""


class SqliteKernel:
    """A database that runs one cell after the other."""

    def __init__(self, process: asyncio.subprocess.Process, sink: Sink) -> None:
        self._process = process
        self._sink = sink
        self._count = 0
        self._killed = False
        self.pid = process.pid
        self.facts: Mapping[str, Any] = {}

    async def ready(self, seconds: float) -> None:
        """Wait for the first line of the process."""
        try:
            message = await asyncio.wait_for(self._receive(), seconds)
        except TimeoutError:
            message = None
        if message is None:
            await self.kill()
            raise KernelFailure("kernel-start", "SQLite did not start", hint="try again")
        self.facts = {
            "implementation": "sqlite",
            "version": message["version"],
            "language_info": {"name": "sql", "file_extension": ".sql"},
        }

    async def execute(self, code: Code) -> Outcome:
        """Send a cell; hand on its rows as they come."""
        if self.death is not None:
            return Outcome("died")
        self._count += 1
        await self._send({"source": code.source})
        while (message := await self._receive()) is not None:
            if "columns" in message:
                data = {"text/plain": as_text(message["columns"], message["rows"])}
                self._emit(ExecuteResult(code.cell, self._count, data))
            elif message["status"] == "error":
                self._emit(_error(code.cell, message))
                return Outcome("error", self._count)
            else:
                return Outcome("ok", self._count)
        return Outcome("died", self._count)

    async def interrupt(self) -> None:
        self._signal(signal.SIGINT)

    async def kill(self) -> None:
        self._killed = True
        self._signal(signal.SIGKILL)
        await self._process.wait()

    async def stop(self) -> None:
        await self.kill()

    @property
    def death(self) -> Death | None:
        code = self._process.returncode
        if code is None:
            return None
        name = signal.Signals(-code).name if code < 0 else None
        how = f"ended by {name}" if name else f"ended with exit code {code}"
        cause = "killed" if self._killed else "signal" if name else "exit"
        return Death(None if name else code, name, f"SQLite was {how}", cause)

    def _emit(self, event: ExecuteResult | ErrorRaised) -> None:
        self._sink([event])

    def _signal(self, number: signal.Signals) -> None:
        if self._process.returncode is None:
            os.killpg(self.pid, number)

    async def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            pass  # the answer, or rather its absence, tells it

    async def _receive(self) -> dict[str, Any] | None:
        """The next message; None when the process has ended."""
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line:
            await self._process.wait()
            return None
        message: dict[str, Any] = json.loads(line)
        return message


def _error(cell: int, message: Mapping[str, Any]) -> ErrorRaised:
    told = f"{message['ename']}: {message['evalue']}"
    return ErrorRaised(cell, message["ename"], message["evalue"], (told,))


def as_text(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows in aligned columns."""
    texts = [columns, *([str(value) for value in row] for row in rows)]
    widths = [max(len(row[at]) for row in texts) for at in range(len(columns))]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in texts]
    return "\n".join(lines)
