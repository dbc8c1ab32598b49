"""The channels of one kernel over a server's websocket; a broken one is opened again."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

from octavo.errors import InfrastructureError
from octavo.kernels.jupyter.client import Message
from octavo.kernels.remote import failures
from octavo.kernels.remote.server import Server
from octavo.kernels.remote.wire import NEWER, Nonsense, pack, unpack

OPENING_SECONDS = 30.0
PING_SECONDS = 20.0
LARGEST_MESSAGE = 512 << 20
#: How long is waited before each attempt to come back.
ATTEMPTS_SECONDS = (0.1, 0.3, 1.0, 2.0, 4.0)


class Channels:
    """Requests out, messages in. `on_back` is told that messages may have been missed meanwhile,

    `on_gone` that there is no way back. A slow listener slows the server down: what has come is
    handed on before more is read.
    """

    def __init__(
        self,
        server: Server,
        kernel: str,
        on_message: Callable[[str, Message], None],
        on_back: Callable[[], None],
        on_gone: Callable[[str], None],
    ) -> None:
        self._server = server
        self._kernel = kernel
        self._on_message = on_message
        self._on_back = on_back
        self._on_gone = on_gone
        self._session = os.urandom(16).hex()
        self._socket: Any = None
        self._reading: asyncio.Task[None] | None = None
        self._closed = False

    async def open(self) -> None:
        """Connect; raises what keeps us from it."""
        self._socket = await self._connect()
        self._reading = asyncio.ensure_future(self._read())

    def request(self, channel: str, kind: str, content: Message, identity: str = "") -> str:
        """Send a request; the id by which its answers are known.

        While there is no connection it is lost, which `on_back` says.
        """
        identity = identity or os.urandom(16).hex()
        header = {
            "msg_id": identity,
            "msg_type": kind,
            "username": "octavo",
            "session": self._session,
            "date": datetime.now(UTC).isoformat(),
            "version": "5.3",
        }
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        self._write(pack(channel, message, self._protocol))
        return identity

    async def close(self) -> None:
        """Leave; the kernel goes on. Safe to call twice, and from what is told of a message."""
        self._closed = True
        if self._socket is not None:
            self._socket.close()
        reading = self._reading
        if reading is not None and reading is not asyncio.current_task():
            reading.cancel()
            await asyncio.wait([reading])

    @property
    def _protocol(self) -> str | None:
        return self._socket.selected_subprotocol if self._socket else None

    def _write(self, frame: bytes | str) -> None:
        from tornado.websocket import WebSocketClosedError

        try:
            sent = self._socket.write_message(frame, binary=isinstance(frame, bytes))
        except WebSocketClosedError:
            return
        # Whoever reads learns that it was closed; nobody asks this future.
        sent.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _connect(self) -> Any:
        httpclient, websocket = _tornado()
        path = f"api/kernels/{self._kernel}/channels?session_id={self._session}"
        request = httpclient.HTTPRequest(
            self._server.socket_address(path),
            headers=self._server.headers,
            connect_timeout=OPENING_SECONDS,
            request_timeout=OPENING_SECONDS,
            follow_redirects=False,
        )
        opening = websocket.websocket_connect(
            request,
            subprotocols=[NEWER],
            max_message_size=LARGEST_MESSAGE,
            ping_interval=PING_SECONDS,
            ping_timeout=PING_SECONDS,
        )
        try:
            return await asyncio.wait_for(opening, OPENING_SECONDS)
        except httpclient.HTTPClientError as error:
            raise self._refused(error.code, str(error)) from None
        except TimeoutError:
            raise failures.unreachable(self._server.url, "it does not answer") from None
        except (OSError, websocket.WebSocketError) as error:
            raise failures.unreachable(self._server.url, str(error)) from None

    def _refused(self, code: int, said: str) -> InfrastructureError:
        if code == 599:
            return failures.unreachable(self._server.url, said)
        return failures.status(self._server.url, code, "", bool(self._server.token))

    async def _read(self) -> None:
        while True:
            frame = await self._socket.read_message()
            if frame is None:
                if self._closed or not await self._come_back():
                    return
                continue
            try:
                channel, message = unpack(frame, self._protocol)
            except Nonsense:
                continue  # a server may say more than we know of
            self._on_message(channel, message)

    async def _come_back(self) -> bool:
        reason = "it closed the connection"
        for seconds in ATTEMPTS_SECONDS:
            await asyncio.sleep(seconds)
            try:
                self._socket = await self._connect()
            except InfrastructureError as error:
                reason = error.message
                if error.details.get("status") == 404:
                    break
                continue
            self._on_back()
            return True
        if not self._closed:
            self._on_gone(reason)
        return False


def _tornado() -> tuple[Any, Any]:
    try:
        return import_module("tornado.httpclient"), import_module("tornado.websocket")
    except ImportError:
        raise failures.not_installed() from None
