"""How a host hands idle sessions to the dormitory, in which they sleep, and ends.

A host writes to most of its memory while it works, if only by counting references, and so shares
little of it with others. One process that only waits can wait for all sessions that are idle; it
forks one that goes on with them once somebody calls, the kernel says something, a lease ends or a
signal comes. Clients stay connected.
"""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from octavo.sessions.hosts.parcel import Parcel

#: How long the dormitory has to greet, and to take what it is given. Sessions answer during the
#: first, and nobody during the second.
PATIENCE, SHORT_PATIENCE = 10.0, 2.0
MOST_AT_ONCE = 64
GIVE, HERE, GO = b"g", b"h", b"!"
ROUSING = (signal.SIGTERM, signal.SIGINT)


def is_welcome(connection: socket.socket) -> bool:
    """Whether the dormitory is ready to be given sessions."""
    connection.settimeout(PATIENCE)
    with suppress(OSError, ValueError):
        _hear(connection, GIVE)
        return True
    return False


def hand_over(connection: socket.socket, parcel: Parcel, **described: Any) -> int | None:
    """Give sessions to the dormitory: its process once it holds them, None when it does not.

    It is told first how much comes, and what they are `described` by. The sessions are still ours
    then; `let_go` makes them its own.
    """
    connection.settimeout(SHORT_PATIENCE)
    sizes = {"size": len(parcel.content), "descriptors": len(parcel.descriptors)}
    with suppress(OSError, ValueError):
        connection.sendall(json.dumps({**described, **sizes}).encode() + b"\n")
        _hear(connection, GIVE)
        for first in range(0, len(parcel.descriptors), MOST_AT_ONCE):
            some = parcel.descriptors[first : first + MOST_AT_ONCE]
            socket.send_fds(connection, [GIVE], list(some))
        connection.sendall(parcel.content)
        return int.from_bytes(_hear(connection, HERE), "big")
    return None


def let_go(connection: socket.socket) -> None:
    """The other process goes on, and this one ends; nothing here may touch what it holds.

    Returns only where there is no other process any more, so that the sessions stay.
    """
    with suppress(OSError):
        connection.sendall(GO)
        _end()


def _end() -> NoReturn:
    os._exit(0)


@contextmanager
def heeding() -> Iterator[list[int]]:
    """The signals that come meanwhile and ask for the end. The event loop is told of them too."""
    came: list[int] = []
    before = {each: signal.signal(each, lambda it, _: came.append(it)) for each in ROUSING}
    try:
        yield came
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
            signal.siginterrupt(each, False)


def received_line(connection: socket.socket) -> bytes:
    """What is said up to the end of a line; whoever says it waits for an answer then."""
    data = b""
    while not data.endswith(b"\n"):
        more = connection.recv(1 << 20)
        if not more:
            raise ValueError("torn message")
        data += more
    return data


def _hear(connection: socket.socket, word: bytes) -> bytes:
    """What follows a word that is expected."""
    said = connection.recv(16)
    if said[:1] != word:
        raise ValueError("not what was expected")
    return said[1:]
