"""Tools on live sessions: state that stays between calls."""

from __future__ import annotations

import time
from typing import Annotated, Any

from pydantic import Field

from octavo.errors import UsageError
from octavo.sessions.values import UNDER_WAY
from octavo.surfaces.mcp.caller import caller
from octavo.surfaces.mcp.declaring import READS, REPLACES, RUNS_CODE, Declared
from octavo.surfaces.mcp.desk import Desk
from octavo.surfaces.mcp.results import Executed, Rewound, Saved, Started, Stopped, Variables
from octavo.surfaces.mcp.tools.notebooks import Budget, refuse_missing
from octavo.surfaces.mcp.tools.runs import RequestId, Wait

Session = Annotated[str, Field(max_length=100, description="The `session` of session_start")]
SessionCell = Annotated[
    int | str | None, Field(description="Index from 0, key, name or handle in its document")
]


_MOST_CODE = 2_000_000
#: Tokens of output in one answer, where the caller does not say.
_BUDGET = 2000
#: What an answer says once, and not of each of its parts.
_OF_THE_WHOLE = ("session", "lease_ends")
#: Seconds; what took less was quick.
_WORTH_TELLING = 1.0
_NOT_YET = "the code was not executed: the cells before it come first"


class SessionTools:
    """Sessions of the caller, and nobody else's."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def declared(self) -> list[Declared]:
        return [
            Declared(self.session_start, RUNS_CODE),
            Declared(self.session_execute, RUNS_CODE),
            Declared(self.session_variables, READS),
            Declared(self.session_rewind, RUNS_CODE),
            Declared(self.session_save, REPLACES),
            Declared(self.session_stop, REPLACES),
        ]

    async def session_start(
        self,
        notebook: Annotated[str, Field(description="Begin with its cells")] = "",
        parameters: Annotated[dict[str, Any], Field(description="Values of its parameters")] = {},  # noqa: B006
        restore: Annotated[
            str, Field(max_length=100, description="A session that ended: run its cells again")
        ] = "",
        cell: Annotated[
            int | str | None,
            Field(description='First run the notebook to this cell (or variable); "all": all'),
        ] = None,
        code: Annotated[str, Field(max_length=_MOST_CODE, description="Then execute it")] = "",
        scratch: Annotated[bool, Field(description="code in a copy: leaves no trace")] = False,
    ) -> Started:
        """Start a live session: a kernel whose state stays between calls, with a record of all
        that is executed. It ends when nobody calls for an hour."""
        if scratch and not code:
            raise _refused("scratch is for code", "give code, or leave it out", "session_start")
        began = time.monotonic()
        async with self._desk.bounds.new_session():
            info = await self._begun(notebook, parameters, restore)
        told = {"session": info.short, "status": info.state, "cells": info.cells or None}
        told |= {"lease_ends": info.lease_ends, "notes": list(info.notes)}
        if not code and cell is None:
            return Started(**told, next=f'session_execute(session="{info.short}", code=…)')
        try:
            done = await self._first(info.short, cell, code, scratch, began + self._desk.asking)
        except UsageError:
            # Nobody was told of the session, so nobody else would end it.
            await self.session_stop(info.short)
            raise
        return Started(**{**told, **done, "notes": [*info.notes, *(done.get("notes") or ())]})

    async def _first(
        self, session: str, cell: int | str | None, code: str, scratch: bool, ends: float
    ) -> dict[str, Any]:
        """What a new session executes at once: its notebook up to a cell, and then code, where
        that got so far in time."""
        done: dict[str, Any] = {}
        for step in ({"cell": cell},) * (cell is not None) + ({"code": code},) * bool(code):
            if done and done.get("status") != "succeeded":
                return {**done, "notes": [*(done.get("notes") or ()), _NOT_YET]}
            left = max(0.0, ends - time.monotonic())
            common = {"session": session, "wait": left, "budget": _BUDGET}
            in_copy = scratch and "code" in step
            done = await self._executed(*_asked(common=common, scratch=in_copy, **step))
        return done

    async def _begun(self, notebook: str, parameters: dict[str, Any], restore: str) -> Any:
        from octavo.sessions.requests import RestoreRequest, StartRequest

        if restore:
            self._refuse_others(restore)
            who, wait = caller().identity, self._desk.asking
            again = RestoreRequest(session=restore, owner=who, wait=wait)
            return await self._desk.operate("session restore", again)
        where = self._desk.path(notebook, "notebook") if notebook else None
        if where is not None:
            refuse_missing(self._desk, where)
        who = caller().identity
        request = StartRequest(where, values=parameters, owner=who)
        return await self._desk.operate("session start", request)

    async def session_execute(
        self,
        session: Session,
        code: Annotated[str, Field(max_length=_MOST_CODE, description="Empty: run `cell`")] = "",
        cell: Annotated[
            int | str | None,
            Field(description='With code: edit it and run it; alone: run it; "all": the rest'),
        ] = None,
        scratch: Annotated[bool, Field(description="In a copy: leaves no trace")] = False,
        expect: Annotated[str, Field(description="With cell: handle that it must have")] = "",
        wait: Wait = 30,
        request_id: RequestId = "",
        budget: Budget = _BUDGET,
    ) -> Executed:
        """Execute code in a session as a new cell, or edit and run a cell of its document: the
        state first goes back to before that cell, so there is never hidden state."""
        self._refuse_others(session)
        common: dict[str, Any] = {
            "session": session,
            "wait": min(wait, self._desk.asking),
            "request_id": request_id or None,
            "budget": budget,
        }
        asked = _asked(code, cell, scratch, expect, common=common)
        return Executed(**await self._executed(*asked))

    async def _executed(self, operation: str, request: Any) -> dict[str, Any]:
        """What an execution came to; whoever asked knows in which session."""
        answer = (await self._desk.operate(operation, request)).to_json()
        if answer.get("executed"):
            answer["executed"] = [_slim(_once(each)) for each in answer["executed"]]
        told = {**_once(answer), "next": _next(answer)}
        if (told.get("seconds") or 0.0) < _WORTH_TELLING:
            told.pop("seconds", None)
        if answer.get("status") not in UNDER_WAY:
            told.pop("job", None)
        return {name: each for name, each in told.items() if name != "session"}

    async def session_variables(
        self,
        session: Session,
        name: Annotated[
            str, Field(description="One variable in part (df, config['path']); empty: the list")
        ] = "",
        pattern: Annotated[str, Field(description="Only names like df*")] = "",
        rows: Annotated[int, Field(ge=1, le=200)] = 10,
        packages: Annotated[bool, Field(description="Packages of the environment")] = False,
    ) -> Variables:
        """What is in a session: names, types, shapes, sizes, previews; data frames with column
        types and missing counts."""
        from octavo.sessions.requests import PreviewRequest, VarsRequest

        self._refuse_others(session)
        if name:
            request = PreviewRequest(session=session, variable=name, rows=rows)
            shown = (await self._desk.operate("session preview", request)).to_json()
            return Variables(session=session, preview=_without_session(shown))
        asked = VarsRequest(session=session, pattern=pattern, packages=packages)
        listed = (await self._desk.operate("session vars", asked)).to_json()
        found = listed.get("variables") or listed.get("packages") or []
        rest = {name: listed.get(name) for name in ("notes", "lease_ends", "omitted")}
        return Variables.model_validate({"session": session, "variables": found, **rest})

    async def session_rewind(
        self,
        session: Session,
        cell: Annotated[int | str, Field(description="Go back to the state before this cell")],
        restore_files: Annotated[
            bool, Field(description="Also bring back files of the working directory")
        ] = False,
    ) -> Rewound:
        """Take steps back: the state is as before a cell; later cells stay in the document. Tells
        which files changed since."""
        from octavo.sessions.requests import RewindRequest

        self._refuse_others(session)
        request = RewindRequest(session=session, cell=str(cell), restore_files=restore_files)
        return Rewound(**(await self._desk.operate("session rewind", request)).to_json())

    async def session_save(
        self,
        session: Session,
        path: Annotated[str, Field(description="Default: the session's notebook")] = "",
        force: Annotated[bool, Field(description="Also over a file changed meanwhile")] = False,
    ) -> Saved:
        """Write what was done as a clean notebook (.py, .md or .ipynb)."""
        from octavo.sessions.requests import SaveRequest

        self._refuse_others(session)
        where = self._desk.path(path) if path else None
        request = SaveRequest(session=session, path=where, force=force)
        saved = (await self._desk.operate("session save", request)).to_json()
        shown = saved.get("path") or where
        return Saved.model_validate(
            {**saved, "session": session, "next": f'notebook_execute(path="{shown}")'}
        )

    async def session_stop(self, session: Session) -> Stopped:
        """End a session and its kernel. Its record stays (run_result)."""
        from octavo.sessions.requests import StopRequest

        self._refuse_others(session)
        done = await self._desk.operate("session stop", StopRequest(session=session))
        return Stopped(**done.to_json(), status="stopped")

    def _refuse_others(self, session: str) -> None:
        if not self._desk.owners.has(session, caller().identity):
            raise UsageError(
                "session-not-found",
                f"there is no session {session[:80]!r}",
                hint="session_start begins one, and tells its id",
            )


def _asked(
    code: str = "",
    cell: int | str | None = None,
    scratch: bool = False,
    expect: str = "",
    *,
    common: dict[str, Any],
) -> tuple[str, Any]:
    """The operation that is meant, and its request."""
    from octavo.sessions.requests import (
        EditCellRequest,
        ExecRequest,
        RunAllRequest,
        RunCellRequest,
    )

    if scratch and (cell is not None or not code):
        raise _refused("scratch is for code without a cell", "leave cell out")
    if expect and (cell is None or not code):
        raise _refused("expect is for code with a cell", "name the cell, or leave expect out")
    if cell is None:
        if not code:
            raise _refused("there is neither code nor cell", "give code, or a cell to run")
        return "session exec", ExecRequest(code=_literal(code), scratch=scratch, **common)
    if code:
        request = EditCellRequest(
            cell=str(cell), source=_literal(code), run=True, expect=expect or None, **common
        )
        return "session edit", request
    if cell == "all":
        return "session run-all", RunAllRequest(**common)
    return "session run-cell", RunCellRequest(cell=str(cell), **common)


def _literal(code: str) -> str:
    """A lone dash is code here; on the command line it stands for standard input."""
    return "-\n" if code == "-" else code


def _next(answer: dict[str, Any]) -> str | None:
    """What to call next, in the names of these tools."""
    if answer.get("status") in ("running", "queued"):
        return f'job_wait(job="{answer.get("job")}")'
    if answer.get("status") == "kernel-died":
        return str(answer["next"])
    last = (answer.get("executed") or [answer])[-1]
    cell = (last.get("cell") or {}).get("key")
    if answer.get("status") == "failed" and cell:
        return f'session_execute(session="{answer["session"]}", cell="{cell}", code=…)'
    return None


def _once(executed: dict[str, Any]) -> dict[str, Any]:
    """An execution that tells its error once, and of its cell what one needs to name it."""
    told = dict(executed)
    if told.get("error") and told.get("outputs"):
        told["outputs"] = [each for each in told["outputs"] if each != told["error"]]
    cell = told.get("cell") or {}
    told["cell"] = {name: cell[name] for name in ("key", "handle") if cell.get(name)}
    return told


def _slim(executed: dict[str, Any]) -> dict[str, Any]:
    """One of several executions, without what the whole answer tells."""
    told = {name: each for name, each in executed.items() if each not in (None, "", [], {})}
    told["seconds"] = round(told.get("seconds") or 0.0, 2)
    return {name: each for name, each in told.items() if name not in (*_OF_THE_WHOLE, "job")}


def _without_session(plain: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in plain.items() if name not in _OF_THE_WHOLE}


def _refused(message: str, hint: str, tool: str = "session_execute") -> UsageError:
    return UsageError("wrong-argument", message, place=tool, hint=hint)
