"""Starting the process of a session, so that it outlives whoever asked for it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from octavo.errors import InfrastructureError
from octavo.kernels.fork.resident import connect_to, make_folder
from octavo.sessions.context import SessionContext
from octavo.sessions.places import folder_in
from octavo.sessions.wire import raised
from octavo.systems import OURS, lock

PROGRAM = "octavo.app.hosting"
#: How long a nursery waits for the next session to be asked for.
IDLE = 600.0
#: How long a nursery has to fork a dormitory.
_PATIENCE = 10.0
_NURSERY = "nursery-"


def nursery_path(runtime: str, known: str) -> str:
    """Where the nursery of a program listens, which is known by its identity."""
    return _path(runtime, _NURSERY, known)


def dormitory_path(runtime: str, known: str) -> str:
    """Where the dormitory of a program listens."""
    return _path(runtime, "dormitory-", known)


def _path(runtime: str, prefix: str, known: str) -> str:
    from hashlib import sha256

    digest = sha256(known.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return os.path.join(folder_in(runtime), f"{prefix}{digest}.sock")


def stop_nurseries(runtime: str) -> int:
    """End every nursery of this user; sessions go on. How many there were."""
    folder, stopped = folder_in(runtime), 0
    try:
        names = os.listdir(folder)
    except OSError:
        return 0
    for name in names:
        path = os.path.join(folder, name)
        if not name.startswith(_NURSERY):
            continue
        connection = connect_to(path)
        if connection is not None:
            with connection:
                stopped += not _exchange(connection, b'{"stop": true}\n')
        with suppress(OSError):
            os.unlink(path)
    return stopped


def identity() -> str:
    """Which program this is: a nursery of another version or environment is another."""
    return f"{sys.executable} {sys.prefix} {__file__} {_stamp()}"


def _stamp() -> int:
    """Changes whenever our code does."""
    package = __file__.rpartition("/sessions/")[0]
    newest = 0
    for folder, names, files in os.walk(package):
        names[:] = [name for name in names if name != "__pycache__"]
        for file in files:
            newest = max(newest, os.stat(os.path.join(folder, file)).st_mtime_ns)
    return newest


async def spawn(request: Mapping[str, Any], context: SessionContext, **more: Any) -> dict[str, Any]:
    """Begin a session in a process of its own: what it says of itself, or its error."""
    return await asyncio.to_thread(_spawn, dict(request), context, more)


def _spawn(
    request: dict[str, Any], context: SessionContext, more: dict[str, Any]
) -> dict[str, Any]:
    known = identity()
    asked = {
        **more,
        **surroundings(known, context),
        "request": request,
    }
    make_folder(folder_in(context.runtime))
    line = b""
    if "OCTAVO_NO_RESIDENT" not in context.environ:
        line = _from_nursery(asked, context)
    return _answer(line or _alone(asked, context))


def surroundings(known: str, context: SessionContext) -> dict[str, Any]:
    """What a process of the nursery must be told to be like one that was started from here."""
    umask = os.umask(0o077)
    os.umask(umask)
    environ = dict(context.environ)
    return {"identity": known, "cwd": context.cwd, "environ": environ, "umask": umask}


def _from_nursery(asked: dict[str, Any], context: SessionContext) -> bytes:
    """What a process of the nursery says; nothing where there can be no nursery."""
    data = json.dumps(asked).encode() + b"\n"
    for _ in range(2):
        connection = nursery(asked["identity"], context)
        if connection is None:
            return b""
        with connection:
            line = _exchange(connection, data)
        if line:
            return line
    return b""


def nursery(known: str, context: SessionContext) -> socket.socket | None:
    """A connection to the nursery of a program; it is started where it is that of our own."""
    path = nursery_path(context.runtime, known)
    connection = connect_to(path)
    if connection is not None or known != identity():
        return connection
    with _alone_with(path):
        connection = connect_to(path)
        if connection is None and _start_nursery(context):
            connection = connect_to(path)
    return connection


def dormitory(known: str, context: SessionContext) -> socket.socket | None:
    """A connection to the dormitory of a program, which is a fork of its nursery."""
    path = dormitory_path(context.runtime, known)
    connection = connect_to(path)
    if connection is not None:
        return connection
    with _alone_with(path):
        connection = connect_to(path)
        born = nursery(known, context) if connection is None else None
        if born is not None:
            asked = {"identity": known, "dormitory": path}
            with born:
                born.settimeout(_PATIENCE)
                _exchange(born, json.dumps(asked).encode() + b"\n")
            connection = connect_to(path)
    return connection


@contextmanager
def _alone_with(path: str) -> Iterator[None]:
    """Many may find at once that there is none; one of them starts it, and the others wait."""
    descriptor = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | OURS, 0o600)
    try:
        lock(descriptor, wait=True)
        yield
    finally:
        os.close(descriptor)


def _exchange(connection: socket.socket, data: bytes) -> bytes:
    answer = b""
    try:
        connection.sendall(data)
        while more := connection.recv(1 << 16):
            answer += more
    except OSError:
        pass
    return answer


def _start_nursery(context: SessionContext) -> bool:
    process = subprocess.Popen(
        [sys.executable, "-m", PROGRAM, "nursery", context.runtime],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # Threads that come and go would leave a pool of memory behind each.
        env={**context.environ, "MALLOC_ARENA_MAX": "1"},
        cwd="/",
    )
    words = process.stdout.read() if process.stdout else b""
    return words.rstrip().endswith(b"ready")


def _alone(asked: dict[str, Any], context: SessionContext) -> bytes:
    process = subprocess.Popen(
        [sys.executable, "-m", PROGRAM, "one"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=dict(context.environ),
        cwd=context.cwd,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(asked).encode())
        process.stdin.close()
    except OSError:
        pass  # it ended at once; what it said tells why
    return process.stdout.read()


def _answer(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except ValueError:
        raise InfrastructureError(
            "kernel-start",
            "the process of the session ended before it was ready",
            hint="try again; `octavo doctor` looks at what is installed",
        ) from None
    if "error" in message:
        raise raised(message["error"])
    answer: dict[str, Any] = message["answer"]
    return answer
