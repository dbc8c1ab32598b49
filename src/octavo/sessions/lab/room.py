"""A shared document of jupyter-collaboration, kept the same as the server's.

The room speaks the y-sync protocol over a websocket: each side asks for what it lacks (step 1),
gets it (step 2), and sends its own changes as they come (updates).
"""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import Any

from octavo.errors import EnvironmentFailure, InfrastructureError
from octavo.kernels.remote import failures
from octavo.kernels.remote.server import Server

OPENING_SECONDS = 30.0
LARGEST_MESSAGE = 512 << 20
SYNC = 0
#: With this code jupyter-collaboration closes the room of a file that is not there.
NO_FILE = 4404
_STEP_TWO = 1


class Room:
    """One client's place in a room. `document` follows what others do while this is open."""

    def __init__(self, server: Server, room: str, session: str) -> None:
        self._server = server
        self._path = f"api/collaboration/room/{room}?sessionId={session}"
        self._crdt = _pycrdt()
        self.document: Any = self._crdt.Doc()
        self._socket: Any = None
        self._reading: asyncio.Task[None] | None = None
        self._waiting: list[asyncio.Future[None]] = []
        self._closed = ""

    async def open(self) -> None:
        """Connect, and wait until the document is here."""
        self._socket = await self._connect()
        self._reading = asyncio.ensure_future(self._read())
        await self.settled()

    async def settled(self) -> None:
        """Until the server has taken what we sent, and we have what it had then.

        It handles what comes from us in order, so its answer to a question is a receipt.
        """
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(answer)
        self._send(self._crdt.create_sync_message(self.document))
        try:
            await asyncio.wait_for(answer, OPENING_SECONDS)
        except TimeoutError:
            raise failures.unreachable(self._server.url, "its document room is silent") from None

    async def send_changes(self, before: bytes) -> None:
        """Give what has changed since a state of the document to everybody."""
        update = self.document.get_update(before)
        self._send(self._crdt.create_update_message(update))
        await self.settled()

    @property
    def is_missing(self) -> bool:
        """Whether the server closed the room because its file is not there."""
        return self._socket is not None and self._socket.close_code == NO_FILE

    async def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])

    def _send(self, frame: bytes) -> None:
        from tornado.websocket import WebSocketClosedError

        try:
            sent = self._socket.write_message(frame, binary=True)
        except WebSocketClosedError:
            raise self._gone() from None
        sent.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _connect(self) -> Any:
        from tornado.httpclient import HTTPClientError, HTTPRequest
        from tornado.websocket import websocket_connect

        request = HTTPRequest(
            self._server.socket_address(self._path),
            headers=self._server.headers,
            connect_timeout=OPENING_SECONDS,
            request_timeout=OPENING_SECONDS,
            follow_redirects=False,
        )
        opening = websocket_connect(request, max_message_size=LARGEST_MESSAGE, ping_interval=20)
        try:
            return await asyncio.wait_for(opening, OPENING_SECONDS)
        except HTTPClientError as error:
            raise failures.status(
                self._server.url, error.code, "", bool(self._server.token)
            ) from None
        except (OSError, TimeoutError) as error:
            raise failures.unreachable(self._server.url, str(error)) from None

    async def _read(self) -> None:
        while True:
            frame = await self._socket.read_message()
            if frame is None:
                self._give_up()
                return
            if isinstance(frame, bytes) and frame[:1] == bytes([SYNC]):
                self._synchronize(frame)

    def _synchronize(self, frame: bytes) -> None:
        try:
            reply = self._crdt.handle_sync_message(frame[1:], self.document)
        except Exception as error:  # what pycrdt raises for a broken update has no common name
            self._closed = f"its document cannot be read: {error}"
            self._socket.close()
            return
        if reply is not None:
            self._send(reply)
        if frame[1] == _STEP_TWO and self._waiting:
            answer = self._waiting.pop(0)
            if not answer.done():
                answer.set_result(None)

    def _give_up(self) -> None:
        code, reason = self._socket.close_code, self._socket.close_reason
        self._closed = self._closed or f"it closed the document ({code or ''} {reason or ''})"
        for answer in self._waiting:
            if not answer.done():
                answer.set_exception(self._gone())
        self._waiting.clear()

    def _gone(self) -> InfrastructureError:
        reason = self._closed or "it closed the document"
        return InfrastructureError(
            "jupyter-server",
            f"the shared document is gone: {reason}",
            place=self._server.url,
            hint="see whether the server runs, and whether the notebook is still there",
        )


def _pycrdt() -> Any:
    try:
        import_module("tornado")
        import_module("jupyter_ydoc")
        return import_module("pycrdt")
    except ImportError:
        raise EnvironmentFailure(
            "extra-missing",
            "the Jupyter server shares its documents, and editing them needs pycrdt and "
            "jupyter_ydoc, which are not installed",
            hint="pip install 'octavo[lab]'",
        ) from None
