"""The zygote: a warmed interpreter that forks a keeper, and through it a kernel, for each launch.

It runs no code of any notebook, has one thread, and ends when the program that started it is
gone (or, resident, when nobody has asked for anything for a while).
"""

from __future__ import annotations

import gc
import os
import signal
import socket
from typing import Any

from octavo_runtime import hooks, keeper, kernel, process
from octavo_runtime.channel import Channel, Closed
from octavo_runtime.nursery import Nursery


class PreloadFailure(ImportError):
    """A module that was to be loaded for all kernels cannot be."""


def boot(preload: list[str], *, for_long: bool = False) -> Any:
    """Everything that all kernels share, loaded once."""
    gc.disable()
    from octavo_runtime import shell as shell_module

    shell = shell_module.create()
    for name in preload:
        try:
            __import__(name)
        except Exception as error:
            raise PreloadFailure(f"{name}: {type(error).__name__}: {error}") from error
    kernel.prepare(shell)
    hooks.settle()
    if for_long:
        from octavo_runtime.warming import warm

        warm(shell)
        if process.libc() is not None:
            from octavo_runtime.rehearsal import rehearse

            rehearse(shell)
        gc.collect()
    gc.freeze()
    return shell


def fork_kernel(
    nursery: Nursery, launch: dict[str, Any], received: list[int], keep: list[int]
) -> None:
    """Fork the keeper of one kernel. `keep` are the zygote's own descriptors."""
    descriptors = dict(zip(keeper.DESCRIPTORS, received))  # noqa: B905 (Python 3.9)
    pid = process.fork_plainly()
    if pid == 0:
        keeper.main(kernel.main, launch, descriptors, [*keep, *nursery.descriptors()])
    nursery.forked(pid)
    for descriptor in received:
        os.close(descriptor)


def serve(control: socket.socket) -> None:
    """Fork kernels as the other end asks, until it goes away."""
    channel = Channel(control)
    channel.send({"type": "zygote-ready", "pid": os.getpid()})
    nursery = Nursery()
    while nursery.wait(control.fileno()):
        try:
            launch, received = channel.receive_with_descriptors()
        except Closed:
            return
        fork_kernel(nursery, launch, received, [control.fileno()])


def serve_resident(listener: socket.socket, idle_seconds: float, path: str) -> None:
    """Fork kernels for whoever connects, until nobody has for `idle_seconds`.

    `path` is where the socket lies; when it is gone nobody can connect any more.
    """
    _say_ready()
    nursery = Nursery()
    while nursery.wait(listener.fileno(), idle_seconds):
        connection, _ = listener.accept()
        with connection:
            if not _serve_one(nursery, listener, connection):
                return
        if not os.path.exists(path):
            return
    os.unlink(path)


def _say_ready() -> None:
    """Tell who started us, then let go of the descriptors that we share with it."""
    os.write(1, b"ready\n")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def _serve_one(nursery: Nursery, listener: socket.socket, connection: socket.socket) -> bool:
    """One request of a connection; False when it is the last."""
    connection.settimeout(5.0)
    try:
        launch, received = Channel(connection).receive_with_descriptors()
    except (Closed, TimeoutError, ValueError):
        return True
    if launch.get("op") == "stop":
        return False
    if len(received) == len(keeper.DESCRIPTORS):
        keep = [listener.fileno(), connection.fileno()]
        fork_kernel(nursery, launch, received, keep)
    return True


def main(descriptor: int, preload: list[str], idle_seconds: float, path: str) -> None:
    """Boot and serve; failures are told on the control socket."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=descriptor)
    process.close_all_but(0, 1, 2, descriptor)
    try:
        boot(preload, for_long=bool(idle_seconds))
    except BaseException as error:
        if not idle_seconds:
            preload_failed = isinstance(error, PreloadFailure)
            words = str(error) if preload_failed else f"{type(error).__name__}: {error}"
            message = {"type": "failed", "message": words, "preload": preload_failed}
            Channel(control).send(message)
        raise
    signal.alarm(0)
    if idle_seconds:
        serve_resident(control, idle_seconds, path)
    else:
        serve(control)
    os._exit(0)
