"""The runner's ends of a kernel's ZeroMQ sockets, in a thread of their own.

A kernel publishes whether or not somebody listens, and drops what its queue cannot hold. So the
thread reads as fast as it can, whatever the event loop does; where more has come than may lie
here, the kernel is held (`brake`) until that has been taken. Nothing is lost, nothing grows.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from octavo.kernels.jupyter.connection import Connection

#: How much may lie here before the kernel is held, and when it is let go.
HELD_ABOVE_BYTES = 32 << 20
LET_GO_BELOW_BYTES = 8 << 20
#: What one turn of the event loop takes.
PORTION_BYTES = 4 << 20
PORTION_MESSAGES = 2000
LARGEST_FRAME = 1 << 30
LINGER_MILLISECONDS = 200
FAREWELL_SECONDS = 2.0

Frames = list[bytes]
Arrived = tuple[str, Frames]


class Wire:
    """Sends and receives the frames of messages; `on_arrival` gets them in portions."""

    def __init__(
        self,
        connection: Connection,
        on_arrival: Callable[[list[Arrived]], None],
        brake: Callable[[bool], None],
    ) -> None:
        self._connection = connection
        self._on_arrival = on_arrival
        self._brake = brake
        self._loop = asyncio.get_running_loop()
        self._arrived: deque[Arrived] = deque()
        self._lying = 0
        self._held = False
        self._lock = threading.Lock()
        self._scheduled = False
        self._outgoing: deque[Arrived] = deque()
        self._wake_reader, self._wake = os.pipe()
        self._ending = threading.Event()
        self._finished: asyncio.Future[None] = self._loop.create_future()
        self.connected = False
        self.largest_backlog = 0
        self._thread = threading.Thread(target=self._run, name="octavo-jupyter", daemon=True)
        self._thread.start()

    # From the event loop

    def send(self, channel: str, frames: Frames) -> None:
        """Send one message on "shell" or "control"."""
        self._outgoing.append((channel, frames))
        self._rouse()

    async def finish(self) -> None:
        """Read what a kernel that has ended left behind, and close."""
        self._ending.set()
        self._rouse()
        await self._finished
        self._thread.join()
        while self._arrived:
            self._take()
        if self._wake >= 0:
            os.close(self._wake)
            os.close(self._wake_reader)
            self._wake = -1

    def _rouse(self) -> None:
        if self._wake >= 0:
            os.write(self._wake, b"!")

    def _deliver(self) -> None:
        with self._lock:
            self._scheduled = False
        if self._arrived:
            self._take()
            self._schedule()

    def _take(self) -> None:
        """Hand on one portion, and let the kernel go when little is left."""
        portion: list[Arrived] = []
        size = 0
        while self._arrived and size < PORTION_BYTES and len(portion) < PORTION_MESSAGES:
            channel, frames = self._arrived.popleft()
            size += _size(frames)
            portion.append((channel, frames))
        try:
            self._on_arrival(portion)
        finally:
            with self._lock:
                self._lying -= size
                if self._held and self._lying < LET_GO_BELOW_BYTES:
                    self._held = False
                    self._brake(False)

    # In the thread

    def _run(self) -> None:
        from importlib import import_module

        zmq: Any = import_module("zmq")
        context = zmq.Context()
        try:
            self._serve(zmq, context)
        finally:
            context.destroy(linger=0)
            self._call(_resolve, self._finished)

    def _serve(self, zmq: Any, context: Any) -> None:
        sockets = {name: self._socket(zmq, context, name) for name in ("shell", "control", "iopub")}
        events = sockets["iopub"].get_monitor_socket(
            zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED
        )
        poller = zmq.Poller()
        names = {socket: name for name, socket in sockets.items()}
        for source in (*names, events, self._wake_reader):
            poller.register(source, zmq.POLLIN)
        gone = False
        while not self._ending.is_set() or (self.connected and not gone):
            patience = FAREWELL_SECONDS * 1000 if self._ending.is_set() else None
            ready = dict(poller.poll(patience))
            if not ready:
                break
            if self._wake_reader in ready:
                os.read(self._wake_reader, 4096)
                self._send_all(sockets)
            for socket in [each for each in names if each in ready]:
                self._receive(zmq, socket, names[socket])
            if events in ready:
                gone = self._noticed(zmq, events)
        for socket, name in names.items():
            self._receive(zmq, socket, name)
        sockets["iopub"].disable_monitor()

    def _socket(self, zmq: Any, context: Any, name: str) -> Any:
        socket = context.socket(zmq.SUB if name == "iopub" else zmq.DEALER)
        socket.linger = LINGER_MILLISECONDS
        socket.rcvhwm = socket.sndhwm = 0
        socket.maxmsgsize = LARGEST_FRAME
        socket.reconnect_ivl = 20
        if name == "iopub":
            socket.setsockopt(zmq.SUBSCRIBE, b"")
        socket.connect(self._connection.address(name))
        return socket

    def _send_all(self, sockets: dict[str, Any]) -> None:
        while self._outgoing:
            channel, frames = self._outgoing.popleft()
            sockets[channel].send_multipart(frames)

    def _receive(self, zmq: Any, socket: Any, name: str) -> None:
        """Take all that is there, in portions so that the other sockets have their turn."""
        size = 0
        while size < PORTION_BYTES:
            try:
                frames = socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                break
            self._arrived.append((name, frames))
            size += _size(frames)
        if not size:
            return
        with self._lock:
            self._lying += size
            self.largest_backlog = max(self.largest_backlog, self._lying)
            if not self._held and self._lying > HELD_ABOVE_BYTES:
                self._held = True
                self._brake(True)
        self._schedule()

    def _noticed(self, zmq: Any, events: Any) -> bool:
        """Note that the kernel has been reached; True when it has gone."""
        from zmq.utils.monitor import recv_monitor_message

        event = recv_monitor_message(events)["event"]
        if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
            self.connected = True
            return False
        return True

    def _schedule(self) -> None:
        with self._lock:
            if self._scheduled or not self._arrived:
                return
            self._scheduled = True
        self._call(self._deliver)

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(function, *arguments)
        except RuntimeError:
            pass  # the loop is closed: nobody waits any more


def _size(frames: Frames) -> int:
    return sum(map(len, frames)) + 64


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
