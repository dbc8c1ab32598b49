"""The resident host: Octavo itself, loaded once, forked for each command that is handed over.

It runs nothing but our own code, has one thread, listens on a socket that only its user can
reach, and ends when nobody has asked for anything for a while or when the code on disk changes.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
from collections.abc import Mapping
from typing import Any

from octavo.config import HOST_SOCKET
from octavo.kernels.fork.resident import listen
from octavo.surfaces.cli.handover import identity

LOADED = (
    "octavo.surfaces.cli.command",
    "octavo.surfaces.cli.present.runs",
    "octavo.surfaces.cli.progress.plain",
    "octavo.surfaces.cli.progress.live",
    "octavo.render.summary",
    "octavo.render.scraps",
    "octavo.runs.operation",
    "octavo.runs.handouts",
    "octavo.notebook.handout_grammar",
    "octavo.notebook.formats.percent",
    "octavo.notebook.formats.markdown",
    "octavo.notebook.formats.ipynb",
    "octavo.kernels.fork.engine",
    "hashlib",
    "yaml",
)


def main(folder: str, idle_seconds: float) -> None:
    """Serve until idle for too long, told to stop, or out of date."""
    path = os.path.join(folder, HOST_SOCKET)
    listener = listen(path)
    _load()
    known = _stamps()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    os.write(1, b"ready\n")
    _let_go()
    while select.select([listener], [], [], idle_seconds)[0]:
        connection, _ = listener.accept()
        with connection:
            if not os.path.exists(path) or _stamps() != known:
                break
            if not _serve(listener, connection):
                break
    _remove(path, listener)


def _load() -> None:
    from importlib import import_module

    for name in LOADED:
        import_module(name)
    gc.collect()
    gc.freeze()


def _stamps() -> dict[str, int]:
    """When each of our own files was last changed."""
    stamps: dict[str, int] = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and name.partition(".")[0] == "octavo":
            try:
                stamps[file] = os.stat(file).st_mtime_ns
            except OSError:
                stamps[file] = 0
    return stamps


def _let_go() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    os.close(nowhere)


def _remove(path: str, listener: socket.socket) -> None:
    listener.close()
    try:
        os.unlink(path)
    except OSError:
        pass


def _serve(listener: socket.socket, connection: socket.socket) -> bool:
    """Fork a runner for one command; False when the host was told to stop."""
    connection.settimeout(5.0)
    try:
        data, streams = _receive(connection)
    except (OSError, ValueError):
        return True
    if data == b"stop":
        return False
    parts = [
        ["" if word == b"\1" else os.fsdecode(word) for word in part.split(b"\0")]
        for part in data.split(b"\0\0")
    ]
    if len(parts) != 4 or parts[0] != [identity()] or len(streams) != 3:
        for descriptor in streams:
            os.close(descriptor)
        return True
    if os.fork() == 0:
        listener.close()
        _become_runner(connection, streams, parts)
    for descriptor in streams:
        os.close(descriptor)
    return True


def _receive(connection: socket.socket) -> tuple[bytes, list[int]]:
    data, streams, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    length = int.from_bytes(data[:4], "big")
    while len(data) < length + 4:
        more = connection.recv(1 << 20)
        if not more:
            raise ValueError("torn message")
        data += more
    return data[4:], list(streams)


def _become_runner(connection: socket.socket, streams: list[int], parts: list[list[str]]) -> None:
    """This fork is now the command that was handed over; never returns."""
    code = 3
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        connection.settimeout(None)
        connection.sendall(f"runner {os.getpid()}\n".encode())
        _take_over(streams, parts[1][0], dict(word.split("=", 1) for word in parts[3]))
        gc.enable()
        from octavo.surfaces.cli.command import run_command

        code = run_command(parts[2], client=connection)
        sys.stdout.flush()
        sys.stderr.flush()
        connection.sendall(f"exit {code}\n".encode())
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def _take_over(streams: list[int], folder: str, variables: Mapping[str, str]) -> None:
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    _reopen("stdin", 0, "r")
    _reopen("stdout", 1, "w")
    _reopen("stderr", 2, "w")


def _reopen(name: str, descriptor: int, mode: str) -> None:
    buffering = -1 if mode == "r" else 1 if os.isatty(descriptor) or descriptor == 2 else -1
    stream: Any = open(descriptor, mode, buffering, encoding="utf-8", closefd=False)  # noqa: SIM115
    setattr(sys, name, stream)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
