"""Where live sessions are found: a socket and a note for each, in a folder of their user's."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from octavo.errors import InfrastructureError, UsageError
from octavo.kernels.fork.resident import connect_to, listen
from octavo.records.journal import JOURNAL_NAME, goes_on
from octavo.value import Value

FOLDER = "sessions"
SHORT = 8
#: A dead session whose record was not written to for so long is not told of any more.
FORGOTTEN_AFTER = 7 * 86400.0


class Place(Value):
    """Where one session is found; `note` is what its host wrote when it began."""

    folder: str
    short: str
    note: Mapping[str, Any]

    @property
    def address(self) -> str:
        return os.path.join(self.folder, f"{self.short}.sock")

    @property
    def id(self) -> str:
        return str(self.note.get("id") or self.short)

    def is_in(self, project: str | os.PathLike[str]) -> bool:
        """Whether its record lies in a project."""
        return os.path.realpath(str(self.note.get("project") or "")) == os.path.realpath(project)

    def connect(self) -> socket.socket | None:
        """A connection to its host, None where nobody answers."""
        return connect_to(self.address)

    def noting(self, **more: Any) -> Place:
        """With more in its note."""
        return self.replace(note={**self.note, **more})

    @property
    def asleep(self) -> Mapping[str, Any] | None:
        """What a session that sleeps would say of itself, so that nobody wakes it by asking."""
        told = self.note.get("asleep")
        sleeps = isinstance(told, dict) and goes_on(Path(str(self.note.get("record"))))
        return told if sleeps else None

    def answers(self) -> bool:
        """Whether its host is there."""
        if self.asleep is not None:
            return True
        connection = self.connect()
        if connection is not None:
            connection.close()
        return connection is not None

    def forget(self) -> None:
        """Take the socket and the note away, and what was served beside them."""
        for path in (self.address, _note_path(self.folder, self.short)):
            with suppress(OSError):
                os.unlink(path)
        for path in self._folders():
            _remove_tree(path)

    def take_folder(self) -> str:
        """A path for a private folder of this process, beside the session and gone when that is.

        Those that killed processes have left are taken away.
        """
        for path in self._folders():
            if not _is_running(int(path.rpartition("-")[2])):
                _remove_tree(path)
        return f"{self._served}{os.urandom(2).hex()}-{os.getpid()}"

    @property
    def _served(self) -> str:
        return os.path.join(self.folder, f"{self.short}.served-")

    def _folders(self) -> list[str]:
        """The folders of processes that serve it, or did."""
        with suppress(OSError):
            found = (os.path.join(self.folder, name) for name in os.listdir(self.folder))
            return [
                path
                for path in found
                if path.startswith(self._served) and path.rpartition("-")[2].isdecimal()
            ]
        return []


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _remove_tree(path: str) -> None:
    from shutil import rmtree

    rmtree(path, ignore_errors=True)


def folder_in(runtime: str) -> str:
    return os.path.join(runtime, FOLDER)


def take(runtime: str, note: Mapping[str, Any]) -> tuple[Place, socket.socket]:
    """A place for a new session, with a socket that listens there."""
    _forget_old(runtime)
    place = Place(folder_in(runtime), str(note["id"])[-SHORT:], note)
    listener = listen(place.address)
    write(place)
    return place, listener


def write(place: Place) -> None:
    """Note who serves a place, so that a list can be made without asking everybody."""
    path = _note_path(place.folder, place.short)
    temporary = f"{path}-{os.getpid()}"
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(place.note, file)
        os.replace(temporary, path)
    except OSError as error:
        raise InfrastructureError(
            "storage",
            f"the session cannot be noted: {(error.strerror or str(error)).lower()}",
            place=path,
            hint="let XDG_RUNTIME_DIR name a folder that you may write to",
        ) from error


def places(runtime: str) -> Iterator[Place]:
    """All that are noted, living or dead, the oldest first."""
    folder = folder_in(runtime)
    try:
        names = os.listdir(folder)
    except OSError:
        return
    found = [_read(folder, name.removesuffix(".json")) for name in names if name.endswith(".json")]
    yield from sorted(
        (each for each in found if each is not None),
        key=lambda place: (float(place.note.get("started") or 0), place.short),
    )


def _forget_old(runtime: str) -> None:
    """Dead sessions do not pile up for ever; their records stay, and can be restored."""
    for place in filter(_is_old, places(runtime)):
        if not place.answers():
            place.forget()


def _is_old(place: Place) -> bool:
    try:
        written = os.stat(os.path.join(str(place.note.get("record") or ""), JOURNAL_NAME)).st_mtime
    except OSError:
        return True
    return time.time() - written > FORGOTTEN_AFTER


def find(runtime: str, word: str) -> Place:
    """The session that a word means: its id, its name, or the last letters of its id."""
    known = list(places(runtime))
    found = _meant(word, known)
    if found is not None:
        return found
    raise UsageError(
        "session-not-found",
        f"there is no session {word!r}",
        hint=f"{_alive(known)}; octavo session restore brings back one that has ended",
    )


def noted(runtime: str, word: str) -> Place | None:
    """The session that a word means; None where none is noted that could be it."""
    return _meant(word, list(places(runtime)))


def _meant(word: str, known: list[Place]) -> Place | None:
    """No name stands before an id, so that nobody can take the place of another's session."""
    meant = (
        [each for each in known if word in (each.id, each.short)]
        or [each for each in known if word and each.note.get("name") == word]
        or [each for each in known if len(word) >= 4 and each.id.endswith(word)]
    )
    if len(meant) > 1:
        meant = [each for each in meant if each.answers()] or meant
    if len(meant) > 1:
        listed = ", ".join(each.short for each in meant[:5])
        hint = "give more of the id"
        raise UsageError(
            "session-not-found", f"{word!r} is the name of several: {listed}", hint=hint
        )
    return meant[0] if meant else None


def _alive(known: list[Place]) -> str:
    if not known:
        return "octavo session start begins one"
    return f"there are {', '.join(each.short for each in known[-5:])}; see `octavo session list`"


def _read(folder: str, short: str) -> Place | None:
    try:
        with open(_note_path(folder, short), encoding="utf-8") as file:
            note = json.load(file)
    except (OSError, ValueError):
        return None
    return Place(folder, short, note) if isinstance(note, dict) else None


def _note_path(folder: str, short: str) -> str:
    return os.path.join(folder, f"{short}.json")
