"""How a kernel tells the runner what happens.

Every event waits for its acknowledgement: when `emit` returns, the event is in the journal, and
whatever is written to the pipes afterwards comes after it. A process forked from the kernel
(multiprocessing) has no voice here; it may only write to the pipes.
"""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Callable
from typing import Any

from octavo_runtime.channel import Channel

_NUMBER = struct.Struct("!Q")


class Emitter:
    """The kernel's end of the event channel."""

    def __init__(self, channel: Channel, acknowledgements: int) -> None:
        self._channel = channel
        self._acknowledgements = acknowledgements
        self._lock = threading.RLock()
        self._sent = 0
        self._acknowledged = 0
        self._owner = os.getpid()
        self.flush: Callable[[], None] = lambda: None

    @property
    def mute(self) -> bool:
        """Whether this is a process that was forked from the kernel."""
        return os.getpid() != self._owner

    def emit(self, event: dict[str, Any]) -> None:
        """Send one event, after all text written so far, and wait until it is journalled."""
        if self.mute:
            return
        self.flush()
        self._send_and_wait(event)

    def barrier(self) -> None:
        """Wait until the runner has read everything from the pipes."""
        if not self.mute:
            self._send_and_wait({"type": "barrier"})

    def say(self, message: dict[str, Any]) -> None:
        """Send a message that is not waited for."""
        with self._lock:
            self._channel.send(message)

    def _send_and_wait(self, message: dict[str, Any]) -> None:
        with self._lock:
            self._sent += 1
            number = self._sent
            message["n"] = number
            self._channel.send(message)
            # An interrupt may come while this waits: numbers keep the two sides in step.
            while self._acknowledged < number:
                data = os.read(self._acknowledgements, 4096)
                if not data:
                    os._exit(1)
                self._acknowledged = _NUMBER.unpack(data[-_NUMBER.size :])[0]
