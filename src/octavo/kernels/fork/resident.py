"""Resident zygotes: one per environment and user, listening on a socket in the runtime folder.

A resident zygote is a favour, never a need: whatever is wrong with it, the caller starts one of
its own.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager

from octavo.errors import EnvironmentFailure, InfrastructureError
from octavo.kernels.fork.zygote import BOOT, CONTROL, at_start, key
from octavo.kernels.local.wire import pack

PREFIX = "zygote-"
START_SECONDS = 60.0
#: How long to wait for one who accepts nothing, where others wait already; and for ever.
_PATIENCE, _ALWAYS = struct.pack("@ll", 10, 0), struct.pack("@ll", 0, 0)


def socket_path(folder: str, wanted: tuple[object, ...]) -> str:
    """Where the resident zygote for a key listens."""
    import hashlib

    digest = hashlib.sha256(repr((wanted, _runtime_stamp())).encode()).hexdigest()[:20]
    return os.path.join(folder, f"{PREFIX}{digest}.sock")


def _runtime_stamp() -> int:
    """Changes whenever the code that runs in kernels does."""
    folder = os.path.dirname(BOOT)
    with os.scandir(folder) as entries:
        return max(entry.stat().st_mtime_ns for entry in entries if entry.name.endswith(".py"))


def connect(folder: str, wanted: tuple[object, ...]) -> socket.socket | None:
    """A connection to the resident zygote for a key, None where there is none."""
    if not os.path.isdir(folder):
        return None
    return connect_to(socket_path(folder, wanted))


def connect_to(path: str) -> socket.socket | None:
    """A connection to a socket that a process of this user listens on."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _PATIENCE)
        with reachable(path) as short:
            connection.connect(short)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _ALWAYS)
        if _peer_uid(connection) != os.getuid():
            raise PermissionError(path)
    except OSError:
        connection.close()
        return None
    return connection


@contextmanager
def reachable(path: str) -> Iterator[str]:
    """A path that is short enough for a socket, however deep the folder lies."""
    folder, name = os.path.split(path)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}/{name}"
    finally:
        os.close(descriptor)


def _peer_uid(connection: socket.socket) -> int:
    data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    uid: int = struct.unpack("3i", data)[1]
    return uid


def start(
    folder: str,
    python: str,
    variables: dict[str, str],
    preload: tuple[str, ...],
    overlay: str | None,
    idle_seconds: float,
) -> str:
    """Start a resident zygote unless one is there; the path of its socket."""
    path = socket_path(folder, key(python, variables, preload, overlay))
    existing = connect_to(path)
    if existing is not None:
        existing.close()
        return path
    listener = listen(path)
    ready, their_ready = os.pipe()
    names = ",".join(preload)
    arguments = [python, BOOT, str(CONTROL), names, overlay or "", str(idle_seconds), path]
    try:
        os.posix_spawn(
            python,
            arguments,
            at_start(variables),
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, their_ready, 1),
                (os.POSIX_SPAWN_DUP2, their_ready, 2),
                (os.POSIX_SPAWN_DUP2, listener.fileno(), CONTROL),
            ],
            setsid=True,
        )
    finally:
        os.close(their_ready)
        listener.close()
    _await_ready(ready, path, python)
    return path


def make_folder(folder: str) -> None:
    """A folder for sockets that nobody else may enter."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        raise InfrastructureError(
            "storage",
            f"there is no place for the sockets: {os.strerror(error.errno or 0).lower()}",
            place=folder,
            hint="let XDG_RUNTIME_DIR name a folder that you may write to",
        ) from error


def listen(path: str) -> socket.socket:
    """A listening socket at a path; one that nobody serves any more is replaced."""
    temporary = f"{path}-{os.getpid()}"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with reachable(temporary) as short:
            listener.bind(short)
        os.chmod(temporary, 0o600)
        listener.listen(64)
        os.replace(temporary, path)
    except OSError as error:
        listener.close()
        raise EnvironmentFailure(
            "kernel-start",
            f"cannot listen on {path}: {error.strerror or error}",
            hint="set XDG_RUNTIME_DIR to a folder of yours",
        ) from error
    return listener


def _await_ready(ready: int, path: str, python: str) -> None:
    """Wait for the line that a resident zygote writes when it can serve."""
    with open(ready, "rb") as file:
        words = file.read()
    if words.rstrip().endswith(b"ready"):
        return
    os.unlink(path)
    lines = words.decode("utf-8", "replace").strip().splitlines()
    raise EnvironmentFailure(
        "environment-broken",
        f"{python} cannot keep a warm kernel: {lines[-1] if lines else 'it ended'}",
        hint="run the notebook once without `octavo warm` to see what is wrong",
    )


def paths(folder: str) -> list[str]:
    """The sockets of all resident zygotes in a folder."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [os.path.join(folder, name) for name in sorted(names) if _is_resident(name)]


def _is_resident(name: str) -> bool:
    return name.startswith(PREFIX) and name.endswith(".sock")


def stop(path: str) -> bool:
    """End the resident that listens on a socket; False when there was none."""
    connection = connect_to(path)
    if connection is not None:
        with connection:
            connection.sendall(pack({"op": "stop"}))
            connection.settimeout(START_SECONDS)
            try:
                connection.recv(1)
            except OSError:
                pass
    try:
        os.unlink(path)
    except OSError:
        pass
    return connection is not None
