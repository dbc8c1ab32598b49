"""`octavo.Session`: a live session from Python, one call after the other."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from threading import Thread
from typing import TYPE_CHECKING, Any, Self, cast

from octavo.app.context import current
from octavo.sessions import operations
from octavo.sessions.client import Caller
from octavo.sessions.requests import (
    LEASE,
    DiffRequest,
    PromoteRequest,
    RestoreRequest,
    SaveRequest,
    StartRequest,
)
from octavo.sessions.values import (
    CellInfo,
    Done,
    Edited,
    Executed,
    ExecutedAll,
    Rewound,
    SessionInfo,
    Shown,
)

if TYPE_CHECKING:
    from octavo.sessions.states import StatesDiff
    from octavo.sessions.writing.promoting import Promoted
    from octavo.sessions.writing.saving import Saved

OnEvent = Callable[[dict[str, Any]], None]


class Session:
    """A connection to a live session. Closing it, or leaving its block, ends nothing."""

    def __init__(self, caller: Caller, info: SessionInfo) -> None:
        self._caller = caller
        self.id = info.id

    @classmethod
    def start(
        cls,
        notebook: str | os.PathLike[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
        *,
        python: str | None = None,
        kernel: str | None = None,
        engine: str | None = None,
        cwd: str | None = None,
        env: tuple[str, ...] = (),
        lease: float = LEASE,
        name: str = "",
        snapshots: bool = True,
    ) -> Self:
        """Begin a session; it goes on when this program has ended."""
        request = StartRequest(
            notebook=None if notebook is None else os.fspath(notebook),
            values=dict(parameters or {}),
            python=python,
            kernel=kernel,
            engine=engine,
            cwd=cwd,
            env=tuple(env),
            lease=lease,
            name=name,
            no_snapshots=not snapshots,
        )
        return cls._of(_waited(operations.start(request, current())))

    @classmethod
    def attach(cls, session: str) -> Self:
        """The session of an id, or of the last letters of it."""
        caller = Caller.open(current().runtime, session)
        return cls(caller, SessionInfo.from_json(caller.call("info")))

    @classmethod
    def restore(cls, session: str, *, lease: float = LEASE) -> Self:
        """A new session from the record of one that ended: its cells are executed again."""
        request = RestoreRequest(session=session, lease=lease)
        return cls._of(_waited(operations.restore(request, current())))

    @classmethod
    def _of(cls, info: SessionInfo) -> Self:
        return cls(Caller.open(current().runtime, info.id), info)

    @property
    def info(self) -> SessionInfo:
        """What it is doing, how far its state goes, when its lease ends."""
        return SessionInfo.from_json(self._caller.call("info"))

    @property
    def cells(self) -> tuple[CellInfo, ...]:
        """The document, with the status of each cell."""
        return self.show().cells

    def exec(
        self,
        code: str,
        *,
        scratch: bool = False,
        wait: float | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
        budget: int | None = None,
        detach: bool = False,
        on_event: OnEvent | None = None,
    ) -> Executed:
        """Execute code as a new cell at the end of the state; failing code does not raise."""
        return Executed.from_json(self._call("exec", locals()))

    def run_cell(
        self,
        cell: int | str,
        *,
        only_affected: bool = False,
        wait: float | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
        budget: int | None = None,
        on_event: OnEvent | None = None,
    ) -> Executed:
        """Execute a cell in the state before it."""
        return Executed.from_json(self._call("run-cell", locals()))

    def run_all(
        self,
        *,
        only_affected: bool = False,
        fresh: bool = False,
        wait: float | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
        budget: int | None = None,
        on_event: OnEvent | None = None,
    ) -> ExecutedAll:
        """Execute what is not in the state yet."""
        return ExecutedAll.from_json(self._call("run-all", locals()))

    def edit(
        self,
        cell: int | str,
        source: str = "",
        *,
        expect: str | None = None,
        insert: str = "",
        delete: bool = False,
        kind: str = "code",
        run: bool = False,
        only_affected: bool = False,
        timeout: float | None = None,
    ) -> Edited | Executed:
        """Change a cell, put one beside it, or take it away; with `run` execute it."""
        answer = self._call("edit", locals())
        return (Executed if run or only_affected else Edited).from_json(answer)

    def show(self) -> Shown:
        """The document and how far the state goes."""
        return Shown.from_json(self._caller.call("show"))

    def rewind(self, cell: int | str, *, restore_files: bool = False) -> Rewound:
        """Go back to the state before a cell."""
        return Rewound.from_json(self._call("rewind", locals()))

    def branch(self, cell: int | str | None = None, *, name: str = "") -> Self:
        """A second session that goes on from the state before a cell, or as it stands."""
        return self._of(SessionInfo.from_json(self._call("branch", locals())))

    def save(self, path: str | os.PathLike[str] | None = None, *, force: bool = False) -> Saved:
        """Write the cells as a notebook: to a path, or to the notebook that it began with."""
        from octavo.sessions.writing.saving import save

        where = None if path is None else os.fspath(path)
        return cast(
            "Saved", _waited(save(SaveRequest(session=self.id, path=where, force=force), current()))
        )

    def promote(
        self,
        path: str | os.PathLike[str],
        *,
        parameters: Sequence[str] = (),
        values: Mapping[str, Any] | None = None,
        force: bool = False,
    ) -> Promoted:
        """Write a notebook that stands on its own, once a fresh run hands out the same. Secret
        values of the session are not in its record: give them again in `values`.
        """
        from octavo.sessions.writing.promoting import promote

        request = PromoteRequest(
            session=self.id,
            path=os.fspath(path),
            parameter=tuple(parameters),
            values=values or {},
            force=force,
        )
        return cast("Promoted", _waited(promote(request, current())))

    def diff(self, before: int | str | Session, after: int | str | Session = "") -> StatesDiff:
        """What differs between the variables of two states: before cells, of sessions, or now."""
        from octavo.sessions.states import diff

        one, other = (
            each.id if isinstance(each, Session) else str(each) for each in (before, after)
        )
        request = DiffRequest(session=self.id, before=one, after=other)
        return cast("StatesDiff", _waited(diff(request, current())))

    def interrupt(self) -> Done:
        """End what is being executed, as Ctrl-C does."""
        return Done.from_json(self._caller.call("interrupt"))

    def restart(self) -> Done:
        """A new kernel; the document stays."""
        return Done.from_json(self._caller.call("restart"))

    def stop(self) -> None:
        """End the session; its record stays."""
        self._caller.call("stop")
        self.close()

    def close(self) -> None:
        """Hang up; the session goes on."""
        self._caller.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Session({self.id[-8:]!r})"

    def _call(self, op: str, given: Mapping[str, Any]) -> Any:
        arguments = {
            name: value for name, value in given.items() if name != "self" and value is not None
        }
        return self._caller.call(op, **arguments)


def _waited(doing: Any) -> Any:
    """The result of a coroutine, also where an event loop runs already."""
    found: list[Any] = []

    def work() -> None:
        try:
            found.append((asyncio.run(doing), None))
        except BaseException as error:
            found.append((None, error))

    thread = Thread(target=work, name="octavo-session")
    thread.start()
    thread.join()
    result, error = found[0]
    if error is not None:
        raise error
    return result
