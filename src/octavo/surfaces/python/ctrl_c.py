"""Ctrl-C while a caller waits for a run."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any


class CtrlC:
    """Asks for a stop at each Ctrl-C, and hands the first one on when the block has ended.

    Without this the caller's own handler would come first: Python's would leave the run behind,
    and that of an event loop would do nothing as long as the loop is held up here. In other
    threads than the main one signals never arrive, and nothing is done.
    """

    def __init__(self, stop: Callable[[str], None]) -> None:
        self._stop = stop
        self._before: Any = None
        self._arrived = False

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        before = signal.getsignal(signal.SIGINT)
        if before not in (None, signal.SIG_IGN):
            self._before = before
            signal.signal(signal.SIGINT, self._handle)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._before is None:
            return
        signal.signal(signal.SIGINT, self._before)
        if not self._arrived:
            return
        if callable(self._before):
            self._before(signal.SIGINT, None)
        else:
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._arrived = True
        self._stop("Ctrl-C")
