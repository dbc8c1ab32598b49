"""The process of a session: listens on its socket until the session ends.

Nothing of the notebook runs here. A client that goes away ends nothing. A family of sessions that
were branched from one another share a process, because they share the keeper of their kernels.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from octavo.errors import OctavoError
from octavo.kernels.port import Movable
from octavo.sessions import places
from octavo.sessions.hosts.asked import Asked
from octavo.sessions.hosts.live import Live
from octavo.sessions.hosts.sleeping import ROUSING
from octavo.sessions.hosts.work import mistake
from octavo.sessions.places import Place
from octavo.sessions.wire import Frames, Garbled, frame, told
from octavo.systems import Descriptor
from octavo.value import Value

#: A client that does not read loses events, never answers, beyond so many bytes.
_MOST_UNREAD = 16 * 1024 * 1024
STOPPED = "stopped"
CULLED = "the lease ended"


class Host:
    """The sessions of one process."""

    def __init__(self, runtime: str) -> None:
        self._runtime = runtime
        self._serving: dict[str, _Serving] = {}
        self._over = asyncio.Event()
        #: When somebody called last.
        self.stirred = time.monotonic()
        #: The signal that asked for the end.
        self._signalled = ""

    async def serve(self, live: Live) -> Place:
        """Listen for a session; it can be found from here on."""
        serving = _Serving(live, self)
        await serving.listen(self._runtime)
        self._serving[live.short] = serving
        return serving.place

    async def go_on(self, sleepers: Sequence[Sleeper]) -> None:
        """Serve sessions that another process served until now; they listen already."""
        servings = [_Serving(sleeper.live, self) for sleeper in sleepers]
        self._serving |= {serving.live.short: serving for serving in servings}
        for serving, sleeper in zip(servings, sleepers, strict=True):
            await serving.go_on(sleeper)
        if self._signalled:
            self.terminated(self._signalled)

    @property
    def quiet_since(self) -> float:
        """When somebody called last, or a kernel said something."""
        return max([self.stirred, *(live.recording.pipeline.heard for live in self.lives)])

    @property
    def lives(self) -> list[Live]:
        return [serving.live for serving in self._serving.values()]

    @property
    def at_rest(self) -> bool:
        """Whether nothing goes on in any session, and nobody waits for an answer."""
        servings = self._serving.values()
        return bool(servings) and all(serving.at_rest for serving in servings)

    def sleepers(self) -> list[Sleeper]:
        """The sessions as another process needs them."""
        return [serving.sleeper() for serving in self._serving.values()]

    async def until_over(self) -> None:
        """Until the last session has ended."""
        self.heed_signals()
        await self._over.wait()

    def heed_signals(self) -> None:
        """From here on a signal ends the sessions in order; those that waited come now."""
        loop = asyncio.get_running_loop()
        for number in ROUSING:
            loop.add_signal_handler(number, self.terminated, signal.Signals(number).name)
        with suppress(ValueError, OSError):
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ROUSING)

    async def end(self) -> None:
        """End every session, in order."""
        for serving in list(self._serving.values()):
            await serving.end(None, STOPPED)

    def ended(self, short: str) -> None:
        self._serving.pop(short, None)
        if not self._serving:
            self._over.set()

    def terminated(self, name: str) -> None:
        """A signal asks for the end, also of sessions that are served only now."""
        self._signalled = name
        for serving in list(self._serving.values()):
            serving.live.background(serving.end("interrupted", f"the session got {name}"))


class Sleeper(Value):
    """A session on its way to another process, with the descriptors of its socket and clients."""

    live: Live
    place: Place
    listener: Any
    clients: tuple[Any, ...]

    @property
    def watched(self) -> tuple[int, ...]:
        """The descriptors by which somebody may call."""
        kernel = self.live.lives.kernel
        heard = kernel.heard_from if isinstance(kernel, Movable) else ()
        return *(each.number for each in (self.listener, *self.clients)), *heard


class _Serving:
    """One session and those who are connected to it."""

    def __init__(self, live: Live, host: Host) -> None:
        self.live = live
        self.host = host
        self.asked = Asked(live, self._stop, host.serve)
        self.place: Place
        self._server: asyncio.AbstractServer | None = None
        self._listener: socket.socket
        self._clients: set[_Client] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._ending: asyncio.Task[None] | None = None

    async def listen(self, runtime: str) -> None:
        self.place, listener = places.take(runtime, note_of(self.live))
        await self._accept(listener)
        self.live.renew()
        self._watch_lease()

    async def go_on(self, sleeper: Sleeper) -> None:
        """Listen where another process listened until now, and to those who were connected."""
        self.live.facts.pid = os.getpid()
        self.place = sleeper.place.replace(note=note_of(self.live))
        await self._accept(socket.socket(fileno=sleeper.listener))
        loop = asyncio.get_running_loop()
        for client in sleeper.clients:
            await loop.connect_accepted_socket(
                lambda: _Client(self), sock=socket.socket(fileno=client)
            )
        self._watch_lease()
        with suppress(OctavoError):  # on a full disk a list tells how it was
            places.write(self.place)

    @property
    def at_rest(self) -> bool:
        quiet = all(client.at_rest for client in self._clients)
        return quiet and self._ending is None and self.asked.beside is None and self.live.at_rest

    def sleeper(self) -> Sleeper:
        """What another process needs to go on here."""
        clients = tuple(Descriptor(client.fileno()) for client in self._clients)
        return Sleeper(self.live, self.place, Descriptor(self._listener.fileno()), clients)

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        listener.setblocking(False)
        self._listener = listener
        # Not `create_unix_server`: that of Python 3.13 looks for the name the socket was bound by.
        self._server = await loop.create_server(lambda: _Client(self), sock=listener)

    def joined(self, client: _Client) -> None:
        self._clients.add(client)

    def left(self, client: _Client) -> None:
        self._clients.discard(client)

    # The lease

    def _watch_lease(self) -> None:
        left = max(0.05, self.live.lease_ends - time.time())
        self._timer = asyncio.get_running_loop().call_later(min(left, 3600.0), self._lease_due)

    def _lease_due(self) -> None:
        live = self.live
        if live.turns.busy:
            live.renew()
        if time.time() < live.lease_ends:
            self._watch_lease()
        else:
            live.background(self.end("interrupted", CULLED))

    # The end

    async def _stop(self, message: str) -> None:
        await self.end(None, message or STOPPED)

    async def end(self, reason: Any, message: str) -> None:
        """End the session in order; asked twice, it is waited for."""
        if self._ending is None:
            self._ending = asyncio.ensure_future(self._end(reason, message))
        await asyncio.shield(self._ending)

    async def _end(self, reason: Any, message: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._server is not None:
            self._server.close()
        try:
            await self.live.end(reason, message)
        finally:
            self.place.forget()
            # What was asked before the end has its answer first.
            asyncio.get_running_loop().call_later(0.2, self.host.ended, self.live.short)


class _Client(asyncio.Protocol):
    """Somebody who is connected."""

    def __init__(self, serving: _Serving) -> None:
        self._serving = serving
        self._frames = Frames()
        self._transport: asyncio.Transport
        self._tasks: set[asyncio.Task[None]] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._serving.joined(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._serving.left(self)

    def fileno(self) -> int:
        number: int = self._transport.get_extra_info("socket").fileno()
        return number

    @property
    def at_rest(self) -> bool:
        """Whether it asks nothing, and has been told everything."""
        unread = self._transport.get_write_buffer_size()
        return not self._tasks and self._frames.at_rest and not unread

    def data_received(self, data: bytes) -> None:
        self._serving.host.stirred = time.monotonic()
        try:
            for message in self._frames.feed(data):
                task = asyncio.ensure_future(self._answer(message))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        except Garbled:
            self._transport.close()

    async def _answer(self, message: Mapping[str, Any]) -> None:
        number = message.get("id")
        arguments = message.get("arguments")

        def tell(event: dict[str, Any]) -> None:
            if self._transport.get_write_buffer_size() < _MOST_UNREAD:
                self._send({"id": number, "event": event})

        try:
            given = arguments if isinstance(arguments, dict) else {}
            answer = await self._serving.asked.answer(str(message.get("op")), given, tell)
            self._send({"id": number, "answer": answer})
        except OctavoError as error:
            self._send({"id": number, "error": told(error)})
        except Exception as error:
            self._send({"id": number, "error": told(mistake(error))})
        finally:
            self._serving.host.stirred = time.monotonic()

    def _send(self, message: Mapping[str, Any]) -> None:
        if not self._transport.is_closing():
            self._transport.write(frame(message))


def note_of(live: Live) -> dict[str, Any]:
    """What is written beside the socket of a session."""
    facts = live.facts
    return {
        "id": live.recording.id,
        "pid": facts.pid,
        "project": facts.project,
        "notebook": facts.notebook,
        "engine": facts.engine,
        "python": facts.python,
        "started": live.started,
        "name": facts.name,
        "owner": facts.owner,
        "parent": facts.parent,
        "record": str(live.recording.path),
    }
