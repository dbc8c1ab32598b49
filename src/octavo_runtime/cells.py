"""Running cells, one at a time, in one event loop that lives as long as the kernel."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from typing import Any

from octavo_runtime import packets, process
from octavo_runtime.early_exit import EarlyExit, requested_by
from octavo_runtime.emitter import Emitter
from octavo_runtime.interrupts import Interrupts

_AFTER = ("post_execute", "post_run_cell")


class KernelLoop:
    """Takes requests from the event socket until it closes or `stop` comes."""

    def __init__(
        self, shell: Any, sock: socket.socket, emitter: Emitter, facts: dict[str, Any]
    ) -> None:
        self.pid = os.getpid()
        self.facts = facts
        self.shell = shell
        self.sock = sock
        self.emitter = emitter
        self.loop = asyncio.new_event_loop()
        self.interrupts = Interrupts(self.loop)
        self.interrupts.tell = self._unheeded
        self.usage = process.Usage()
        self._over: asyncio.Future[None]
        #: What was asked for and has not begun; None is the end.
        self._asked: list[tuple[dict[str, Any], list[int]] | None] = []
        self._cell: asyncio.Task[None] | None = None

    def adopt(self, pid: int) -> None:
        """This process is the kernel: the loop was made by another one."""
        self.pid = pid
        self.interrupts.adopt(pid)
        self.usage = process.Usage()

    def _unheeded(self) -> None:
        self.emitter.say({"type": "unheeded"})

    def serve(self) -> None:
        """Serve to the end. Tasks of the notebook go on between cells."""
        asyncio.set_event_loop(self.loop)
        self._over = self.loop.create_future()
        self.loop.add_reader(self.sock.fileno(), self._readable)
        self.interrupts.install()
        self.shell.kernel.interrupts = self.interrupts
        while not self._over.done():
            try:
                self.loop.run_until_complete(self._over)
            except (KeyboardInterrupt, SystemExit):
                # It came out of a task or a callback of the notebook, and the loop still stands.
                self.interrupts.cancel()

    def _readable(self) -> None:
        """Begin what is asked for, once what was asked before is done."""
        try:
            self._asked.append(packets.receive(self.sock, waiting=False))
        except BlockingIOError:
            return  # the loop was left with this call to come, and has added another
        except OSError:
            self._asked.append(None)
        if self._asked[-1] is None:
            self.loop.remove_reader(self.sock.fileno())
        if self._cell is None:
            self._next()

    def _next(self) -> None:
        while self._asked and self._cell is None:
            received = self._asked.pop(0)
            if received is None or received[0]["op"] == "stop":
                self._end(None)
            elif received[0]["op"] == "execute":
                self._cell = self.loop.create_task(self._serve(received[0]))
            else:
                self._copy(*received)

    async def _serve(self, request: dict[str, Any]) -> None:
        try:
            done = await self._execute(request)
            if self.emitter.forked:
                process.leave(0 if done["status"] == "ok" else 1)
            self.emitter.done(done)
        except BaseException as error:
            self._end(error)
            raise
        self._cell = None
        self._next()

    def _end(self, error: BaseException | None) -> None:
        self.loop.remove_reader(self.sock.fileno())
        if self._over.done():
            return
        if error is None:
            self._over.set_result(None)
        else:
            self._over.set_exception(error)

    def _copy(self, request: dict[str, Any], descriptors: list[int]) -> None:
        """Let a copy of this kernel stay, or answer a question. It may return in such a copy."""
        from octavo_runtime import asking, copies

        if request["op"] == "ask":
            asking.answer(self, request, descriptors)
            return
        copies.freeze(self, request, descriptors)
        if os.getpid() != self.pid:
            self.pid = os.getpid()
            self.emitter.say(self.greeting())

    def greeting(self) -> dict[str, Any]:
        """What a kernel says when it can take its first cell."""
        return {"type": "ready", "pid": self.pid, "facts": self.facts}

    async def _execute(self, request: dict[str, Any]) -> dict[str, Any]:
        self.shell.kernel.set_parent(request["id"])
        self.usage.begin()
        status = await self._run(request["code"])
        self.emitter.flush()
        memory, seconds = self.usage.end()
        return {
            "type": "done",
            "status": status,
            "execution_count": self.shell.execution_count - 1,
            "memory_peak": memory,
            "cpu_seconds": seconds,
        }

    async def _run(self, code: str) -> str:
        """One cell through IPython, with interrupts let through only while it runs."""
        cell = asyncio.current_task()
        assert cell is not None
        self.interrupts.started(cell)
        try:
            return await run_cell(self.shell, code)
        except (KeyboardInterrupt, asyncio.CancelledError):
            # It hit IPython itself, not the code of the cell.
            self.shell.show_interrupt()
            return "error"
        finally:
            self.interrupts.finished()


async def run_cell(shell: Any, code: str) -> str:
    """Run one cell as ipykernel does; "ok" or "error"."""
    broken = None
    try:
        transformed = shell.transform_cell(code)
    except Exception:
        transformed, broken = code, sys.exc_info()
    shell.begin_cell(code, transformed)
    result = None
    try:
        result = await shell.run_cell_async(
            code,
            store_history=True,
            transformed_cell=transformed,
            preprocessing_exc_tuple=broken,
        )
    finally:
        if shell.kernel.emitter.held and _is_followed(shell):
            shell.kernel.emitter.settle()
        shell.events.trigger("post_execute")
        shell.events.trigger("post_run_cell", result)
        shell.end_cell()
    return _status(shell, result)


def _is_followed(shell: Any) -> bool:
    """Whether functions of others are called at the end of a cell."""
    callbacks = shell.events.callbacks
    called = (each for event in _AFTER for each in callbacks.get(event, ()))
    return any(getattr(each, "__self__", None) is not shell.display_pub for each in called)


def _status(shell: Any, result: Any) -> str:
    error = result.error_before_exec or result.error_in_exec
    if shell.kernel.emitter.forked:
        _leave_fork(error)
    if requested_by(error):
        from octavo_runtime.display import json_clean

        value = json_clean(getattr(error, "value", None))
        shell.kernel.emitter.emit({"type": "exit-requested", "value": value})
        return "ok"
    return "error" if error is not None or shell.display_failed else "ok"


def _leave_fork(error: BaseException | None) -> None:
    """A process that the cell has forked ends where the cell does."""
    code = 0 if error is None or isinstance(error, EarlyExit) else 1
    if isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    process.leave(code)
