"""Whose a session, a job or a run is: noted beside the records, one small file each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from octavo.errors import UsageError
from octavo.surfaces.mcp.folders import folder_in, made_in
from octavo.surfaces.mcp.identity import LOCAL

_FOLDER = "owners"
_ID = re.compile(r"[A-Za-z0-9_.-]{1,80}")


class Owners:
    """The notes of one project. What has no note is the user's own.

    The last eight letters of an id name it, as they do everywhere; an execution in a session
    (`abcd1234.5`) belongs to whom the session belongs to.
    """

    def __init__(self, project: str) -> None:
        self._project = project
        self._folder = folder_in(project, _FOLDER)

    def note(self, id: str, identity: str) -> None:
        """Remember whose this is; the user's own needs no note."""
        if identity == LOCAL:
            return
        made_in(self._project, _FOLDER)
        path = self._path(id)
        temporary = f"{path}.{os.getpid()}.tmp"
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(identity)
        os.replace(temporary, path)

    def of(self, id: str) -> str:
        """Whose it is."""
        try:
            with open(self._path(id), encoding="utf-8") as file:
                return file.read()
        except OSError:
            return LOCAL

    def has(self, id: str, identity: str) -> bool:
        """Whether this is for them to use: their own, and nobody else's."""
        return self.of(id) == identity

    def may_look(self, id: str, identity: str) -> bool:
        """Whether they may read its record: their own, or one that is the project's."""
        return identity == LOCAL or self.of(id) in (LOCAL, identity)

    def all(self) -> Iterator[tuple[str, str]]:
        """Every note: the last letters of an id, and whose it is."""
        try:
            names = sorted(os.listdir(self._folder))
        except OSError:
            return
        for name in names:
            if not name.endswith(".tmp"):
                yield name, self.of(name)

    def _path(self, id: str) -> str:
        return os.path.join(self._folder, short(id))


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
