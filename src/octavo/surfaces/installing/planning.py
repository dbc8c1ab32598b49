"""Files of other programs with another content: planned, shown, noted and then made."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from octavo.errors import UsageError
from octavo.repository.changes import FileChange
from octavo.surfaces.installing.memory import Memory
from octavo.surfaces.installing.programs import PROGRAMS, Program, state_folder
from octavo.value import Value


class InstallContext(Protocol):
    """What installing needs to know."""

    @property
    def cwd(self) -> str: ...
    @property
    def environ(self) -> Mapping[str, str]: ...
    @property
    def python(self) -> str: ...


class Installed(Value):
    """The changes that were made, or would be; what else a person should know; what comes next."""

    changes: tuple[FileChange, ...]
    notes: tuple[str, ...] = ()
    made: bool = True
    undone: bool = False
    next: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "made": self.made,
            "undone": self.undone,
            "changes": [change.to_json() for change in self.changes],
            "notes": list(self.notes),
            "next": self.next,
        }


class Plan:
    """Changes that belong together: all are made, or none."""

    def __init__(self, environ: Mapping[str, str], *, undo: bool = False) -> None:
        self.memory = Memory(state_folder(environ))
        self.undo = undo
        self.changes: list[FileChange] = []
        self.notes: list[str] = []
        self._settled: list[Path] = []

    def change(self, path: Path, before: bytes | None, after: bytes | None) -> None:
        """A file is to have another content; None: none."""
        if before != after:
            self.changes.append(FileChange(path, str(path), before, after))

    def settled(self, path: Path) -> None:
        """Nothing is to be put back in a file any more."""
        self._settled.append(path)

    def make(self) -> None:
        """Make the changes. What undoing needs is noted before, so that a kill loses nothing."""
        for change in self.changes:
            change.refuse_unwritable()
        if self.changes and not self.undo:
            self.memory.note({each.path: (each.before, each.after) for each in self.changes})
        for change in self.changes:
            change.make()
        if self._settled:
            self.memory.forget(self._settled)

    def result(self, *, dry_run: bool, next: str = "") -> Installed:
        """The plan, made unless it is only shown."""
        if not dry_run:
            self.make()
        return Installed(
            tuple(self.changes),
            tuple(self.notes),
            not dry_run,
            self.undo,
            next if not dry_run and self.changes and not self.undo else "",
        )


def chosen(asked: Any) -> list[Program]:
    """The programs whose flags were given."""
    return [program for program in PROGRAMS if getattr(asked, program.name)]


def refuse_none(command: str, *more: str) -> UsageError:
    """Nothing says which program is meant."""
    *flags, last = [*(f"--{program.name}" for program in PROGRAMS), *more]
    return UsageError(
        "wrong-argument",
        "nothing says for which agent",
        place=f"octavo {command}",
        hint=f"octavo {command} {', '.join(flags)} or {last}",
    )


def real(path: Path) -> Path:
    """The file that links lead to; where they lead round and round, the link itself."""
    return Path(os.path.realpath(path))


def remove_empty(folders: list[Path]) -> None:
    """Folders that nothing is left in, the innermost first."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()
