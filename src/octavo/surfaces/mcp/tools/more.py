"""Tools of more toolsets, made from the table of operations: arguments, help and all."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from octavo.app.table import find, load
from octavo.errors import UsageError
from octavo.requests import REQUIRED, Request
from octavo.surfaces.mcp.caller import caller
from octavo.surfaces.mcp.declaring import (
    ADDS_TO_FORGE,
    READS,
    READS_FORGE,
    REPLACES,
    RUNS_CODE,
    Declared,
    Hints,
)
from octavo.surfaces.mcp.desk import Desk
from octavo.surfaces.mcp.naming import run_named
from octavo.surfaces.mcp.processes import Processes
from octavo.surfaces.mcp.results import Anything
from octavo.surfaces.mcp.tools.steps import anything
from octavo.value import Value

_CELL = re.compile(r"-?[0-9]{1,6}|c[0-9]{1,6}|")
_TYPES: dict[str, Any] = {"str": str, "int": int, "float": float, "bool": bool}


class Extra(Value):
    """An operation of the table as a tool: which of its fields are shown, and what they name."""

    tool: str
    operation: str
    hints: Hints
    fields: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    #: Cells, or other sessions of the caller's.
    states: tuple[str, ...] = ()
    #: Whether there is one more session then.
    begins: bool = False
    #: Done in a process of its own, under a name of this kind, because it may take long.
    apart: str = ""


MORE: dict[str, tuple[Extra, ...]] = {
    "notebooks": (
        Extra("notebook_inspect", "inspect", READS, ("path",), paths=("path",)),
        Extra("notebook_lint", "lint", READS, ("paths", "errors_only"), paths=("paths",)),
        Extra(
            "notebook_graph",
            "graph",
            READS,
            ("path", "downstream", "upstream"),
            paths=("path",),
        ),
    ),
    "sessions": (
        Extra("session_list", "session list", READS, ("all",)),
        Extra("session_show", "session show", READS, ("session",), sessions=("session",)),
        Extra(
            "session_interrupt",
            "session interrupt",
            REPLACES,
            ("session",),
            sessions=("session",),
        ),
        Extra("session_restart", "session restart", REPLACES, ("session",), sessions=("session",)),
        Extra(
            "session_branch",
            "session branch",
            RUNS_CODE,
            ("session", "cell", "name"),
            sessions=("session",),
            begins=True,
        ),
        Extra(
            "session_restore",
            "session restore",
            RUNS_CODE,
            ("session",),
            sessions=("session",),
            begins=True,
        ),
        Extra(
            "session_diff",
            "session diff",
            # Where there is no snapshot, cells are executed again in another kernel.
            RUNS_CODE,
            ("session", "before", "after"),
            sessions=("session",),
            states=("before", "after"),
        ),
        Extra(
            "session_promote",
            "session promote",
            RUNS_CODE,
            ("session", "path", "parameter"),
            paths=("path",),
            sessions=("session",),
            apart="promote",
        ),
    ),
    "proposals": (
        Extra("proposals_list", "proposals", READS_FORGE, ("state", "limit")),
        Extra(
            "notebook_propose",
            "propose",
            RUNS_CODE,
            ("path", "message", "title", "issue", "draft", "branch", "base"),
            paths=("path",),
            apart="propose",
        ),
        Extra(
            "proposal_comment",
            "comment",
            ADDS_TO_FORGE,
            ("number", "text", "path", "line", "cell"),
            paths=("path",),
            apart="comment",
        ),
    ),
    "archive": (
        Extra("runs_compare", "compare", READS, ("a", "b"), runs=("a", "b")),
        Extra(
            "runs_archive",
            "archive",
            ADDS_TO_FORGE,
            ("runs", "push"),
            runs=("runs",),
            apart="archive",
        ),
        Extra(
            "run_export",
            "export",
            REPLACES,
            ("what", "to", "output", "no_code"),
            paths=("output",),
            runs=("what",),
            apart="export",
        ),
    ),
}


def more_tools(desk: Desk, processes: Processes, toolsets: Sequence[str]) -> list[Declared]:
    """The tools of these toolsets; operations that are not there yet are left out."""
    return [
        _declared(desk, processes, extra)
        for name in toolsets
        for extra in MORE[name]
        if find(extra.operation) is not None
    ]


def _declared(desk: Desk, processes: Processes, extra: Extra) -> Declared:
    entry = find(extra.operation)
    assert entry is not None
    request: Any = load(entry.request)

    async def call(**arguments: Any) -> Anything:
        given = {name: each for name, each in arguments.items() if each is not None}
        for name in extra.runs:
            # What is meant by default is looked for among the caller's runs too.
            given.setdefault(name, request.shown[name].default or ["last"])
        checked = {name: await _checked(desk, extra, name, each) for name, each in given.items()}
        asked = request(**checked, **_owned(request))
        if extra.apart:
            return anything(await processes.operate(extra.apart, extra.operation, asked))
        if extra.begins:
            async with desk.bounds.new_session():
                result = await desk.operate(extra.operation, asked)
        else:
            result = await desk.operate(extra.operation, asked)
        return anything(_mine(desk, extra, result.to_json()))

    call.__signature__ = _signature(request, extra)  # type: ignore[attr-defined]
    return Declared(call, extra.hints, extra.tool, f"{entry.help[0].upper()}{entry.help[1:]}")


def _owned(request: type[Request]) -> dict[str, Any]:
    """Sessions are told whose they are."""
    return {"owner": caller().identity} if "owner" in request._fields else {}


def _signature(request: type[Request], extra: Extra) -> inspect.Signature:
    parameters = []
    for name in extra.fields:
        shown = request.shown[name]
        kind = _kind(request.kinds[name])
        help = shown.help.partition(";")[0]
        required = shown.default is REQUIRED
        parameters.append(
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if required else None,
                annotation=Annotated[kind if required else kind | None, Field(description=help)],
            )
        )
    return inspect.Signature(parameters, return_annotation=Anything)


def _kind(spelled: str) -> Any:
    return list[str] if spelled.startswith("tuple") else _TYPES[spelled.partition(" ")[0]]


async def _checked(desk: Desk, extra: Extra, name: str, value: Any) -> Any:
    """A value that an operation takes, after a look at what it names."""
    many = isinstance(value, list)
    values = value if many else [value]
    if name in extra.paths:
        values = [desk.path(each, name) if each else each for each in values]
    if name in extra.runs:
        values = [await _run(desk, str(each)) for each in values]
    for each in values:
        if name in extra.sessions or (name in extra.states and not _CELL.fullmatch(str(each))):
            _refuse_session(desk, str(each))
    return tuple(values) if many else values[0]


def _refuse_session(desk: Desk, name: str) -> None:
    if not desk.owners.has(name, caller().identity):
        message = f"there is no session {name[:80]!r}"
        raise UsageError("session-not-found", message, hint="session_start begins one")


async def _run(desk: Desk, name: str) -> str:
    """A notebook of the project, or the whole id of a run that the caller may look at."""
    if os.path.exists(os.path.join(desk.project, name)):
        return desk.path(name)
    return await run_named(desk, name)


def _mine(desk: Desk, extra: Extra, plain: Any) -> Any:
    if extra.tool != "session_list" or not isinstance(plain, dict):
        return plain
    sessions = plain.get("sessions") or []
    who = caller().identity
    return {**plain, "sessions": [each for each in sessions if desk.owners.has(each["id"], who)]}
