"""Ctrl-C and its relatives: the first asks, the second insists, the third leaves."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from octavo.runs.stopping import Stop

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Interrupts:
    """Counts the signals of one command.

    As long as nothing is `running` there is nothing to finish, and the first one ends the command.
    `told` learns of each, and whether it is not the first.
    """

    def __init__(
        self, stop: Stop, running: Callable[[], bool], told: Callable[[bool], None]
    ) -> None:
        self._stop = stop
        self._running = running
        self._told = told
        self._times = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    @contextmanager
    def watched(self) -> Iterator[None]:
        """While the event loop of this thread runs, signals come here."""
        self._loop = asyncio.get_running_loop()
        numbers = [number for name in _NAMES if (number := getattr(signal, name, None)) is not None]
        before = {number: signal.signal(number, self._arrived) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _arrived(self, number: int, frame: FrameType | None) -> None:
        self._times += 1
        if self._times > 2 or not self._running() or self._loop is None:
            raise KeyboardInterrupt
        self._loop.call_soon_threadsafe(self._ask, signal.Signals(number).name)

    def _ask(self, name: str) -> None:
        self._told(self._stop.requested)
        self._stop.request(name)
