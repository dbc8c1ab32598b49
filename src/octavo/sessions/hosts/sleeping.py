"""Sessions of which nobody asks anything sleep: a process fresh from the nursery waits for them.

A host writes to most of its memory while it works, if only by counting references, and so shares
little of it with others. One that has only waited shares nearly everything. So the host of idle
sessions hands them over, with all that is open, and ends; the new process goes on with them once
somebody calls, the kernel says something, a lease ends or a signal comes. Clients stay connected.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from octavo.sessions.hosts.parcel import Parcel

#: How long the nursery has for its part, and the process that it forks for its own. Sessions
#: answer during the first, and nobody during the second.
PATIENCE, SHORT_PATIENCE = 10.0, 2.0
#: How long is waited at a time at most: what a lease ends by is a clock that may be set.
_LONGEST = 3600.0
_MOST_AT_ONCE = 64
_GIVE, _HERE, _GO = b"g", b"h", b"!"
ROUSING = (signal.SIGTERM, signal.SIGINT)


class Roused(BaseException):
    """A signal that came while sessions slept."""


def asked_for(connection: socket.socket, asked: Mapping[str, Any]) -> bool:
    """Ask the nursery for a process that sessions can be given to; whether there is one."""
    connection.settimeout(PATIENCE)
    with suppress(OSError, ValueError):
        connection.sendall(_line(asked))
        _hear(connection, _GIVE)
        return True
    return False


def hand_over(
    connection: socket.socket, parcel: Parcel, watched: Sequence[int], until: float
) -> int | None:
    """Give sessions to that process: its id once it holds them, None when it does not.

    It is told first how much comes, what to wait for, and how long at most. The sessions are still
    ours then; `let_go` makes them its own.
    """
    connection.settimeout(SHORT_PATIENCE)
    number = {each: index for index, each in enumerate(parcel.descriptors)}
    described = {
        "size": len(parcel.content),
        "descriptors": len(parcel.descriptors),
        "watched": [number[each] for each in watched],
        "until": until,
    }
    with suppress(OSError, ValueError):
        connection.sendall(_line(described))
        _hear(connection, _GIVE)
        for first in range(0, len(parcel.descriptors), _MOST_AT_ONCE):
            some = parcel.descriptors[first : first + _MOST_AT_ONCE]
            socket.send_fds(connection, [_GIVE], list(some))
        connection.sendall(parcel.content)
        return int.from_bytes(_hear(connection, _HERE), "big")
    return None


def let_go(connection: socket.socket) -> None:
    """The other process goes on, and this one ends; nothing here may touch what it holds.

    Returns only where there is no other process any more, so that the sessions stay.
    """
    with suppress(OSError):
        connection.sendall(_GO)
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


def doze(connection: socket.socket) -> tuple[Parcel, str]:
    """Take sessions over and wait: what was handed over, and the signal that ended it, if any.

    As little as possible is done here, because whatever is touched is not shared any more.
    ValueError when they were not handed over. Signals wait until then, and again at the end, when
    the event loop is not there yet.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, ROUSING)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # The other process may take its time: only when it is gone is it known what it decided.
    connection.settimeout(None)
    connection.sendall(_GIVE)
    described = json.loads(received_line(connection))
    parcel = _taken(connection, described)
    connection.sendall(_HERE + os.getpid().to_bytes(4, "big"))
    if connection.recv(1) != _GO:
        raise ValueError("the other process keeps them")
    connection.close()
    return parcel, _slept([parcel.descriptors[each] for each in described["watched"]], described)


def _slept(watched: Sequence[int], described: Mapping[str, Any]) -> str:
    """Wait until something happens; the signal that it was, if any."""
    poller = select.poll()
    for each in watched:
        poller.register(each, select.POLLIN)
    for number in ROUSING:
        signal.signal(number, _rouse)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ROUSING)
        while not poller.poll(1000 * _left(described["until"]) + 50) and _left(described["until"]):
            pass
        signal.pthread_sigmask(signal.SIG_BLOCK, ROUSING)
    except Roused as roused:
        return str(roused)
    return ""


def _left(until: float) -> float:
    return min(_LONGEST, max(0.0, until - time.time()))


def _taken(connection: socket.socket, described: Mapping[str, Any]) -> Parcel:
    connection.sendall(_GIVE)
    descriptors: list[int] = []
    while len(descriptors) < described["descriptors"]:
        said, some, _, _ = socket.recv_fds(connection, 1, _MOST_AT_ONCE)
        if not said or not some:
            raise ValueError("torn message")
        descriptors += some
    content = connection.recv(described["size"], socket.MSG_WAITALL)
    if len(content) != described["size"]:
        raise ValueError("torn message")
    return Parcel(content, tuple(descriptors))


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


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


def _rouse(number: int, frame: object) -> None:
    for each in ROUSING:
        signal.signal(each, signal.SIG_IGN)
    raise Roused(signal.Signals(number).name)
