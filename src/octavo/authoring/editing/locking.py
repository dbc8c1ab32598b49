"""One edit of a file at a time, among all processes of ours."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from octavo.systems import OURS, lock, renames_open_files


@contextmanager
def locked(path: str) -> Iterator[None]:
    """Hold the lock of a file that is going to be replaced.

    The file itself is locked, so nothing is left behind. Whoever waited for it may get the lock
    of a file that has been replaced meanwhile, and then tries again. Where files cannot be locked
    the comparison before each write has to do.
    """
    fd = _taken(os.path.realpath(path))
    try:
        yield
    finally:
        if fd is not None:
            os.close(fd)


def _taken(path: str) -> int | None:
    if not renames_open_files():
        return None
    while True:
        try:
            fd = os.open(path, os.O_RDONLY | OURS)
        except OSError:
            return None
        try:
            lock(fd, wait=True)
            if _is_at(fd, path):
                return fd
        except OSError:
            os.close(fd)
            return None
        os.close(fd)


def _is_at(fd: int, path: str) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.fstat(fd), os.stat(path))
    return False
