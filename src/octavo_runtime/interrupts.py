"""What an interrupt does to a kernel.

While a cell's own code runs, it raises KeyboardInterrupt there. While the cell awaits something,
raising would tear the event loop apart: the cell is cancelled instead, and the error is told as
the KeyboardInterrupt that it is. Between cells nothing happens. The handler is a function, never
"ignore": a process started by the notebook would inherit that.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
from types import FrameType
from typing import Any

_LOOP_FILES = (os.path.dirname(asyncio.__file__), selectors.__file__)


class Interrupts:
    """Takes SIGINT for the cell that runs."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._owner = os.getpid()
        self._cell: asyncio.Task[Any] | None = None
        self._serving: asyncio.Task[Any] | None = None
        self.cancelled = False

    def install(self, serving: asyncio.Task[Any]) -> None:
        self._serving = serving
        signal.signal(signal.SIGINT, self._handle)

    def started(self, cell: asyncio.Task[Any]) -> None:
        """From now on interrupts are meant for this cell."""
        self.cancelled = False
        self._cell = cell

    def finished(self) -> None:
        self._cell = None

    def cancel(self) -> None:
        """Wake the cell from what it awaits."""
        if self._cell is not None:
            self.cancelled = True
            self._loop.call_soon_threadsafe(self._cell.cancel)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() != self._owner:
            raise KeyboardInterrupt
        if self._cell is None:
            return
        if self._in_code_of_the_notebook(frame):
            raise KeyboardInterrupt
        self.cancel()

    def _in_code_of_the_notebook(self, frame: FrameType | None) -> bool:
        try:
            task = asyncio.current_task(self._loop)
        except RuntimeError:
            return True
        if task is not None:
            return task is not self._serving
        return frame is not None and not frame.f_code.co_filename.startswith(_LOOP_FILES)
