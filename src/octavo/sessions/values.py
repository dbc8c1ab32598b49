"""What sessions answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from octavo.value import Value

#: `kernel-died` is a session that lives and has no state; a `dead` one has no process either.
SessionState = Literal["idle", "busy", "kernel-died", "dead", "culled", "stopped"]
DocumentStatus = Literal["new", "fresh", "stale", "failed", "unproven", "running"]
ExecutedStatus = Literal[
    "succeeded", "failed", "interrupted", "timed-out", "kernel-died", "running", "queued"
]
#: Statuses of an execution that has not come to its end.
UNDER_WAY = ("running", "queued")


class Answer(Value):
    """A value that goes over a session's connection as JSON and comes back as itself."""

    def to_json(self) -> dict[str, Any]:
        return {name: _plain(getattr(self, name)) for name in self._fields}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        """The value that `to_json` made; what a newer host adds is dropped."""
        return cls(**{name: _tuples(plain[name]) for name in cls._fields if name in plain})


class SessionInfo(Answer):
    """A live session, or what is left of one. Times are seconds since the epoch."""

    id: str
    state: SessionState
    notebook: str | None
    project: str
    engine: str
    python: str
    pid: int
    started: float
    kernel_pid: int | None = None
    lease_ends: float | None = None
    queue: int = 0
    position: int = 0
    cells: int = 0
    snapshots: int = 0
    memory: int | None = None
    unproven: bool = False
    parent: str | None = None
    name: str = ""
    notes: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """The last letters of the id, which every command takes."""
        return self.id[-8:]


class CellInfo(Answer):
    """A cell of a session's document; `record_cell` is its last execution in the record."""

    index: int
    key: str
    handle: str
    kind: str
    name: str | None
    first_line: str
    status: DocumentStatus
    record_cell: int | None = None


class Executed(Answer):
    """What became of one execution, or what it has come to so far.

    `outputs` are those of `octavo.render.answers`; `job` is how to ask for it again.
    """

    session: str
    job: str
    cell: CellInfo | None
    status: ExecutedStatus
    outputs: tuple[Mapping[str, Any], ...] = ()
    error: Mapping[str, Any] | None = None
    execution_count: int | None = None
    seconds: float | None = None
    notes: tuple[str, ...] = ()
    lease_ends: float | None = None
    next: str = ""

    @property
    def exit_code(self) -> int:
        """1 where the code failed; work that goes on is no failure."""
        return 0 if self.status in ("succeeded", *UNDER_WAY) else 1

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        cell = plain.get("cell")
        return super().from_json({**plain, "cell": cell and CellInfo.from_json(cell)})


class ExecutedAll(Answer):
    """Several cells, in the order in which they were executed; `status` is that of the last."""

    session: str
    status: ExecutedStatus
    executed: tuple[Executed, ...] = ()
    job: str = ""
    notes: tuple[str, ...] = ()
    lease_ends: float | None = None
    next: str = ""

    @property
    def exit_code(self) -> int:
        return 0 if self.status in ("succeeded", *UNDER_WAY) else 1

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        executed = tuple(map(Executed.from_json, plain.get("executed", ())))
        return super().from_json({**plain, "executed": executed})


class Shown(Answer):
    """The document of a session: its cells, and how far the state goes."""

    session: SessionInfo
    cells: tuple[CellInfo, ...]
    position: int
    notes: tuple[str, ...] = ()
    lease_ends: float | None = None

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        session = SessionInfo.from_json(plain["session"])
        cells = tuple(map(CellInfo.from_json, plain["cells"]))
        return super().from_json({**plain, "session": session, "cells": cells})


class Edited(Answer):
    """A cell of the document that was changed and not executed; `cell` is None once deleted."""

    session: str
    op: Literal["replace", "insert", "delete"]
    cell: CellInfo | None
    position: int
    notes: tuple[str, ...] = ()
    lease_ends: float | None = None
    next: str = ""

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        cell = plain.get("cell")
        return super().from_json({**plain, "cell": cell and CellInfo.from_json(cell)})


class Rewound(Answer):
    """A session that went back; `files` are changes in its working directory since then.

    A file has a `path`, a `change` (created, changed or deleted) and whether it was `restored`.
    """

    session: str
    position: int
    how: Literal["snapshot", "executed-again", "restarted", "nothing"]
    files: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    lease_ends: float | None = None
    next: str = ""


class Done(Answer):
    """Something small was done to a session: interrupted, stopped, restarted."""

    session: str
    done: str
    notes: tuple[str, ...] = ()
    lease_ends: float | None = None
    next: str = ""


class Sessions(Answer):
    """The sessions of a user, the newest last."""

    sessions: tuple[SessionInfo, ...] = ()

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Self:
        return cls(tuple(map(SessionInfo.from_json, plain["sessions"])))


#: What most fields hold, and JSON too.
_SIMPLE = (str, int, float, bool, type(None))


def _plain(value: Any) -> Any:
    if type(value) in _SIMPLE:
        return value
    if isinstance(value, Answer):
        return value.to_json()
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value


def _tuples(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
