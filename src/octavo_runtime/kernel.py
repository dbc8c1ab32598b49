"""A kernel: the forked process that executes cells, one at a time, until it is told to stop."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import signal
import sys
import time
from typing import Any

from octavo_runtime import process, streams
from octavo_runtime import shell as shell_module
from octavo_runtime.channel import Channel, Closed
from octavo_runtime.early_exit import EarlyExit
from octavo_runtime.emitter import Emitter

_SET_ASIDE = ("OLDPWD", "_")


class KernelLoop:
    """Takes requests from the channel and runs them in one event loop that never ends."""

    def __init__(self, shell: Any, channel: Channel, emitter: Emitter) -> None:
        self.shell = shell
        self.channel = channel
        self.emitter = emitter
        self.loop = asyncio.new_event_loop()
        self.running: asyncio.Task[Any] | None = None
        self.interrupted = False

    def serve(self) -> None:
        """Until the channel closes or `stop` comes. Tasks of the notebook go on between cells."""
        asyncio.set_event_loop(self.loop)
        serving = self.loop.create_task(self._serve())
        while not serving.done():
            try:
                self.loop.run_until_complete(serving)
            except KeyboardInterrupt:
                # Python was waiting in the event loop: cancel what the cell awaits.
                self.interrupted = True
                if self.running is not None:
                    self.running.cancel()

    async def _serve(self) -> None:
        readable = asyncio.Event()
        self.loop.add_reader(self.channel.fileno(), readable.set)
        while True:
            await readable.wait()
            try:
                request = self.channel.receive()
            except Closed:
                return
            readable.clear()
            if request["op"] == "stop":
                return
            self.emitter.say(await self._execute(request))

    async def _execute(self, request: dict[str, Any]) -> dict[str, Any]:
        self.shell.kernel.parent = {"header": {"msg_id": request["id"]}, "msg_id": request["id"]}
        started = _cpu_seconds()
        process.reset_peak_memory()
        self.interrupted = False
        status = await self._run(request["code"])
        self.emitter.flush()
        process.flush_c_streams()
        return {
            "type": "done",
            "status": status,
            "execution_count": self.shell.execution_count - 1,
            "memory_peak": process.peak_memory(),
            "cpu_seconds": round(_cpu_seconds() - started, 6),
        }

    async def _run(self, code: str) -> str:
        """One cell through IPython, with interrupts let through only while it runs."""
        self.running = self.loop.create_task(run_cell(self.shell, code))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return await self.running
        except asyncio.CancelledError:
            self._tell_interrupt()
            return "error"
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            self.running = None

    def _tell_interrupt(self) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            self.shell.showtraceback()


async def run_cell(shell: Any, code: str) -> str:
    """Run one cell as ipykernel does; "ok", "error" or "exit"."""
    shell.error_line = None
    shell._last_traceback = None
    broken = None
    try:
        transformed = shell.transform_cell(code)
    except Exception:
        transformed, broken = code, sys.exc_info()
    shell._code_name = shell.compile.get_code_name(code, transformed, shell.execution_count)
    result = None
    try:
        result = await shell.run_cell_async(
            code,
            store_history=True,
            transformed_cell=transformed,
            preprocessing_exc_tuple=broken,
        )
    finally:
        shell.events.trigger("post_execute")
        shell.events.trigger("post_run_cell", result)
        shell.payload_manager.clear_payload()
    return _status(result)


def _status(result: Any) -> str:
    error = result.error_before_exec or result.error_in_exec
    if isinstance(error, EarlyExit):
        value = shell_module.json_clean(error.value)
        shell_module.emitter.emit({"type": "exit-requested", "value": value})
        return "exit"
    return "ok" if error is None else "error"


def _cpu_seconds() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def main(shell: Any, launch: dict[str, Any], descriptors: dict[str, int]) -> None:
    """Become the kernel that a launch describes; never returns."""
    status = 1
    try:
        channel = Channel(_socket(descriptors["channel"]))
        emitter = Emitter(channel, descriptors["acknowledgements"])
        _settle(shell, launch, descriptors, emitter)
        emitter.say({"type": "ready", "pid": os.getpid(), "facts": _facts()})
        kernel = KernelLoop(shell, channel, emitter)
        kernel.serve()
        status = 0
        _finish(emitter)
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else 1
    except BaseException:
        import traceback

        os.write(2, traceback.format_exc().encode("utf-8", "replace"))
    finally:
        os._exit(status)


def _socket(descriptor: int) -> Any:
    import socket

    return socket.socket(fileno=descriptor)


def _settle(
    shell: Any, launch: dict[str, Any], descriptors: dict[str, int], emitter: Emitter
) -> None:
    """Streams, variables, folder, limits and random numbers of this one kernel."""
    os.dup2(descriptors["stdout"], 1)
    os.dup2(descriptors["stderr"], 2)
    os.close(descriptors["stdout"])
    os.close(descriptors["stderr"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out, err = streams.install(emitter.barrier)

    def flush() -> None:
        out.flush()
        err.flush()

    emitter.flush = flush
    shell_module.emitter = emitter
    os.environ.clear()
    os.environ.update(launch["variables"])
    time.tzset()
    os.chdir(launch["cwd"])
    sys.path.insert(0, "")
    sys.argv = [""]
    _limit(launch.get("limits") or {})
    _reseed()
    process.line_buffer_c_stdout()
    from octavo_runtime import comms, magics

    magics.uv, magics.managed = launch.get("uv"), bool(launch.get("managed"))
    comms.install(shell, emitter)
    gc.enable()


def _limit(limits: dict[str, Any]) -> None:
    """What the system itself can bound; memory and processes are watched by the keeper."""
    if limits.get("file_size") is not None:
        size = int(limits["file_size"])
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def _reseed() -> None:
    """Random numbers must differ between kernels of one zygote. `random` does it by itself."""
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()


def _facts() -> dict[str, Any]:
    import platform

    import IPython

    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "ipython": IPython.__version__,
        "executable": sys.executable,
        "prefix": sys.prefix,
    }


def _finish(emitter: Emitter) -> None:
    """What an interpreter does at its end, but without taking it apart piece by piece."""
    import atexit

    atexit._run_exitfuncs()
    emitter.flush()
    process.flush_c_streams()
