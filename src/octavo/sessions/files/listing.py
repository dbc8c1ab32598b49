"""Files as part of a state: what lies in a working directory, and what changed since.

folder = Folder(working_directory, record / "folder")
listing = folder.note()                 # when a snapshot is taken; in a thread
folder.keep(listing)                    # what can be brought back later
folder.changes(listing, folder.note())  # on the way back
folder.restore(listing, during=((started, finished), …))
folder.forget()                         # when the session ends
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from threading import Lock
from typing import Literal, NamedTuple

from octavo.sessions.files.copies import Copies, Inside
from octavo.value import EMPTY, Value

#: More files than this are not kept account of.
MOST = 20_000
_SKIPPED = frozenset(
    (
        *(".git", ".hg", ".svn", ".octavo", "__pycache__", "node_modules", ".ipynb_checkpoints"),
        *(".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".nox", ".cache"),
    )
)
_ENVIRONMENT = "pyvenv.cfg"
_NAME = attrgetter("name")
_KIND, _PERMISSIONS = 0o170000, 0o7777
#: The clock of a file system is behind ours by up to a tick.
_TICK = 0.01

_WOULD_BE_LOST = "what is there now is too large to be kept, and would be lost"
_TOO_LARGE = "its content was not kept: it was too large, or changed again at once"
_SOMEBODY = "somebody else changed it meanwhile, so it was left as it is"

Kind = Literal["created", "changed", "deleted"]


class FileState(NamedTuple):
    """What a file was like; there are many of them, so they are small."""

    size: int
    mtime_ns: int
    inode: int
    link: bool = False
    mode: int = 0
    ctime_ns: int = 0


class Listing(Value):
    """The files below a folder, by their paths in it. Not `complete` when there were too many."""

    files: Mapping[str, FileState] = EMPTY
    folders: frozenset[str] = frozenset()
    complete: bool = True


class Change(Value):
    """A file that is not as it was, and what was done about it."""

    path: str
    change: Kind
    restored: bool = False
    why: str = ""

    def to_json(self) -> dict[str, object]:
        return {**self.to_dict(), "path": _printable(self.path)}


class Folder:
    """A working directory, and what is kept of its files in a folder of the session's record."""

    def __init__(self, root: str | Path, kept: str | Path, *, most: int = MOST) -> None:
        self._root = os.path.realpath(root)
        self._most = most
        self._copies = Copies(self._root, str(kept))
        #: Threads may ask for several listings to be kept at once.
        self._keeping = Lock()
        self._last = Listing()

    def note(self) -> Listing:
        """What lies in the folder now. Links are not followed; what tools make is passed over.

        What is as it was shares its memory with the listing before.
        """
        found = self.note_unless(lambda: False)
        assert found is not None
        return found

    def note_unless(self, given_up: Callable[[], bool]) -> Listing | None:
        """As `note`; None when it was given up on the way."""
        found = self._found(self._last.files, given_up)
        if found is None or found == self._last:
            return found and self._last
        self._last = found
        return found

    def _found(
        self, known: Mapping[str, FileState], given_up: Callable[[], bool]
    ) -> Listing | None:
        files: dict[str, FileState] = {}
        folders: set[str] = set()
        for inner, entries in _walk(self._root):
            if given_up():
                return None
            if inner:
                folders.add(inner)
            for path, state in _states(inner, entries):
                if len(files) >= self._most:
                    return Listing(files, frozenset(folders), complete=False)
                before = known.get(path)
                files[path] = before if before == state else state
        return Listing(files, frozenset(folders))

    def retain(self, listings: Iterable[Listing]) -> None:
        """Give up the copies that belong to none of these listings."""
        with self._keeping:
            different = {id(each): each for each in listings}.values()
            self._copies.retain(state for each in different for state in each.files.values())

    def keep(
        self, listing: Listing, given_up: Callable[[], bool] = lambda: False
    ) -> tuple[str, ...]:
        """Copy what has not been copied yet; the paths whose content is not kept.

        Small files go first, so that one large one does not take the room of all others.
        """
        with self._keeping:
            return self._kept(listing, given_up)

    def _kept(self, listing: Listing, given_up: Callable[[], bool]) -> tuple[str, ...]:
        waiting = [(s.size, p, s) for p, s in listing.files.items() if not self._copies.has(s)]
        return tuple(
            path
            for _, path, state in sorted(waiting, key=lambda each: each[:2])
            if given_up() or not self._copies.take(path, state)
        )

    def changes(self, before: Listing, after: Listing) -> tuple[Change, ...]:
        """What was created, changed and deleted between two listings, by path.

        Where one of them is not complete, a file that is only in the other is not told.
        """
        found = []
        for path in sorted({*before.files, *after.files}):
            one, other = before.files.get(path), after.files.get(path)
            if one is None and other is not None and before.complete:
                found.append(Change(path, "created"))
            elif one is not None and other is None and after.complete:
                found.append(Change(path, "deleted"))
            elif one is not None and other is not None and not self._same(one, other):
                found.append(Change(path, "changed"))
        return tuple(found)

    def _same(self, one: FileState, other: FileState) -> bool:
        return self._copies.same(one, other) and (one.link or one.mode == other.mode)

    def restore(
        self, wanted: Listing, *, during: Sequence[tuple[float, float]] = ()
    ) -> tuple[Change, ...]:
        """Bring the files back to a listing; what became of each.

        `during` are the times in which cells were executed: what was changed at another time was
        changed by somebody else, and is left. What is replaced or taken away is kept as well.
        """
        now = self.note()
        self.keep(now)
        found: dict[str, Change] = {}
        changes = self.changes(wanted, now)
        for created in (True, False):  # what is new may stand where something else was
            for each in changes:
                if (each.change == "created") is created:
                    found[each.path] = self._restored(each, wanted, now, during)
            self._remove_folders(wanted, now)
        return tuple(found[each.path] for each in changes)

    def forget(self) -> None:
        """Give up all copies, except of what was replaced or taken away: that stays beside them."""
        self._copies.forget()

    def _restored(
        self,
        change: Change,
        wanted: Listing,
        now: Listing,
        during: Sequence[tuple[float, float]],
    ) -> Change:
        there = now.files.get(change.path)
        if there is not None and not _within(there.ctime_ns / 1e9, during):
            return change.replace(why=_SOMEBODY)
        state = wanted.files.get(change.path)
        if state is not None and not self._copies.has(state):
            return change.replace(why=_TOO_LARGE)
        if there is not None and not self._copies.has(there):
            return change.replace(why=_WOULD_BE_LOST)
        try:
            if state is None:
                self._copies.remove(change.path, there)
            else:
                self._copies.put_back(change.path, state, there)
        except Inside as error:
            return change.replace(why=str(error))
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            return change.replace(why=f"it cannot be written: {why}")
        return change.replace(restored=True)

    def _remove_folders(self, wanted: Listing, now: Listing) -> None:
        """Folders that were made since and are empty now; the innermost first."""
        if not wanted.complete:
            return
        for path in sorted(now.folders - wanted.folders, key=len, reverse=True):
            with suppress(OSError, Inside):
                self._copies.remove_folder(path)


def _walk(root: str) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """The folders below one, each with what is in it and is no folder."""
    waiting = [""]
    while waiting:
        inner = waiting.pop()
        try:
            with os.scandir(os.path.join(root, inner)) as found:
                entries = sorted(found, key=_NAME)
        except OSError:
            continue
        if inner and any(entry.name == _ENVIRONMENT for entry in entries):
            continue
        others = []
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                others.append(entry)
            elif entry.name not in _SKIPPED:
                waiting.append(os.path.join(inner, entry.name))
        yield inner, others


def _states(inner: str, entries: list[os.DirEntry[str]]) -> Iterator[tuple[str, FileState]]:
    """Files and links of one folder, by their paths; this is done many thousand times."""
    prefix = f"{inner}{os.sep}" if inner else ""
    for entry in entries:
        if entry.name in _SKIPPED:
            continue
        try:
            told = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        kind = told.st_mode & _KIND
        if kind in (stat.S_IFREG, stat.S_IFLNK):
            yield prefix + entry.name, _state(told, link=kind == stat.S_IFLNK)


def _state(told: os.stat_result, *, link: bool) -> FileState:
    permissions = told.st_mode & _PERMISSIONS
    written, changed = told.st_mtime_ns, told.st_ctime_ns
    return FileState(told.st_size, written, told.st_ino, link, permissions, changed)


def _within(moment: float, during: Sequence[tuple[float, float]]) -> bool:
    return not during or any(start - _TICK <= moment <= end for start, end in during)


def _printable(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
