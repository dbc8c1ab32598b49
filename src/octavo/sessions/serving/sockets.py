"""A kernel's ends of the five sockets, and a file that says where they are.

They are files in a folder that nobody else may enter, and every message is signed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from octavo.errors import EnvironmentFailure
from octavo.kernels.jupyter.connection import open_connection

Message = dict[str, Any]
#: How long what was sent before may take from one process to the other.
MOMENT_MILLISECONDS = 5
LARGEST_REQUEST = 256 << 20


class Sockets:
    """Hands on what is asked, sends answers and publications."""

    def __init__(self, name: str, folder: str) -> None:
        zmq, session = _packages()
        self.connection = open_connection("ipc", folder)
        self._session = session(
            key=self.connection.key.encode("ascii"), username="octavo", check_pid=False
        )
        self._context = import_module("zmq.asyncio").Context()
        kinds = {"shell": zmq.ROUTER, "control": zmq.ROUTER, "stdin": zmq.ROUTER}
        kinds |= {"iopub": zmq.PUB, "hb": zmq.ROUTER}
        self._sockets = {channel: self._bound(channel, kind) for channel, kind in kinds.items()}
        self.connection.write(name)

    async def next(self, channel: str) -> tuple[list[bytes], Message]:
        """The next request on a channel that is signed and can be read."""
        while True:
            frames = await self._sockets[channel].recv_multipart()
            found = self._read(frames)
            if found is not None:
                return found

    async def waiting(self, channel: str) -> list[tuple[list[bytes], Message]]:
        """The requests that are there already."""
        found = []
        while await self._sockets[channel].poll(MOMENT_MILLISECONDS):
            read = self._read(await self._sockets[channel].recv_multipart())
            found += [read] if read is not None else []
        return found

    async def beat(self) -> None:
        """Send heartbeats back, for as long as this runs."""
        socket = self._sockets["hb"]
        while True:
            await socket.send_multipart(await socket.recv_multipart())

    async def reply(
        self, channel: str, to: list[bytes], kind: str, content: Mapping[str, Any], parent: Message
    ) -> None:
        await self._send(channel, kind, content, parent, to)

    async def publish(self, kind: str, content: Mapping[str, Any], parent: Message) -> None:
        await self._send("iopub", kind, content, parent, [f"kernel.{kind}".encode()])

    def close(self) -> None:
        """The file and the sockets are gone."""
        for socket in self._sockets.values():
            socket.close(linger=200)
        self._context.term()
        self.connection.remove()

    def _bound(self, channel: str, kind: int) -> Any:
        socket = self._context.socket(kind)
        socket.linger = 200
        socket.maxmsgsize = LARGEST_REQUEST
        # Beyond its bound a publisher drops messages, and with them the word that a cell is over.
        socket.sndhwm = 0
        socket.bind(self.connection.address(channel))
        return socket

    def _read(self, frames: list[bytes]) -> tuple[list[bytes], Message] | None:
        try:
            identities, rest = self._session.feed_identities(frames, copy=True)
            message = self._session.deserialize(rest, copy=True)
        except Exception:  # unsigned, replayed or broken: jupyter_client has no name for it
            return None
        is_one = all(isinstance(message.get(each), dict) for each in ("header", "content"))
        return (identities, message) if is_one else None

    async def _send(
        self,
        channel: str,
        kind: str,
        content: Mapping[str, Any],
        parent: Message,
        to: list[bytes],
    ) -> None:
        message = self._session.msg(kind, dict(content), parent=parent.get("header"))
        frames = self._session.serialize(message, to)
        await self._sockets[channel].send_multipart(frames)


def _packages() -> tuple[Any, Callable[..., Any]]:
    try:
        return import_module("zmq"), import_module("jupyter_client.session").Session
    except ImportError:
        raise EnvironmentFailure(
            "extra-missing",
            "serving a session to Jupyter needs the package jupyter_client, which is not installed",
            hint="pip install 'octavo[jupyter]'",
        ) from None
