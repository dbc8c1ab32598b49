"""Sessions of which nobody asks anything sleep: a process fresh from the nursery waits for them.

A host writes to most of its memory while it works, if only by counting references, and so shares
little of it with others. One that has only waited shares nearly everything. So the host of idle
sessions hands them over, with all that is open, and ends; the new process goes on with them once
somebody calls, the kernel says something, a lease ends or a signal comes. Clients stay connected.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from octavo.sessions.hosts.parcel import Parcel

#: How long the nursery has for its part; sessions answer nobody meanwhile.
PATIENCE = 2.0
_MOST_AT_ONCE = 64
_GIVE, _HERE, _GO = b"g", b"h", b"!"
_ROUSING = (signal.SIGTERM, signal.SIGINT)


class Roused(BaseException):
    """A signal that came while sessions slept."""


def described(parcel: Parcel, watched: Sequence[int], until: float) -> dict[str, Any]:
    """What the nursery is told first: how much comes, what to wait for, and how long at most."""
    number = {each: index for index, each in enumerate(parcel.descriptors)}
    return {
        "size": len(parcel.content),
        "descriptors": len(parcel.descriptors),
        "watched": [number[each] for each in watched],
        "until": until,
    }


def hand_over(connection: socket.socket, asked: bytes, parcel: Parcel) -> int | None:
    """Give sessions to a process of the nursery: its id once it holds them, None when it does not.

    They are still ours then; `let_go` makes them its own.
    """
    connection.settimeout(PATIENCE)
    with suppress(OSError, ValueError):
        connection.sendall(asked)
        _hear(connection, _GIVE)
        for first in range(0, len(parcel.descriptors), _MOST_AT_ONCE):
            some = parcel.descriptors[first : first + _MOST_AT_ONCE]
            socket.send_fds(connection, [_GIVE], list(some))
        connection.sendall(parcel.content)
        return int.from_bytes(_hear(connection, _HERE), "big")
    return None


def let_go(connection: socket.socket) -> NoReturn:
    """The other process goes on; nothing here may touch what it holds."""
    with suppress(OSError):
        connection.sendall(_GO)
    os._exit(0)


def doze(connection: socket.socket, sleep: Mapping[str, Any]) -> tuple[Parcel, str]:
    """Take sessions over and wait: what was handed over, and the signal that ended it, if any.

    As little as possible is done here, because whatever is touched is not shared any more.
    ValueError when they were not handed over. Until then a signal is left to wait.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, _ROUSING)
    parcel = _taken(connection, sleep)
    connection.sendall(_HERE + os.getpid().to_bytes(4, "big"))
    if connection.recv(1) != _GO:
        raise ValueError("the other process keeps them")
    connection.close()
    poller = select.poll()
    for index in sleep["watched"]:
        poller.register(parcel.descriptors[index], select.POLLIN)
    for number in _ROUSING:
        signal.signal(number, _rouse)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ROUSING)
        poller.poll(max(0.0, sleep["until"] - time.time()) * 1000 + 50)
    except Roused as roused:
        return parcel, str(roused)
    return parcel, ""


def _taken(connection: socket.socket, sleep: Mapping[str, Any]) -> Parcel:
    connection.sendall(_GIVE)
    descriptors: list[int] = []
    while len(descriptors) < sleep["descriptors"]:
        said, some, _, _ = socket.recv_fds(connection, 1, _MOST_AT_ONCE)
        if not said or not some:
            raise ValueError("torn message")
        descriptors += some
    content = connection.recv(sleep["size"], socket.MSG_WAITALL)
    if len(content) != sleep["size"]:
        raise ValueError("torn message")
    return Parcel(content, tuple(descriptors))


def _hear(connection: socket.socket, word: bytes) -> bytes:
    """What follows a word that is expected."""
    said = connection.recv(16)
    if said[:1] != word:
        raise ValueError("not what was expected")
    return said[1:]


def _rouse(number: int, frame: object) -> None:
    for each in _ROUSING:
        signal.signal(each, signal.SIG_IGN)
    raise Roused(signal.Signals(number).name)
