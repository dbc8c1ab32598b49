"""Jupyter's messages over the wire: requests out, checked and parsed messages in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from octavo.kernels.jupyter.connection import Connection
from octavo.kernels.jupyter.wire import Arrived, Wire

Message = dict[str, Any]


class Client:
    """Speaks for the runner. `on_portion` gets messages with the channel that they came on.

    What is not a message of this kernel (a wrong signature, no JSON, missing parts) is told to
    `on_nonsense`, in words, and otherwise ignored.
    """

    def __init__(
        self,
        connection: Connection,
        on_portion: Callable[[list[tuple[str, Message]]], None],
        on_nonsense: Callable[[str], None],
        brake: Callable[[bool], None],
    ) -> None:
        from jupyter_client.session import Session

        self._session = Session(
            key=connection.key.encode("ascii"),
            signature_scheme="hmac-sha256",
            username="octavo",
            check_pid=False,
        )
        self._on_portion = on_portion
        self._on_nonsense = on_nonsense
        self.wire = Wire(connection, self._arrived, brake)

    def request(self, channel: str, kind: str, content: Message, identity: str = "") -> str:
        """Send a request; the id by which its answers are known."""
        header = self._session.msg_header(kind)
        if identity:
            header["msg_id"] = identity
        message = self._session.msg(kind, content, header=header)
        self.wire.send(channel, self._session.serialize(message))
        return str(header["msg_id"])

    def _arrived(self, portion: list[Arrived]) -> None:
        parsed = []
        for channel, frames in portion:
            message = self._parse(frames)
            if message is not None:
                parsed.append((channel, message))
        self._on_portion(parsed)

    def _parse(self, frames: list[bytes]) -> Message | None:
        try:
            _, body = self._session.feed_identities(frames)
            message: Message = self._session.deserialize(body)
        except Exception as error:
            self._on_nonsense(str(error) or type(error).__name__)
            return None
        parts = ("header", "parent_header", "content")
        if not all(isinstance(message.get(part), dict) for part in parts):
            self._on_nonsense("a message whose parts are no mappings")
            return None
        return message
