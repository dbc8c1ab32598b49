"""Length-prefixed JSON over a stream socket, with file descriptors where they are needed."""

from __future__ import annotations

import _socket
import array
import json
import socket
import struct
from typing import Any

HEADER = struct.Struct("!I")
MAX_DESCRIPTORS = 8


def pack(message: dict[str, Any]) -> bytes:
    """One message as it goes over the wire. Lone surrogates survive as escapes."""
    body = json.dumps(message, separators=(",", ":"), default=str).encode("ascii")
    return HEADER.pack(len(body)) + body


class Closed(ConnectionError):
    """The other end is gone."""


class Channel:
    """The blocking end of a connection, for processes that have nothing else to do."""

    def __init__(self, sock: _socket.socket) -> None:
        self.sock = sock

    def fileno(self) -> int:
        return self.sock.fileno()

    def send(self, message: dict[str, Any]) -> None:
        try:
            self.sock.sendall(pack(message))
        except OSError as error:
            raise Closed(str(error)) from error

    def receive(self) -> dict[str, Any]:
        """The next message; Closed when there will be none."""
        return self.receive_with_descriptors()[0]

    def receive_with_descriptors(self) -> tuple[dict[str, Any], list[int]]:
        descriptors: list[int] = []
        (length,) = HEADER.unpack(self._read(HEADER.size, descriptors))
        body = self._read(length, descriptors)
        message: dict[str, Any] = json.loads(body)
        return message, descriptors

    def _read(self, size: int, descriptors: list[int]) -> bytes:
        room = socket.CMSG_SPACE(MAX_DESCRIPTORS * 4)
        parts: list[bytes] = []
        while size:
            try:
                chunk, ancillary, _, _ = self.sock.recvmsg(
                    min(size, 1 << 20), room, socket.MSG_CMSG_CLOEXEC
                )
            except OSError as error:
                raise Closed(str(error)) from error
            if not chunk:
                raise Closed("end of stream")
            for level, kind, data in ancillary:
                if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                    found = array.array("i")
                    found.frombytes(data[: len(data) - len(data) % found.itemsize])
                    descriptors.extend(found)
            parts.append(chunk)
            size -= len(chunk)
        return b"".join(parts)
