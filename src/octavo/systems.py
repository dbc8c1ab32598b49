"""What systems differ in, as far as our own files are concerned: flags, locks, space in reserve.

Everything here is plain on Linux. macOS cannot set space aside by one call; Windows has no `flock`,
does not rename a file that is open, and translates line ends unless it is told not to.
"""

from __future__ import annotations

import os

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

#: Flags for every file that we open by descriptor: bytes as they are, and for this process alone.
OURS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
#: Where a lock lies on systems that lock bytes and not files: far behind anything written.
_FAR = 1 << 40


class Descriptor:
    """An open descriptor in the state of an object that is handed to another process of ours.

    There it becomes the number that the same open file has in that process.
    """

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


def lock(fd: int, *, wait: bool = False, shared: bool = False) -> bool:
    """Lock an open file for as long as it is open; False when somebody else has the lock.

    Those that lock it `shared` are not in each other's way, where the system knows that.
    """
    if fcntl is None:
        return _lock_far_byte(fd, wait)
    try:
        how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(fd, how | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def _lock_far_byte(fd: int, wait: bool) -> bool:
    import msvcrt  # type: ignore[import-not-found, unused-ignore]

    how = msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK  # type: ignore[attr-defined, unused-ignore]
    position = os.lseek(fd, 0, os.SEEK_CUR)
    os.lseek(fd, _FAR, os.SEEK_SET)
    try:
        msvcrt.locking(fd, how, 1)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return False
    finally:
        os.lseek(fd, position, os.SEEK_SET)
    return True


def renames_open_files() -> bool:
    """Whether a file can get another name while somebody has it open."""
    return fcntl is not None


def set_aside(fd: int, size: int) -> None:
    """Make a file take up so much space; OSError where there is none."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(fd, 0, size)
    else:
        os.write(fd, bytes(size))


def sync(fd: int) -> None:
    """Make what was written outlive a power cut."""
    (os.fdatasync if hasattr(os, "fdatasync") else os.fsync)(fd)
