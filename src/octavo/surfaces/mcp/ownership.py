"""Whose a session, a job or a run is, and what follows from that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from octavo.errors import UsageError
from octavo.records.owners import FOLDER, note_owner, owner_of
from octavo.surfaces.mcp.folders import folder_in
from octavo.surfaces.mcp.identity import LOCAL

_ID = re.compile(r"[A-Za-z0-9_.-]{1,80}")


class Owners:
    """The notes of one project. What has no note is the user's own.

    The last eight letters of an id name it, as they do everywhere; an execution in a session
    (`abcd1234.5`) belongs to whom the session belongs to. Runs and sessions are noted where their
    record begins.
    """

    def __init__(self, project: str) -> None:
        self._root = Path(folder_in(project))

    def note(self, id: str, identity: str) -> None:
        """Remember whose other work is; the user's own needs no note."""
        note_owner(self._root, short(id), identity)

    def of(self, id: str) -> str:
        """Whose it is."""
        return owner_of(self._root, short(id))

    def has(self, id: str, identity: str) -> bool:
        """Whether this is for them to use: their own, and nobody else's."""
        return self.of(id) == identity

    def may_look(self, id: str, identity: str) -> bool:
        """Whether they may read its record: their own, or one that is the project's."""
        return identity == LOCAL or self.of(id) in (LOCAL, identity)

    def all(self) -> Iterator[tuple[str, str]]:
        """Every note: the last letters of an id, and whose it is."""
        try:
            names = sorted(path.name for path in (self._root / FOLDER).iterdir())
        except OSError:
            return
        for name in names:
            if not name.startswith("."):
                yield name, self.of(name)


def short(id: str) -> str:
    """How an id is noted: its last eight letters, without the number of an execution."""
    whole = id.strip().partition(".")[0]
    if not _ID.fullmatch(whole):
        shown = whole[:40]
        raise UsageError(
            "job-not-found",
            f"{shown!r} is no id",
            hint="ids are those that session_start, notebook_execute and runs_list tell",
        )
    return whole[-8:]
