"""As a guest in ipykernel: what makes it keep the promises that every kernel here keeps.

Jupyter's protocol goes on carrying requests, replies and states. What a cell shows takes another
road, the one that forked kernels use: text goes through plain pipes, everything else through a
socket on which each message is acknowledged. So the order is exact whoever writes, and what was
shown before a crash has been written down. The shell gets the manners of our own: early exits,
whole tracebacks, refusals, interrupts that never tear the event loop apart.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import signal
import socket
import sys
from types import FrameType
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

from octavo_runtime import interrupts, kernel, leaving, magics, process, refusals
from octavo_runtime.cells import KernelLoop
from octavo_runtime.display import json_clean
from octavo_runtime.emitter import Emitter
from octavo_runtime.shell import MemoryDatabase, ZMQInteractiveShell, print_page

_SHOWN = {
    "stream", "display_data", "update_display_data", "execute_result", "error", "clear_output",
    "comm_open", "comm_msg", "comm_close",
}  # fmt: skip

_current: Guest


def install(settings: dict[str, Any]) -> None:
    """Move in. `settings` come from the runner: descriptors, variables, limits."""
    global _current
    _current = Guest(InteractiveShell.instance(), settings)


def leave() -> None:
    """End the kernel in order; never returns."""
    _current.leave()


class Guest:
    """What was put into one ipykernel."""

    def __init__(self, shell: Any, settings: dict[str, Any]) -> None:
        self.shell = shell
        self.kernel = shell.kernel
        descriptors = _descriptors(settings)
        self.emitter = Emitter(
            socket.socket(fileno=descriptors["channel"]), descriptors["acknowledgements"]
        )
        _adopt(shell)
        self.kernel.emitter = self.emitter
        kernel.take_streams(shell, {**descriptors, **_uncaptured()}, self.emitter)
        _close_port(self.kernel.iopub_thread)
        _reroute(self.kernel, self.emitter)
        _settle(shell, settings)
        kernel.prepare_shell(shell, self.emitter)
        kernel.heed(settings, self.emitter)
        self._take_over_cells()
        self._take_over_exit()
        self.emitter.say({"type": "ready", "pid": os.getpid(), "facts": kernel.facts()})

    def leave(self) -> None:
        status = 0
        try:
            try:
                leaving.finish(self.shell)
            finally:
                kernel.tell_what_was_seen()
            self.emitter.flush()
        except SystemExit as request:
            status = request.code if isinstance(request.code, int) else 1
        finally:
            os._exit(status)

    def _take_over_cells(self) -> None:
        self.loop = GuestLoop(self.shell, self.emitter)
        self._silently = self.kernel.do_execute
        self.kernel.do_execute = self._execute
        self.kernel.pre_handler_hook = self.kernel.post_handler_hook = lambda: None

    async def _execute(
        self, code: str, silent: bool, store_history: bool = True, *args: Any, **keys: Any
    ) -> Any:
        if silent:
            return await self._silently(code, silent, store_history, *args, **keys)
        done = await self.loop.execute(code)
        self.emitter.say(done)
        reply = {"status": done["status"], "execution_count": done["execution_count"]}
        if done["status"] == "error":
            reply.update(ename="", evalue="", traceback=[])
        return {**reply, "user_expressions": {}, "payload": []}

    def _take_over_exit(self) -> None:
        """The kernel's own handlers would take the channels apart before everything is told."""
        application = self.kernel.parent
        leaving.take_over_exit(self.shell)
        for handler in (application.close, self.kernel.iopub_thread.stop):
            atexit.unregister(handler)


class GuestLoop(KernelLoop):
    """Runs cells in the loop that ipykernel has, instead of one of its own."""

    def __init__(self, shell: Any, emitter: Emitter) -> None:
        self.shell = shell
        self.emitter = emitter
        self.loop = asyncio.get_running_loop()
        self.interrupts = GuestInterrupts(self.loop)
        self.usage = process.Usage()
        self.interrupts.install()
        shell.kernel.interrupts = self.interrupts
        _contain(self.loop, self.interrupts)

    async def execute(self, code: str) -> dict[str, Any]:
        """Run one cell and tell how it went."""
        self.usage.begin()
        # In a task of its own: an interrupt that comes late must not cancel one of ipykernel's.
        status = await self.loop.create_task(self._run(code))
        if self.emitter.forked:
            process.leave(0 if status == "ok" else 1)
        self.emitter.flush()
        memory, seconds = self.usage.end()
        return {
            "type": "done",
            "status": status,
            "execution_count": self.shell.execution_count - 1,
            "memory_peak": memory,
            "cpu_seconds": seconds,
        }


class GuestInterrupts(interrupts.Interrupts):
    """Below the event loop there is always code of ipykernel: only what is above it counts."""

    def runs_the_notebook(self, frame: FrameType | None) -> bool:
        while frame is not None and frame.f_code.co_name not in ("_run_once", "run_forever"):
            if not _is_machinery(frame):
                return True
            frame = frame.f_back
        return False


def _is_machinery(frame: FrameType) -> bool:
    top = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return top in ("ipykernel", "tornado", "zmq") or not interrupts.is_notebook(frame)


def _contain(loop: asyncio.AbstractEventLoop, stopping: interrupts.Interrupts) -> None:
    """An interrupt or an exit in a task of the notebook must not end the loop of the kernel."""
    run = asyncio.Handle._run

    def contained(self: Any) -> None:
        try:
            run(self)
        except (KeyboardInterrupt, SystemExit):
            if self._loop is not loop:
                raise
            stopping.cancel()

    asyncio.Handle._run = contained  # type: ignore[method-assign]


def _descriptors(settings: dict[str, Any]) -> dict[str, int]:
    found = {name: int(settings[name]) for name in ("channel", "acknowledgements")}
    for descriptor in found.values():
        os.set_inheritable(descriptor, False)
    return found


def _uncaptured() -> dict[str, int]:
    """The pipes that the kernel was started with, in place of those that it has put there."""
    descriptors = {}
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream: Any = getattr(sys, name)
        stream.flush()
        original = getattr(stream, "_original_stdstream_copy", None)
        if original is not None and stream._should_watch:
            stream._should_watch = False
            os.write(number, b"\0")  # wakes the thread that reads, which then ends
            stream.watch_fd_thread.join()
        descriptors[name] = os.dup(number if original is None else original)
    return descriptors


def _close_port(thread: Any) -> None:
    """The port that forked processes would send to; here they use the socket."""
    incoming = getattr(thread, "_pipe_in", None)
    thread._pipe_flag = False
    if incoming is not None:
        thread.schedule(incoming.close)


def _reroute(host: Any, emitter: Emitter) -> None:
    """What is shown goes to the runner at once; all other messages stay on their channels."""
    session = host.session
    send = session.send

    def reroute(stream: Any, message: Any, content: Any = None, *args: Any, **keys: Any) -> Any:
        if stream not in (host.iopub_socket, host.iopub_thread):
            return send(stream, message, content, *args, **keys)
        kind = message if isinstance(message, str) else message["header"]["msg_type"]
        if kind not in _SHOWN:
            return send(stream, message, content, *args, **keys)
        buffers = keys.get("buffers") or (args[2] if len(args) > 2 else None) or ()
        body = content if isinstance(message, str) else message["content"]
        metadata = {} if isinstance(message, str) else message.get("metadata")
        emitter.emit(
            {
                "type": "message",
                "msg_type": kind,
                "content": json_clean(body or {}),
                "metadata": json_clean(keys.get("metadata") or metadata or {}),
                "buffers": [json_clean(buffer) for buffer in buffers],
            }
        )
        return message

    session.send = reroute


def _settle(shell: Any, settings: dict[str, Any]) -> None:
    """Variables, limits and refusals of this one kernel."""
    kept = {*settings["names"], "MPLBACKEND"}
    for name in [each for each in os.environ if each not in kept]:
        del os.environ[name]
    kernel.limit({"file_size": settings.get("file_size")})
    sys.argv = [""]
    shell.kernel._forward_input = shell.kernel._restore_input = lambda *args: None
    refusals.install(shell)
    _register_magics(shell)
    shell.set_hook("show_in_pager", print_page, 99)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _register_magics(shell: Any) -> None:
    """Ours, but for `%store`, which ipykernel has loaded already."""
    known = shell.magics_manager.magics["line"]
    store = known.get("store")
    magics.register(shell)
    if store is not None:
        known["store"] = store


def _adopt(shell: Any) -> None:
    """Give the live shell the manners of our own."""
    theirs = type(shell)
    names = {
        "__module__": theirs.__module__,
        "profile_dir": shell.profile_dir,
        "get_parent": theirs.get_parent,
        "parent_header": getattr(theirs, "parent_header", None) or _kept("parent_header", shell),
    }
    shell.__dict__.pop("_showtraceback", None)  # put there while ipykernel started
    shell.__class__ = type(theirs.__name__, (ZMQInteractiveShell, theirs), names)
    hook = shell.displayhook
    hook.__class__ = type(type(hook).__name__, (Displaying, type(hook)), {})
    from octavo_runtime.transform import KernelCompiler

    shell.db = MemoryDatabase()  # `%store` without the package that keeps it in files
    shell.compile.get_code_name = KernelCompiler.get_code_name.__get__(shell.compile)


def _kept(name: str, holder: Any) -> property:
    """A plain attribute under a name that a class of ours holds as a property."""
    values = {name: holder.__dict__.pop(name, {})}
    return property(lambda _: values[name], lambda _, value: values.__setitem__(name, value))


class Displaying:
    """Marks the time in which the value of a cell is shown: an error then fails the cell."""

    displaying = False

    def start_displayhook(self) -> None:
        self.displaying = True
        super().start_displayhook()  # type: ignore[misc]

    def finish_displayhook(self) -> None:
        self.displaying = False
        super().finish_displayhook()  # type: ignore[misc]
