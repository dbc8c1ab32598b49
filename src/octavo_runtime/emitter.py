"""How a kernel tells the runner what happens.

Every event waits for its acknowledgement: when `emit` returns, the event is in the journal, and
whatever is written to the pipes afterwards comes after it. The value of a cell, after which
nothing else is usually done, goes along with the word that the cell is done: whoever wants to
write or to execute code in between sends it first, and waits. A process that was forked from the
kernel (multiprocessing) has no share in the numbering; it sends a pipe of its own along with each
message, to be answered there.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Callable
from typing import Any

from octavo_runtime import packets

_NUMBER = struct.Struct("!Q")


class Emitter:
    """The kernel's end of the event channel."""

    def __init__(self, sock: socket.socket, acknowledgements: int) -> None:
        self._sock = sock
        self.acknowledgements = acknowledgements
        self._lock = threading.RLock()
        self._sent = 0
        self._acknowledged = 0
        self._owner = os.getpid()
        #: What goes along with the next message, unless somebody wants to write before.
        self.held: dict[str, Any] | None = None
        self.flush: Callable[[], None] = lambda: None

    @property
    def forked(self) -> bool:
        """Whether this is a process that was forked from the kernel."""
        return os.getpid() != self._owner

    def adopt(self, pid: int) -> None:
        """Another process is the kernel now: it went on from a copy."""
        self._owner = pid

    def emit(self, event: dict[str, Any]) -> None:
        """Send one event, after all text written so far, and wait until it is journalled."""
        self.flush()
        self.settle()
        self._deliver(event)

    def emit_last(self, event: dict[str, Any]) -> None:
        """Send one event with the end of the cell, after all text written so far."""
        self.flush()
        self.held = event
        if self.forked:
            self.settle()

    def settle(self) -> None:
        """Send what is held back, and wait until it is journalled."""
        if self.held is not None:
            self.barrier()

    def report(self, event: dict[str, Any]) -> None:
        """Send one event that has no place among the text, and wait until it is journalled."""
        self._deliver(event)

    def barrier(self) -> None:
        """Wait until the runner has read everything from the pipes, and what was held back."""
        with self._lock:
            self._deliver(self.held or {"type": "barrier"})

    def done(self, message: dict[str, Any]) -> None:
        """Say that a cell is done, with what is held back."""
        with self._lock:
            self.say(message if self.held is None else {**message, "last": self.held})
            self.held = None

    def say(self, message: dict[str, Any]) -> None:
        """Send a message that is not waited for."""
        with self._lock:
            packets.send(self._sock, message)

    def _deliver(self, message: dict[str, Any]) -> None:
        if self.forked:
            self._let_go(message)
            self._deliver_from_fork(message)
            return
        with self._lock:
            self._sent += 1
            number = self._sent
            message["n"] = number
            try:
                packets.send(self._sock, message)
                try:
                    self._await(number)
                finally:
                    self._let_go(message)
            except OSError:
                os._exit(1)  # the runner is gone, and with it everybody who could read this

    def _let_go(self, message: dict[str, Any]) -> None:
        # Not before it was sent, so that no interrupt can lose it; nobody writes before that.
        if message is self.held:
            self.held = None

    def _await(self, number: int) -> None:
        # An interrupt may come while this waits: numbers keep the two sides in step.
        while self._acknowledged < number:
            data = os.read(self.acknowledgements, 4096)
            if not data:
                raise BrokenPipeError
            self._acknowledged = _NUMBER.unpack(data[-_NUMBER.size :])[0]

    def _deliver_from_fork(self, message: dict[str, Any]) -> None:
        answer, reply = os.pipe()
        message["n"] = 0
        try:
            packets.send(self._sock, message, (reply,))
            os.close(reply)
            reply = -1
            os.read(answer, _NUMBER.size)
        except OSError:
            pass  # outlived the kernel: nobody listens any more
        finally:
            os.close(answer)
            if reply >= 0:
                os.close(reply)
