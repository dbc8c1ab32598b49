"""Frames on a session's socket: four bytes of length, then JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from octavo.errors import KINDS, InfrastructureError, OctavoError, UsageError

#: A frame that says it is longer is no frame of ours.
LARGEST = 256 * 1024 * 1024
_HEAD = 4
_encode = json.JSONEncoder(separators=(",", ":"), default=str).encode


class Garbled(ValueError):
    """What came is not of this protocol."""


def frame(message: Mapping[str, Any]) -> bytes:
    """A message as it is sent; lone surrogates survive as escapes."""
    body = _encode(message).encode("ascii")
    return len(body).to_bytes(_HEAD, "big") + body


class Frames:
    """Cuts what arrives into messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    @property
    def at_rest(self) -> bool:
        """Whether no part of a message is waiting for the other."""
        return not self._buffer

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """The messages that are complete now; Garbled when they cannot be."""
        buffer = self._buffer
        buffer += data
        while len(buffer) >= _HEAD:
            length = int.from_bytes(buffer[:_HEAD], "big")
            if length > LARGEST:
                raise Garbled("a frame is too long")
            if len(buffer) < _HEAD + length:
                return
            body = bytes(buffer[_HEAD : _HEAD + length])
            del buffer[: _HEAD + length]
            yield _message(body)


def _message(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Garbled("a frame is not JSON") from error
    if not isinstance(message, dict):
        raise Garbled("a frame is not an object")
    return message


def told(error: OctavoError) -> dict[str, Any]:
    """An error as it is sent."""
    return {**error.to_json(), "usage": isinstance(error, UsageError)}


def raised(plain: Mapping[str, Any]) -> OctavoError:
    """The error that was sent, to be raised on this side."""
    made = UsageError if plain.get("usage") else InfrastructureError
    kind = plain.get("kind")
    return made(
        kind if kind in KINDS else "internal",
        str(plain.get("message") or "the session failed"),
        hint=str(plain.get("hint") or ""),
        place=str(plain.get("place") or ""),
        details=dict(plain.get("details") or {}),
    )
