"""Jupyter's messages as they go over a server's websocket: the newer way and the older one.

In `v1.kernel.websocket.jupyter.org` a message is binary: the number of offsets, the offsets (all
64 bits, little end first), the channel and the parts. The older way is JSON with the channel in
it; a message with buffers is binary there (32 bits, big end first), its first part that JSON.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from octavo.kernels.jupyter.client import Message

NEWER = "v1.kernel.websocket.jupyter.org"
_PARTS = ("header", "parent_header", "metadata", "content")


class Nonsense(ValueError):
    """What is no message of Jupyter's."""


def pack(channel: str, message: Message, protocol: str | None) -> bytes | str:
    """A message on its way to the server. We send no buffers."""
    if protocol != NEWER:
        return json.dumps({**message, "channel": channel, "buffers": []})
    parts = [channel.encode(), *(json.dumps(message[name]).encode() for name in _PARTS)]
    offsets = [8 * (len(parts) + 2)]
    for part in parts:
        offsets.append(offsets[-1] + len(part))
    return b"".join((_number(len(offsets)), *map(_number, offsets), *parts))


def unpack(frame: bytes | str, protocol: str | None) -> tuple[str, Message]:
    """The channel and the message in a frame; Nonsense where there is none."""
    try:
        if protocol == NEWER and isinstance(frame, bytes):
            return _newer(frame)
        return _older(frame)
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError) as error:
        raise Nonsense(str(error)) from None


def _newer(frame: bytes) -> tuple[str, Message]:
    count = int.from_bytes(frame[:8], "little")
    if not len(_PARTS) + 2 <= count <= len(frame) // 8:
        raise ValueError("a frame with parts missing")
    offsets = [int.from_bytes(frame[8 * i : 8 * i + 8], "little") for i in range(1, count + 1)]
    parts = [frame[start:end] for start, end in pairwise(offsets)]
    message: Message = {
        name: json.loads(part) for name, part in zip(_PARTS, parts[1:], strict=False)
    }
    message["buffers"] = parts[1 + len(_PARTS) :]
    return parts[0].decode(), _checked(message)


def _older(frame: bytes | str) -> tuple[str, Message]:
    buffers: list[bytes] = []
    if isinstance(frame, bytes):
        count = int.from_bytes(frame[:4], "big")
        if not 1 <= count <= len(frame) // 4:
            raise ValueError("a frame with parts missing")
        offsets = [int.from_bytes(frame[4 * i : 4 * i + 4], "big") for i in range(1, count + 1)]
        ends = [*offsets[1:], len(frame)]
        frame, *buffers = (frame[start:end] for start, end in zip(offsets, ends, strict=True))
    message = json.loads(frame)
    message["buffers"] = buffers
    return str(message.get("channel") or ""), _checked(message)


def _checked(message: Message) -> Message:
    for name in _PARTS:
        part: Any = message.setdefault(name, {})
        if not isinstance(part, dict):
            raise ValueError(f"a message whose {name} is no mapping")
    return message


def _number(value: int) -> bytes:
    return value.to_bytes(8, "little")
