"""Talking to the host of a session: with the event loop (SessionClient) or without (Caller)."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from octavo.errors import InfrastructureError, UsageError
from octavo.sessions import places
from octavo.sessions.places import Place
from octavo.sessions.wire import Frames, Garbled, frame, raised

OnEvent = Callable[[dict[str, Any]], None]


def connected(runtime: str, word: str) -> tuple[Place, socket.socket]:
    """A connection to the session that a word means; UsageError when it is unknown or dead."""
    place = places.find(runtime, word)
    connection = place.connect()
    if connection is None:
        raise dead(place)
    return place, connection


def dead(place: Place) -> UsageError:
    return UsageError(
        "session-dead",
        f"the session {place.short} is dead: its process was killed",
        hint=f"octavo session restore {place.short} executes its cells again in a new one",
    )


def hung_up(place: Place) -> InfrastructureError:
    return InfrastructureError(
        "session-lost",
        f"the session {place.short} ended while it was asked",
        hint=f"octavo session restore {place.short} executes its cells again in a new one",
    )


class SessionClient:
    """A connection to one session. Many calls may be under way; leaving it ends nothing."""

    def __init__(self, place: Place, connection: socket.socket) -> None:
        self.place = place
        self._socket = connection
        self._numbers = count(1)
        self._waiting: dict[str, tuple[asyncio.Future[dict[str, Any]], OnEvent | None]] = {}
        self._frames = Frames()
        self._sending = asyncio.Lock()
        self._gone = False
        connection.setblocking(False)
        asyncio.get_running_loop().add_reader(connection.fileno(), self._readable)

    @classmethod
    async def open(cls, runtime: str, word: str) -> SessionClient:
        """Connect to the session that a word means."""
        return cls(*connected(runtime, word))

    async def call(self, op: str, *, on_event: OnEvent | None = None, **arguments: Any) -> Any:
        """Ask for something and wait for the answer; events on the way go to `on_event`."""
        if self._gone:
            raise hung_up(self.place)
        number = str(next(self._numbers))
        answered = asyncio.get_running_loop().create_future()
        self._waiting[number] = (answered, on_event)
        if on_event is not None:
            arguments["follow"] = True
        try:
            await self._send(frame({"id": number, "op": op, "arguments": arguments}))
            return _answer(await answered)
        finally:
            self._waiting.pop(number, None)

    def close(self) -> None:
        """Hang up; what was asked for goes on."""
        if self._socket.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._socket.fileno())
            self._socket.close()
        self._end()

    async def __aenter__(self) -> SessionClient:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.close()

    async def _send(self, data: bytes) -> None:
        try:
            async with self._sending:
                await asyncio.get_running_loop().sock_sendall(self._socket, data)
        except OSError:
            raise hung_up(self.place) from None

    def _readable(self) -> None:
        try:
            data = self._socket.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        try:
            for message in self._frames.feed(data):
                self._take(message)
        except Garbled:
            data = b""
        if not data:
            self.close()

    def _take(self, message: dict[str, Any]) -> None:
        answered, on_event = self._waiting.get(str(message.get("id")), (None, None))
        if "event" in message:
            if on_event is not None:
                on_event(message["event"])
        elif answered is not None and not answered.done():
            answered.set_result(message)

    def _end(self) -> None:
        self._gone = True
        for answered, _ in self._waiting.values():
            if not answered.done():
                answered.set_exception(hung_up(self.place))


class Caller:
    """A connection to one session for programs without an event loop; one call at a time."""

    def __init__(self, place: Place, connection: socket.socket) -> None:
        self.place = place
        self._socket = connection
        self._numbers = count(1)
        self._frames = Frames()
        self._early: list[dict[str, Any]] = []

    @classmethod
    def open(cls, runtime: str, word: str) -> Caller:
        """Connect to the session that a word means."""
        return cls(*connected(runtime, word))

    def call(self, op: str, *, on_event: OnEvent | None = None, **arguments: Any) -> Any:
        """Ask for something and wait for the answer."""
        number = str(next(self._numbers))
        if on_event is not None:
            arguments["follow"] = True
        try:
            self._socket.sendall(frame({"id": number, "op": op, "arguments": arguments}))
            while True:
                message = self._next()
                if str(message.get("id")) != number:
                    continue  # the answer to a call that was given up
                if "event" not in message:
                    return _answer(message)
                if on_event is not None:
                    on_event(message["event"])
        except (OSError, Garbled):
            raise hung_up(self.place) from None

    def close(self) -> None:
        self._socket.close()

    def _next(self) -> dict[str, Any]:
        while not self._early:
            data = self._socket.recv(1 << 18)
            if not data:
                raise ConnectionResetError
            self._early.extend(self._frames.feed(data))
        return self._early.pop(0)


def _answer(message: Mapping[str, Any]) -> Any:
    if "error" in message:
        raise raised(message["error"])
    return message.get("answer")


async def ask(runtime: str, word: str, op: str, **arguments: Any) -> Any:
    """One call on a connection of its own."""
    async with await SessionClient.open(runtime, word) as client:
        return await client.call(op, **arguments)
