"""Writing to a disk that may be full: whole writes, atomic files, a reserve."""

from __future__ import annotations

import errno
import os
from _thread import get_ident
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from octavo.errors import StorageError
from octavo.systems import OURS, set_aside, sync

RESERVE_NAME = "reserve"
RESERVE_BYTES = 512 * 1024

_REACH = "check that the folder is there, and that you may read and write it"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def storage_error(error: OSError, path: Path) -> StorageError:
    """What a failed write means to a user."""
    why = _why(error)
    if is_full(error):
        return StorageError(
            "disk-full",
            f"cannot write the record: {why}",
            place=str(path),
            hint="free some space; the next octavo command rebuilds the record from its journal",
        )
    return StorageError("storage", f"cannot write: {why}", place=str(path), hint=_REACH)


def cannot_begin(error: OSError, path: Path) -> StorageError:
    """A run that cannot even begin, because its record has no place."""
    message = f"nothing was run, a record cannot be kept here: {_why(error)}"
    if is_full(error):
        hint = "free some space, and run it again"
        return StorageError("disk-full", message, place=str(path), hint=hint)
    return StorageError("storage", message, place=str(path), hint=_REACH)


def cannot_read(error: OSError, path: Path) -> StorageError:
    """Records that are there, or might be, and cannot be looked at."""
    message = f"the records cannot be read: {_why(error)}"
    return StorageError("storage", message, place=str(path), hint=_REACH)


def is_full(error: OSError) -> bool:
    """Whether a write failed for want of space, quota or allowed file size."""
    return error.errno in _FULL


def _why(error: OSError) -> str:
    return (os.strerror(error.errno) if error.errno else str(error)).lower()


def write_all(fd: int, data: bytes) -> None:
    """Write every byte, also where the system takes them piecemeal."""
    written = os.write(fd, data)
    if written < len(data):
        view = memoryview(data)
        while written < len(view):
            written += os.write(fd, view[written:])


def make_reserve(directory: Path, size: int = RESERVE_BYTES) -> None:
    """Set space aside in a run's folder, so that a run on a full disk can still be ended."""
    path = directory / RESERVE_NAME
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | OURS, 0o600)
    except OSError as error:
        raise cannot_begin(error, directory) from error
    try:
        set_aside(fd, size)
    except OSError as error:
        release_reserve(directory)
        if is_full(error):
            raise cannot_begin(error, directory) from error
    finally:
        os.close(fd)


def release_reserve(directory: Path) -> bool:
    """Give the space back; whether there was any."""
    try:
        (directory / RESERVE_NAME).unlink()
    except FileNotFoundError:
        return False
    return True


@contextmanager
def replacing(path: Path, *, sync: bool = True) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` when the block ends well, and is gone otherwise."""
    # Shortened, since a name may be as long as the system lets it be.
    temporary = path.with_name(f".{path.name[:48]}.{os.getpid()}-{get_ident()}.tmp")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | OURS, 0o666)
    try:
        with os.fdopen(fd, "wb", buffering=256 * 1024) as file:
            yield file
            file.flush()
            if sync:
                os.fsync(fd)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def remove_leftovers(folder: Path) -> None:
    """Take away files that `replacing` was writing when its process was killed."""
    for path in folder.glob(".*.tmp"):
        path.unlink(missing_ok=True)


def sync_file(path: Path) -> None:
    """Make what was written to a file outlive a power cut."""
    try:
        fd = os.open(path, os.O_RDONLY | OURS)
    except FileNotFoundError:
        return
    try:
        sync(fd)
    finally:
        os.close(fd)
