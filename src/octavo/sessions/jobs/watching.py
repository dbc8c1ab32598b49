"""Waiting for a journal to grow, or for its writer to let go of it, without looking all the time.

The system tells of both (inotify), also when the writer is killed. Where it cannot, the file is
looked at a few times a second.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
from pathlib import Path

from octavo.records.journal import JOURNAL_NAME

_MODIFY, _CLOSE_WRITE, _ATTRIBUTES, _GONE = 0x2, 0x8, 0x4, 0x400 | 0x800
#: Even when nothing is told, we look so often: nobody waits for ever because of one lost word.
_PULSE = 2.0
_WITHOUT = 0.2
#: The word that a file was closed comes shortly before its lock is free.
_SOON = 0.01


class Watch:
    """Tells when a journal changes. `growing` also when it grows, else only when it is let go."""

    def __init__(self, run_dir: Path, *, growing: bool) -> None:
        self._happened = asyncio.Event()
        self._soon = False
        wanted = _CLOSE_WRITE | _ATTRIBUTES | _GONE | (_MODIFY if growing else 0)
        self._descriptor = _watched(run_dir / JOURNAL_NAME, wanted)
        if self._descriptor >= 0:
            asyncio.get_running_loop().add_reader(self._descriptor, self._heard)

    async def changed(self, seconds: float | None = None) -> None:
        """Until something may have happened, or the time is over."""
        pulse = _SOON if self._soon else _PULSE if self._descriptor >= 0 else _WITHOUT
        self._soon = False
        limit = pulse if seconds is None else min(pulse, seconds)
        try:
            await asyncio.wait_for(self._happened.wait(), limit)
            self._soon = True
        except TimeoutError:
            pass
        self._happened.clear()

    def close(self) -> None:
        if self._descriptor >= 0:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _heard(self) -> None:
        try:
            os.read(self._descriptor, 1 << 16)
        except OSError:
            return
        self._happened.set()


def _watched(path: Path, wanted: int) -> int:
    """A descriptor that tells of events at a path; -1 where there can be none."""
    if sys.platform != "linux":
        return -1
    system = ctypes.CDLL(None)
    descriptor: int = system.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        return -1
    if system.inotify_add_watch(descriptor, os.fsencode(path), wanted) < 0:
        os.close(descriptor)
        return -1
    return descriptor
