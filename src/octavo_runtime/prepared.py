"""A kernel that is made before the fork, at descriptors that lead nowhere yet.

Whatever a kernel makes at its start lies on pages of its own. So all that is alike in every kernel
is made once, where it is shared; after the fork the descriptors are replaced beneath it, number by
number, and what is known by the process is named anew.
"""

from __future__ import annotations

import _socket
import asyncio
import os
import select
import selectors
import socket
from typing import Any

from octavo_runtime import streams
from octavo_runtime.cells import KernelLoop
from octavo_runtime.emitter import Emitter


class Prepared:
    """The parts of a kernel, of which each kernel has a copy by its fork."""

    def __init__(self, shell: Any, facts: dict[str, Any]) -> None:
        self.shell = shell
        self.facts = facts
        self.sock, other = socket.socketpair(type=socket.SOCK_SEQPACKET)
        other.close()
        reading, writing = os.pipe()
        self.emitter = Emitter(self.sock, reading)
        self.out, self.err = streams.create(self.emitter, writing, writing)
        os.close(writing)
        self._loop = self._make_loop()

    def _make_loop(self) -> KernelLoop | None:
        """None where some library has a loop of its own, which may not be forked."""
        loop = KernelLoop(self.shell, self.sock, self.emitter, self.facts)
        loop.usage.close()
        if _is_plain(loop.loop):
            return loop
        loop.loop.close()
        return None

    def take(self, descriptors: dict[str, int]) -> KernelLoop:
        """In the process that is to be the kernel: from now on everything leads to its runner."""
        places = {
            "channel": (self.sock.fileno(),),
            "acknowledgements": (self.emitter.acknowledgements,),
            "stdout": (1, self.out.turn.own),
            "stderr": (2, self.err.turn.own),
        }
        for name, numbers in places.items():
            for number in numbers:
                os.dup2(descriptors[name], number, number < 3)
            os.close(descriptors[name])
        pid = os.getpid()
        self.emitter.adopt(pid)
        if self._loop is None:
            return KernelLoop(self.shell, self.sock, self.emitter, self.facts)
        _renew(self._loop.loop)
        self._loop.adopt(pid)
        return self._loop


def _is_plain(loop: Any) -> bool:
    if not isinstance(loop, asyncio.SelectorEventLoop):
        return False
    return type(getattr(loop, "_selector", None)) is selectors.EpollSelector


def _renew(loop: Any) -> None:
    """Descriptors of its own beneath a loop that has not run yet."""
    poll = select.epoll()
    os.dup2(poll.fileno(), loop._selector.fileno(), False)
    poll.close()
    for own, end in zip((loop._ssock, loop._csock), _socket.socketpair()):  # noqa: B905 (3.9)
        end.setblocking(False)
        os.dup2(end.fileno(), own.fileno(), False)
        end.close()
    loop._selector._selector.register(loop._ssock.fileno(), select.EPOLLIN)
