"""Copies of files as they were, and how they are put back: in one folder, each whole."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from errno import ELOOP
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from octavo.sessions.files.listing import FileState

#: Without copy on write: the largest file that is copied, and the bytes of all copies.
LARGEST = 16_000_000
TOTAL = 128_000_000
_CHUNK = 1 << 20
#: Linux: share the blocks of another file until one of the two is written to.
_FICLONE = 0x40049409
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

#: What a file is, as far as its folder tells.
_Key = tuple[int, int, int, bool]


class Inside(Exception):
    """A path does not lead to where it says within its folder."""


class Copies:
    """The contents of files below a folder, by what the files were like."""

    def __init__(self, root: str, kept: str) -> None:
        self._root = root
        self._kept = kept
        self._names: dict[_Key, str] = {}
        #: The bytes of copies that share nothing, by name.
        self._copied: dict[str, int] = {}
        self._taken = 0
        #: Whether files can share their blocks here; None before it was tried.
        self._clones: bool | None = None
        self._made = 0
        #: Copies of what was in the way of something that was put back.
        self._replaced: list[str] = []

    def has(self, state: FileState) -> bool:
        return _key(state) in self._names

    def same(self, one: FileState, other: FileState) -> bool:
        """Whether two states are of one content: one file, or one that was put back."""
        if _key(one) == _key(other):
            return True
        name = self._names.get(_key(one))
        return name is not None and name == self._names.get(_key(other))

    def take(self, path: str, state: FileState) -> bool:
        """Copy a file if it is as it was told, and there is room; whether that was done."""
        try:
            with self._opened(path) as (folder, name):
                target = self._new()
                if state.link:
                    os.symlink(os.readlink(name, dir_fd=folder), target)
                elif not self._copy(folder, name, target, state):
                    return False
        except (OSError, Inside):
            return False
        self._names[_key(state)] = target
        return True

    def put_back(self, path: str, state: FileState, there: FileState | None) -> None:
        """The file as it was, in one step; unless it is not any more what it was said to be."""
        kept = self._names[_key(state)]
        with self._opened(path, make=True) as (folder, name):
            temporary = f".{name[:100]}.{os.getpid()}-{self._made}.tmp"
            try:
                _written(kept, folder, temporary, state)
                self._refuse_changed(folder, name, there)
                os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)
                raise
            told = os.stat(name, dir_fd=folder, follow_symlinks=False)
        self._names[_key_of(told)] = kept
        self._set_aside(path, there)

    def remove(self, path: str, there: FileState | None) -> None:
        """Take a file away, of which there is a copy."""
        with self._opened(path) as (folder, name):
            self._refuse_changed(folder, name, there)
            os.unlink(name, dir_fd=folder)
        self._set_aside(path, there)

    def _set_aside(self, path: str, there: FileState | None) -> None:
        """Leave what is not there any more where it can be found, whatever becomes of us."""
        if there is None:
            return
        kept, number = self._names[_key(there)], len(self._replaced)
        self._replaced.append(kept)
        for name in (path, f"{path}.{number}", f"{path.replace(os.sep, '_')}.{number}"):
            target = os.path.join(f"{self._kept}-replaced", name)
            with suppress(OSError):
                os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
                os.link(kept, target, follow_symlinks=False)
                return

    def remove_folder(self, path: str) -> None:
        """Take a folder away if it is empty."""
        with self._opened(path) as (folder, name):
            os.rmdir(name, dir_fd=folder)

    def retain(self, states: Iterable[FileState]) -> None:
        """Give up the copies of everything else, except of what was replaced."""
        wanted = {self._names[key] for each in states if (key := _key(each)) in self._names}
        wanted.update(self._replaced)
        for key, name in list(self._names.items()):
            if name not in wanted:
                del self._names[key]
                self._taken -= self._copied.pop(name, 0)
                with suppress(OSError):
                    os.unlink(name)

    def forget(self) -> None:
        self._names.clear()
        self._replaced.clear()
        self._copied.clear()
        self._taken = 0
        shutil.rmtree(self._kept, ignore_errors=True)

    def _new(self) -> str:
        os.makedirs(self._kept, mode=0o700, exist_ok=True)
        self._made += 1
        return os.path.join(self._kept, str(self._made))

    def _copy(self, folder: int, name: str, target: str, state: FileState) -> bool:
        source = os.open(name, _FILE, dir_fd=folder)
        try:
            if _key_of(os.fstat(source)) != _key(state):
                return False
            copy = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                if self._clones is not False:
                    self._clones = _cloned(source, copy)
                cloned = self._clones
                done = cloned or self._copied_whole(source, copy, state)
            finally:
                os.close(copy)
            done = done and _key_of(os.fstat(source)) == _key(state)
        finally:
            os.close(source)
        if not done:
            os.unlink(target)
        elif not cloned:
            self._copied[target] = state.size
            self._taken += state.size
        return done

    def _copied_whole(self, source: int, copy: int, state: FileState) -> bool:
        if state.size > LARGEST or self._taken + state.size > TOTAL:
            return False
        return _poured(source, copy) == state.size

    @staticmethod
    def _refuse_changed(folder: int, name: str, there: FileState | None) -> None:
        """What was written since we looked is somebody else's."""
        try:
            now = _key_of(os.stat(name, dir_fd=folder, follow_symlinks=False))
        except FileNotFoundError:
            now = None
        if now != (None if there is None else _key(there)):
            raise Inside("it was changed at this moment, so it was left as it is")

    @contextmanager
    def _opened(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """The folder that a path is in, reached without a link, and its name there."""
        *folders, name = path.split(os.sep)
        if not name or any(part in ("", ".", "..") for part in (*folders, name)):
            raise Inside("its path leads elsewhere")
        folder = os.open(self._root, _FOLDER)
        try:
            for part in folders:
                inner = _inner(folder, part, make)
                os.close(folder)
                folder = inner
            yield folder, name
        finally:
            os.close(folder)


def _inner(folder: int, part: str, make: bool) -> int:
    if make:
        with suppress(FileExistsError):
            os.mkdir(part, dir_fd=folder)
    try:
        return os.open(part, _FOLDER, dir_fd=folder)
    except NotADirectoryError as error:
        raise Inside("a folder on its path is now a file or a link") from error
    except OSError as error:
        if error.errno == ELOOP:
            raise Inside("a folder on its path is now a file or a link") from error
        raise


def _written(kept: str, folder: int, temporary: str, state: FileState) -> None:
    """A new file with the content of a copy, and the time and permissions it had."""
    if state.link:
        os.symlink(os.readlink(kept), temporary, dir_fd=folder)
        os.utime(
            temporary, ns=(state.mtime_ns, state.mtime_ns), dir_fd=folder, follow_symlinks=False
        )
        return
    source = os.open(kept, _FILE)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        copy = os.open(temporary, flags, 0o600, dir_fd=folder)
        try:
            if not _cloned(source, copy):
                _poured(source, copy)
            os.fchmod(copy, state.mode)
            os.utime(copy, ns=(state.mtime_ns, state.mtime_ns))
        finally:
            os.close(copy)
    finally:
        os.close(source)


def _poured(source: int, copy: int) -> int:
    """Copy a file byte for byte; how many there were."""
    count = 0
    while chunk := os.read(source, _CHUNK):
        count += len(chunk)
        view = memoryview(chunk)
        while view:
            view = view[os.write(copy, view) :]
    return count


def _cloned(source: int, copy: int) -> bool:
    """Whether the file system lets two files share their blocks."""
    try:
        import fcntl

        fcntl.ioctl(copy, _FICLONE, source)
    except (ImportError, OSError):
        return False
    return True


def _key(state: FileState) -> _Key:
    return state.size, state.mtime_ns, state.inode, state.link


def _key_of(told: os.stat_result) -> _Key:
    return told.st_size, told.st_mtime_ns, told.st_ino, stat.S_ISLNK(told.st_mode)
