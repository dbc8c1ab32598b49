"""The copies of a kernel, and the kernels that went on from them, as the first keeper knows them.

Every frozen copy and every keeper of a resumed kernel holds one end of a socket, a link, whose
other end is here. So nobody has to be asked who still lives: a link that closes says it. What is
known by a link is spared when the first kernel ends; everything else below this process belongs
to that kernel, and ends with it.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from typing import Any

from octavo_runtime import packets, process

#: A keeper that has not said a word by then hangs in the fork that made it.
SILENCE_SECONDS = 20.0
ROUNDS, ROUND_SECONDS = 50, 0.001


class Link:
    """One copy, or the keeper of one resumed kernel; `pid` is unknown until it says so."""

    def __init__(self, sock: socket.socket, pid: int | None, deadline: float | None) -> None:
        self.sock = sock
        self.pid = pid
        self.deadline = deadline


class Family:
    """What one keeper knows of the copies."""

    def __init__(self, poller: Any) -> None:
        self._poller = poller
        self._links: dict[int, Link] = {}

    def __len__(self) -> int:
        return len(self._links)

    @property
    def spared(self) -> set[int]:
        """The processes that do not end with the first kernel."""
        return {link.pid for link in self._links.values() if link.pid is not None}

    def welcome(
        self, descriptor: int, pid: int | None = None, patience: float | None = None
    ) -> None:
        """Watch a new link."""
        deadline = None if patience is None else time.monotonic() + patience
        self._links[descriptor] = Link(socket.socket(fileno=descriptor), pid, deadline)
        self._poller.register(descriptor, select.POLLIN)

    def hear(self, descriptor: int) -> None:
        """Take what one of the links says; others are none of our business."""
        link = self._links.get(descriptor)
        if link is None:
            return
        try:
            received = packets.receive(link.sock)
        except (OSError, ValueError):
            received = None
        if received is None:
            self._farewell(descriptor)
            return
        message, descriptors = received
        if message["op"] == "here":
            link.pid, link.deadline = message["pid"], None
        elif message["op"] == "life":
            self.welcome(descriptors.pop(), message["pid"], SILENCE_SECONDS)
        elif message["op"] == "copying":
            self.welcome(descriptors.pop())
        for each in descriptors:
            os.close(each)

    def catch_up(self) -> None:
        """Take everything that was said until now."""
        while True:
            ready = select.select(list(self._links), [], [], 0)[0] if self._links else []
            if not ready:
                return
            for descriptor in ready:
                self.hear(descriptor)

    def next_deadline(self) -> float | None:
        moments = [link.deadline for link in self._links.values() if link.deadline is not None]
        return min(moments, default=None)

    def end_the_silent(self) -> None:
        """A keeper that hangs where it was forked will not end its kernel: do that for it."""
        now = time.monotonic()
        for link in list(self._links.values()):
            if link.deadline is not None and now >= link.deadline:
                link.deadline = None
                for pid in (*process.descendants(link.pid or 0), link.pid):
                    _kill(pid)

    def outlive(self) -> None:
        """Until the last copy is gone, and every kernel that went on from one."""
        while self._links:
            moment = self.next_deadline()
            left = None if moment is None else max(0.0, moment - time.monotonic()) * 1000 + 1
            before = len(self._links)
            for descriptor, _ in self._poller.poll(left):
                self.hear(descriptor)
            if len(self._links) < before:
                self._end_strays()
            _reap()
            self.end_the_silent()

    def _end_strays(self) -> None:
        """What a killed keeper has left, once the first kernel is gone and all are known."""
        self.catch_up()
        if all(link.pid is not None for link in self._links.values()):
            process.end_descendants(self.spared)

    def _farewell(self, descriptor: int) -> None:
        self._poller.unregister(descriptor)
        link = self._links.pop(descriptor)
        link.sock.close()
        if link.pid is not None:
            _collect(link.pid)


def _kill(pid: int | None) -> None:
    if pid:
        try:
            os.kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def _collect(pid: int) -> None:
    """Wait for a process that has closed its link, and so is about to end."""
    for _ in range(ROUNDS):
        try:
            if os.waitpid(pid, os.WNOHANG)[0]:
                return
        except ChildProcessError:  # it is somebody else's
            return
        time.sleep(ROUND_SECONDS)


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
