"""One edit at a time in a folder, among all processes of ours."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from octavo.systems import OURS, lock


@contextmanager
def locked(path: str) -> Iterator[None]:
    """Hold the lock of the folder that a file is in.

    The files of a pair are replaced one after the other, so a lock on either would be gone half
    way; the folder stays, and nothing is left behind in it. Where folders cannot be locked the
    comparison before each write has to do.
    """
    fd = _taken(os.path.dirname(os.path.realpath(path)))
    try:
        yield
    finally:
        if fd is not None:
            os.close(fd)


def _taken(folder: str) -> int | None:
    try:
        fd = os.open(folder, os.O_RDONLY | OURS)
    except OSError:
        return None
    try:
        lock(fd, wait=True)
    except OSError:
        os.close(fd)
        return None
    return fd
