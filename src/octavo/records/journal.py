"""The journal of a run: one event a line, written before anybody sees it.

A line that has been written survives the death of every process; `sync` makes it survive a power
cut. The runner holds a lock on the file for as long as it lives, so that others can tell a run
that goes on from one whose runner was killed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from octavo.errors import StorageError
from octavo.events.codec import decode, encode
from octavo.events.types import Event
from octavo.records.disk import (
    cannot_begin,
    is_full,
    make_reserve,
    release_reserve,
    storage_error,
    write_all,
)
from octavo.systems import OURS, Descriptor, lock, renames_open_files, sync

JOURNAL_NAME = "events.jsonl"
_CHUNK = 1024 * 1024


class Journal:
    """The one writer of a run's journal."""

    def __init__(self, run_dir: Path, fd: int) -> None:
        self._run_dir = run_dir
        self._fd = fd
        self._size = os.fstat(fd).st_size
        self._torn = False

    def __getstate__(self) -> dict[str, object]:
        """Another process goes on writing; the lock is held through the descriptor."""
        return {**self.__dict__, "_fd": Descriptor(self._fd)}

    @classmethod
    def create(cls, run_dir: Path) -> Journal:
        """Open the journal of a new run and take the lock that says the run is alive."""
        try:
            fd = _locked_file(run_dir / JOURNAL_NAME)
        except OSError as error:
            raise cannot_begin(error, run_dir) from error
        try:
            make_reserve(run_dir)
        except BaseException:
            os.close(fd)
            raise
        return cls(run_dir, fd)

    @property
    def path(self) -> Path:
        return self._run_dir / JOURNAL_NAME

    def write(self, events: Sequence[Event]) -> None:
        """Append events in one write.

        On a full disk the lines that fit stay, the reserve is given back, and StorageError
        `disk-full` is raised: what is written after it, to end the run, has room.
        """
        if not events:
            return
        lines = [encode(event) for event in events]
        lines.append("")
        data = "\n".join(lines).encode("ascii")
        self._append(b"\n" + data if self._torn else data)

    def restore(self) -> bool:
        """Write the journal anew where it was deleted under a run that goes on; whether it was."""
        if self._is_in_place():
            return False
        deleted = self._fd
        try:
            self._run_dir.mkdir(parents=True, exist_ok=True)
            self._fd = _locked_file(self.path)
            # Nobody sees the deleted file any more, but for us it is there until it is closed.
            with open(f"/proc/self/fd/{deleted}", "rb") as reader:
                while chunk := reader.read(_CHUNK):
                    write_all(self._fd, chunk)
        except OSError as error:
            raise storage_error(error, self.path) from error
        os.close(deleted)
        return True

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self._fd))
        except OSError:
            return False

    def sync(self) -> None:
        """Make what was written outlive a power cut."""
        try:
            sync(self._fd)
        except OSError as error:
            raise storage_error(error, self.path) from error

    def close(self) -> None:
        """Let go of the lock and the reserve; safe to call twice."""
        if self._fd >= 0:
            with suppress(OSError):
                release_reserve(self._run_dir)
            os.close(self._fd)
            self._fd = -1

    def _append(self, data: bytes) -> None:
        written = 0
        try:
            while written < len(data):
                written += os.write(self._fd, data[written:] if written else data)
        except OSError as error:
            raise self._failed(error, data[:written]) from error
        self._size += written
        self._torn = False

    def _failed(self, error: OSError, written: bytes) -> StorageError:
        """Cut a torn line off, so that the next event stands on a line of its own."""
        self._size += written.rfind(b"\n") + 1
        try:
            os.ftruncate(self._fd, self._size)
            self._torn = False
        except OSError:
            self._torn = True
        if is_full(error):
            with suppress(OSError):
                release_reserve(self._run_dir)
        return storage_error(error, self.path)


def _locked_file(path: Path) -> int:
    """A new file with our lock on it; it gets its name last, so nobody sees it without."""
    unnamed = path.with_name(f".{path.name}.{os.getpid()}.tmp") if renames_open_files() else path
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | OURS
    fd = os.open(unnamed, flags, 0o666)
    try:
        lock(fd)
        if unnamed != path:
            unnamed.rename(path)
    except BaseException:
        os.close(fd)
        unnamed.unlink(missing_ok=True)
        raise
    return fd


def read_events(path: Path) -> Iterator[Event]:
    """The events of a journal. A torn line, or one of a newer version, is passed over."""
    with path.open("rb") as file:
        for line in file:
            try:
                yield decode(line)
            except ValueError:
                continue


def goes_on(run_dir: Path) -> bool:
    """Whether the writer of a journal holds on to it. Any number may ask at once."""
    try:
        descriptor = os.open(run_dir / JOURNAL_NAME, os.O_RDONLY | OURS)
    except OSError:
        return False
    try:
        return not lock(descriptor, shared=True)
    finally:
        os.close(descriptor)


@contextmanager
def abandoned(run_dir: Path) -> Iterator[bool]:
    """Whether the runner is gone. While the block lasts no one else gets True for this run."""
    try:
        fd = os.open(run_dir / JOURNAL_NAME, os.O_RDONLY | OURS)
    except FileNotFoundError:
        yield True
        return
    try:
        yield lock(fd)
    finally:
        os.close(fd)
