"""The process in which idle sessions sleep: it waits for all of them, and forks one that goes on.

It is a fork of the nursery that does next to nothing, so that a session costs it some kilobytes.
Each connection is that of a host that hands sessions over: it is greeted, sends everything, is
told that it has come, and decides. Only its last word makes the sessions ours; until then, and
when it hangs up, they are its own.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from octavo.sessions.hosts.parcel import Parcel
from octavo.sessions.hosts.sleeping import (
    GIVE,
    GO,
    HERE,
    MOST_AT_ONCE,
    ROUSING,
    SHORT_PATIENCE,
    received_line,
)

#: How long it waits for the next session once the last has left.
EMPTY = 10.0
#: How long is waited at a time at most: what a lease ends by is a clock that may be set.
_LONGEST = 3600.0
#: How long is waited until it is tried again, where the system has no room for something.
_BREATH = 0.1


class Roused(BaseException):
    """A signal that came while sessions slept."""


class Bed:
    """Sessions of one host. `line` says what is to be waited for, and whose they are."""

    def __init__(self, line: bytes, parcel: Parcel) -> None:
        described = json.loads(line)
        self.parcel = parcel
        self.watched = [parcel.descriptors[each] for each in described["watched"]]
        self.until: float = described["until"]
        self._line = line

    @property
    def surroundings(self) -> Mapping[str, Any]:
        """What the process of the sessions must be like."""
        told: Mapping[str, Any] = json.loads(self._line)["surroundings"]
        return told

    def close(self) -> None:
        for each in self.parcel.descriptors:
            with suppress(OSError):
                os.close(each)


class Dormitory:
    """Waits for every session that sleeps here."""

    def __init__(self, listener: socket.socket, fork: Callable[[], int]) -> None:
        self._listener = listener
        self._fork = fork
        self._poller = select.poll()
        self._poller.register(listener, select.POLLIN)
        self._visitors: dict[int, socket.socket] = {}
        #: Sessions that have come, by the connection of the host that has not decided yet.
        self._promised: dict[int, Bed] = {}
        #: Sessions that sleep, by each descriptor that may wake them.
        self._asleep: dict[int, Bed] = {}

    def serve(self) -> tuple[Bed, str] | None:
        """None once nobody sleeps here any more. In each process that is forked to go on with
        sessions it is these sessions, and the signal that has awoken them, if any.
        """
        for number in ROUSING:
            signal.signal(number, _rouse)
        try:
            while self._asleep or self._visitors or self._wait(EMPTY):
                woken = self._attend(self._wait(self._left()))
                if woken is not None:
                    return woken, ""
        except Roused as roused:
            woken = self._wake(self._beds())
            return None if woken is None else (woken, str(roused))
        return None

    def _beds(self) -> list[Bed]:
        return list({id(bed): bed for bed in self._asleep.values()}.values())

    def _left(self) -> float:
        """The seconds until the next lease ends."""
        until = min((bed.until for bed in self._asleep.values()), default=time.time() + EMPTY)
        return min(_LONGEST, max(0.0, until - time.time()) + 0.05)

    def _wait(self, seconds: float) -> list[int]:
        """The descriptors that have something to say. Signals come here and nowhere else."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ROUSING)
        try:
            return [each for each, _ in self._poller.poll(seconds * 1000)]
        finally:
            signal.pthread_sigmask(signal.SIG_BLOCK, ROUSING)

    def _attend(self, ready: Iterable[int]) -> Bed | None:
        called = []
        for each in ready:
            if each == self._listener.fileno():
                self._greet()
            elif each in self._visitors:
                self._hear(each)
            elif each in self._asleep:
                called.append(self._asleep[each])
        now = time.time()
        due = [bed for bed in self._asleep.values() if bed.until <= now]
        return self._wake(called + due)

    # Coming

    def _greet(self) -> None:
        try:
            visitor, _ = self._listener.accept()
        except OSError:  # too many files are open: it stays at the door, and may give up
            time.sleep(_BREATH)
            return
        with suppress(OSError):
            visitor.settimeout(SHORT_PATIENCE)
            visitor.sendall(GIVE)
            self._visitors[visitor.fileno()] = visitor
            self._poller.register(visitor, select.POLLIN)

    def _hear(self, door: int) -> None:
        """What a host says: first everything, then that it has let go."""
        visitor = self._visitors[door]
        bed = self._promised.pop(door, None)
        try:
            if bed is None:
                self._promised[door] = _taken(visitor)
                visitor.sendall(HERE + os.getpid().to_bytes(4, "big"))
                return
            if visitor.recv(1) == GO:
                self._asleep.update(dict.fromkeys(bed.watched, bed))
                for each in bed.watched:
                    self._poller.register(each, select.POLLIN)
                bed = None
        except (OSError, ValueError, KeyError):
            bed = bed or self._promised.pop(door, None)
        if bed is not None:
            bed.close()
        self._poller.unregister(door)
        self._visitors.pop(door).close()

    # Leaving

    def _wake(self, beds: list[Bed]) -> Bed | None:
        """Fork a process for each; in that process it is returned, and here None."""
        for bed in {id(each): each for each in beds}.values():
            if self._forked() == 0:
                self._leave_with(bed)
                return bed
            for each in bed.watched:
                self._poller.unregister(each)
                del self._asleep[each]
            bed.close()
        return None

    def _forked(self) -> int:
        """Sessions must not be lost because there is no room for a process just now."""
        while True:
            try:
                return self._fork()
            except OSError:
                time.sleep(_BREATH)

    def _leave_with(self, mine: Bed) -> None:
        """In a process that is to be the host of some: let go of all others."""
        self._listener.close()
        for visitor in self._visitors.values():
            visitor.close()
        for bed in (*self._beds(), *self._promised.values()):
            if bed is not mine:
                bed.close()


def raise_bound() -> int:
    """Let this process have as many open files as it may; how many it could have before."""
    before, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    bound_files(most)
    return before


def bound_files(count: int) -> None:
    """Let this process have so many open files, or as many as it may by now."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, most), most))


def _taken(visitor: socket.socket) -> Bed:
    """Sessions as a host sends them; ValueError when they do not come whole."""
    line = received_line(visitor)
    described = json.loads(line)
    descriptors: list[int] = []
    try:
        visitor.sendall(GIVE)
        while len(descriptors) < described["descriptors"]:
            said, some, _, _ = socket.recv_fds(visitor, 1, MOST_AT_ONCE)
            if not said or not some:
                raise ValueError("torn message")
            descriptors += some
        return Bed(line, Parcel(_content(visitor, described["size"]), tuple(descriptors)))
    except BaseException:
        for each in descriptors:
            os.close(each)
        raise


def _content(visitor: socket.socket, size: int) -> bytes:
    pieces: list[bytes] = []
    while size:
        piece = visitor.recv(min(size, 1 << 20))
        if not piece:
            raise ValueError("torn message")
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _rouse(number: int, frame: object) -> None:
    raise Roused(signal.Signals(number).name)
