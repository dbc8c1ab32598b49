"""A lock between processes, so that two runs that need the same thing make it once."""

from __future__ import annotations

import os
from contextlib import contextmanager

from octavo.systems import OURS, lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def guarded(path: str, on_wait: Callable[[], None]) -> Iterator[int]:
    """Hold the lock on a file; `on_wait` is called when somebody else has it.

    Gives the descriptor. A child that inherits it keeps the lock until it too has ended, so that
    nobody begins again while the `uv` of a killed process is still writing.
    """
    os.makedirs(os.path.dirname(path), exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | OURS, 0o600)
    try:
        if not lock(descriptor):
            on_wait()
            lock(descriptor, wait=True)
        yield descriptor
    finally:
        os.close(descriptor)
