"""What an interrupt does to a kernel.

While code of the notebook runs, it raises KeyboardInterrupt there. While the cell awaits
something, only the event loop runs, and raising would tear it apart: the cell is cancelled
instead, and the error is told as the KeyboardInterrupt that it is. Between cells nothing happens
but that it is told: the runner knows whether it was meant for a cell that has not begun yet.
The handler is a function, never "ignore": a process started by the notebook would inherit that.
"""

from __future__ import annotations

import _weakrefset
import asyncio
import os
import selectors
import signal
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

from octavo_runtime import process

#: Where a signal may find Python although no code of the notebook runs.
_NOT_THE_NOTEBOOK = (
    os.path.dirname(asyncio.__file__) + os.sep,
    os.path.dirname(__file__) + os.sep,
    selectors.__file__,
    weakref.__file__,
    _weakrefset.__file__,
)


class Interrupts:
    """Takes SIGINT for the cell that runs."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._owner = os.getpid()
        self._cell: asyncio.Task[Any] | None = None
        self.cancelled = False
        #: Tells that an interrupt found no cell.
        self.tell: Callable[[], None] = _nobody
        self._unheeded = False

    def install(self) -> None:
        process.set_handler(signal.SIGINT, self._handle)

    def adopt(self, pid: int) -> None:
        """Another process is the kernel now: it went on from a copy."""
        self._owner = pid

    def started(self, cell: asyncio.Task[Any]) -> None:
        """From now on interrupts are meant for this cell."""
        self.cancelled = False
        self._cell = cell
        self._tell_unheeded()

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
            self._unheeded = True
            self._loop.call_soon_threadsafe(self._tell_unheeded)
            return
        if self.runs_the_notebook(frame):
            raise KeyboardInterrupt
        self.cancel()

    def _tell_unheeded(self) -> None:
        if self._unheeded:
            self._unheeded = False
            self.tell()

    def runs_the_notebook(self, frame: FrameType | None) -> bool:
        """Whether any code but the loop's and ours is on the stack."""
        while frame is not None:
            if is_notebook(frame):
                return True
            frame = frame.f_back
        return False


def _nobody() -> None:
    pass


def is_notebook(frame: FrameType) -> bool:
    """Whether a frame is neither the loop's nor ours."""
    return not frame.f_code.co_filename.startswith(_NOT_THE_NOTEBOOK)
