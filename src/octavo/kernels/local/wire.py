"""The runner's ends of the sockets: framed JSON, read and written by the event loop."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
from collections.abc import Callable, Iterator
from typing import Any

from octavo_runtime.channel import HEADER, pack
from octavo_runtime.packets import receive as receive_packet
from octavo_runtime.packets import send as send_packet

__all__ = [
    "Connection", "Frames", "PacketReader", "Reader", "acknowledge", "pack", "receive_packet",
    "send_launch",
    "send_packet",
]  # fmt: skip

_NUMBER = struct.Struct("!Q")
#: Packets of a kernel that is gone; processes that it has forked may go on sending.
_MOST_LEFT = 1000


def acknowledge(descriptor: int, number: Any) -> None:
    """Tell a kernel that what it sent under a number is written; one that is gone needs no word."""
    if isinstance(number, int):
        try:
            os.write(descriptor, _NUMBER.pack(number))
        except (OSError, struct.error):
            pass


def send_launch(sock: socket.socket, message: dict[str, Any], descriptors: list[int]) -> None:
    """Send a launch with its descriptors; they travel with the first byte."""
    data = pack(message)
    sent = socket.send_fds(sock, [data], descriptors)
    if sent < len(data):
        sock.sendall(data[sent:])


class Frames:
    """Cuts a stream of bytes into messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    @property
    def at_rest(self) -> bool:
        """Whether no part of a message is waiting for the other."""
        return not self._buffer

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        buffer = self._buffer
        buffer += data
        start = 0
        while len(buffer) - start >= HEADER.size:
            (length,) = HEADER.unpack_from(buffer, start)
            end = start + HEADER.size + length
            if len(buffer) < end:
                break
            body = bytes(memoryview(buffer)[start + HEADER.size : end])
            start = end
            yield json.loads(body)
        if start:
            del buffer[:start]


class Connection:
    """A socket of which one task waits for messages, one after the other."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._frames = Frames()
        self._waiting: list[dict[str, Any]] = []
        self._sending = asyncio.Lock()

    async def receive(self) -> dict[str, Any] | None:
        """The next message, None at the end of the stream."""
        loop = asyncio.get_running_loop()
        self._sock.setblocking(False)
        while not self._waiting:
            try:
                data = await loop.sock_recv(self._sock, 1 << 16)
            except OSError:
                return None
            if not data:
                return None
            self._waiting.extend(self._frames.feed(data))
        return self._waiting.pop(0)

    async def send(self, message: dict[str, Any], descriptors: list[int]) -> None:
        async with self._sending:
            self._sock.setblocking(True)
            try:
                send_launch(self._sock, message, descriptors)
            finally:
                self._sock.setblocking(False)

    def close(self) -> None:
        self._sock.close()


class Reader:
    """Calls back with each message of a socket, as the event loop sees them."""

    def __init__(
        self,
        sock: socket.socket,
        on_message: Callable[[dict[str, Any]], None],
        on_end: Callable[[], None],
    ) -> None:
        self._sock = sock
        self._frames = Frames()
        self._on_message = on_message
        self._on_end = on_end
        sock.setblocking(False)
        asyncio.get_running_loop().add_reader(sock.fileno(), self._readable)

    @property
    def at_rest(self) -> bool:
        return self._frames.at_rest

    def _readable(self) -> None:
        try:
            data = self._sock.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            self._on_end()
            return
        for message in self._frames.feed(data):
            self._on_message(message)

    def close(self) -> None:
        if self._sock.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._sock.fileno())
            self._sock.close()


class PacketReader:
    """Calls back with each packet of a kernel, and the descriptor to answer to if it sent one."""

    def __init__(
        self,
        sock: socket.socket,
        on_message: Callable[[dict[str, Any], int | None], None],
        on_garbage: Callable[[str], None],
    ) -> None:
        self._sock = sock
        self._on_message = on_message
        self._on_garbage = on_garbage
        #: Whether somebody may still say something.
        self.listening = True
        sock.setblocking(False)
        asyncio.get_running_loop().add_reader(sock.fileno(), self._readable)

    def rest(self) -> None:
        """Hand on what was sent before the kernel was gone."""
        for _ in range(_MOST_LEFT):
            if self._sock.fileno() < 0 or not self._readable():
                return

    def _readable(self) -> bool:
        """Hand on one packet; whether there was one."""
        try:
            received = receive_packet(self._sock)
        except BlockingIOError:
            return False
        except ValueError as error:
            self._on_garbage(str(error))
            return True
        except OSError:
            received = None
        if received is None:
            self._deafen()
            return False
        message, descriptors = received
        try:
            self._on_message(message, descriptors[0] if descriptors else None)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        return True

    def _deafen(self) -> None:
        self.listening = False
        asyncio.get_running_loop().remove_reader(self._sock.fileno())

    def close(self) -> None:
        if self._sock.fileno() >= 0:
            self._deafen()
            self._sock.close()
