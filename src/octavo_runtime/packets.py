"""One JSON message is one packet of a SEQPACKET socket: sent whole or not at all.

So no interrupt, alarm or dying process can leave half a message behind, and processes that share
the socket after a fork do not mix theirs. A message too large for a packet lies in a file in
memory, whose descriptor travels instead.
"""

from __future__ import annotations

import array
import json
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

INLINE_BYTES = 60_000
ELSEWHERE = b"@"
_CLOSED = int(socket.MSG_CMSG_CLOEXEC)
_AT_ONCE = int(socket.MSG_CMSG_CLOEXEC | socket.MSG_DONTWAIT)
_encode = json.JSONEncoder(separators=(",", ":"), default=str).encode
_ROOM = socket.CMSG_SPACE(8 * array.array("i").itemsize)


def encode(message: dict[str, Any]) -> bytes:
    """JSON in ASCII; lone surrogates survive as escapes."""
    return _encode(message).encode("ascii")


def send(sock: socket.socket, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> None:
    """Send one message, and descriptors along with it; OSError when the other end is gone."""
    data = encode(message)
    if len(data) <= INLINE_BYTES:
        _send(sock, data, descriptors)
        return
    memory = os.memfd_create("octavo", os.MFD_CLOEXEC)
    try:
        with _no_limit_on_files():
            _write_all(memory, data)
        _send(sock, ELSEWHERE, (*descriptors, memory))
    finally:
        os.close(memory)


@contextmanager
def _no_limit_on_files() -> Iterator[None]:
    """A file in memory is none of those that a launch bounds the size of."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    if soft == hard:
        yield
        return
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _send(sock: socket.socket, data: bytes, descriptors: tuple[int, ...]) -> None:
    if not descriptors:
        sock.send(data)
        return
    rights = array.array("i", descriptors)
    sock.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def receive(
    sock: socket.socket, *, waiting: bool = True
) -> tuple[dict[str, Any], list[int]] | None:
    """The next message with its descriptors, None at the end; ValueError when it is not JSON."""
    flags = _CLOSED if waiting else _AT_ONCE
    data, ancillary, _, _ = sock.recvmsg(INLINE_BYTES, _ROOM, flags)
    descriptors = _descriptors(ancillary)
    if not data:
        return None
    if data == ELSEWHERE and descriptors:
        data = _read_and_close(descriptors.pop())
    try:
        message = json.loads(data)
        if not isinstance(message, dict):
            raise ValueError("not an object")
    except ValueError:
        for descriptor in descriptors:
            os.close(descriptor)
        raise
    return message, descriptors


def _descriptors(ancillary: list[tuple[int, int, bytes]]) -> list[int]:
    found = array.array("i")
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            found.frombytes(data[: len(data) - len(data) % found.itemsize])
    return list(found)


def _read_and_close(memory: int) -> bytes:
    with open(memory, "rb") as file:
        file.seek(0)
        return file.read()
