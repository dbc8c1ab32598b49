"""The operations on sessions, as every surface calls them."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from octavo.errors import UsageError
from octavo.requests import Request
from octavo.runs.context import Said
from octavo.sessions import places
from octavo.sessions.client import SessionClient
from octavo.sessions.context import SessionContext
from octavo.sessions.hosts.spawning import spawn
from octavo.sessions.requests import (
    BranchRequest,
    EditCellRequest,
    ExecRequest,
    InterruptRequest,
    ListRequest,
    RestartRequest,
    RestoreRequest,
    RewindRequest,
    RunAllRequest,
    RunCellRequest,
    ShowRequest,
    StartRequest,
    StopRequest,
)
from octavo.sessions.values import (
    UNDER_WAY,
    Done,
    Edited,
    Executed,
    ExecutedAll,
    Rewound,
    SessionInfo,
    Sessions,
    SessionState,
    Shown,
)

STANDARD = "-"
#: A list does not wait longer for one that hangs.
ANSWERS_WITHIN = 5.0
_EXECUTING = ("exec", "run-cell", "run-all", "edit")


async def start(request: StartRequest, context: SessionContext) -> SessionInfo:
    """Begin a session; it goes on when this program has ended."""
    from octavo.sessions.hosts.beginning import check

    check(request)
    return SessionInfo.from_json(await spawn(_plain(request), context))


async def execute(request: ExecRequest, context: SessionContext) -> Executed:
    """Execute code as a new cell."""
    asked = request.replace(code=_text(request.code))
    return Executed.from_json(await _asked("exec", asked, context))


async def run_cell(request: RunCellRequest, context: SessionContext) -> Executed:
    """Execute a cell of the document in the state before it."""
    return Executed.from_json(await _asked("run-cell", request, context))


async def run_all(request: RunAllRequest, context: SessionContext) -> ExecutedAll:
    """Execute what is not in the state yet."""
    return ExecutedAll.from_json(await _asked("run-all", request, context))


async def edit(request: EditCellRequest, context: SessionContext) -> Edited | Executed:
    """Change the document, and execute what was changed if that is asked for."""
    _check_edit(request)
    asked = request.replace(source=_text(request.source))
    answer = await _asked("edit", asked, context)
    executes = request.run or request.only_affected
    return Executed.from_json(answer) if executes else Edited.from_json(answer)


async def show(request: ShowRequest, context: SessionContext) -> Shown:
    """The cells of a session and their statuses."""
    return Shown.from_json(await _asked("show", request, context))


async def interrupt(request: InterruptRequest, context: SessionContext) -> Done:
    """End what is being executed, as Ctrl-C does."""
    return Done.from_json(await _asked("interrupt", request, context))


async def restart(request: RestartRequest, context: SessionContext) -> Done:
    """A new kernel; the document stays."""
    return Done.from_json(await _asked("restart", request, context))


async def rewind(request: RewindRequest, context: SessionContext) -> Rewound:
    """Go back to the state before a cell."""
    return Rewound.from_json(await _asked("rewind", request, context))


async def stop(request: StopRequest, context: SessionContext) -> Done:
    """End a session; its record stays. One that is dead already is forgotten."""
    place = places.find(context.runtime, request.session)
    connection = place.connect()
    if connection is None:
        place.forget()
        context.store(str(place.note.get("project") or context.cwd))
        return Done(place.short, "forgotten", notes=("it was dead already",))
    async with SessionClient(place, connection) as client:
        return Done.from_json(await client.call("stop"))


async def restore(request: RestoreRequest, context: SessionContext) -> SessionInfo:
    """A new session from the record of one that ended; its cells are executed again."""
    from octavo.sessions.hosts.restoring import Past

    place, folder = _ended(request, context)
    past = Past(folder)
    asked = past.request(request.lease, request.owner)
    answer = await spawn(asked, context, restore=str(folder))
    if place is not None:
        place.forget()
    info = SessionInfo.from_json(answer)
    if not past.again:
        return info
    async with await SessionClient.open(context.runtime, info.id) as client:
        wait = 1e8 if request.wait is None else request.wait
        done = await client.call("job", request_id="restore", wait=wait)
        told = SessionInfo.from_json(await client.call("info"))
    if done["status"] not in UNDER_WAY:
        return told
    going_on = f"they are being executed: octavo job wait {done['job']}"
    return told.replace(notes=(*told.notes, going_on))


def _ended(request: RestoreRequest, context: SessionContext) -> tuple[places.Place | None, Path]:
    """Where the record of a session lies that is not alive."""
    place = places.noted(context.runtime, request.session)
    if place is None:
        return None, _recorded(request, context)
    if place.answers():
        hint = f"octavo session show {place.short}"
        raise UsageError("session-busy", f"the session {place.short} is alive", hint=hint)
    folder = Path(str(place.note.get("record") or ""))
    context.store(str(folder))
    return place, folder


def _recorded(request: RestoreRequest, context: SessionContext) -> Path:
    """The record that an id means, or else a name: that of the last session that had it."""
    from octavo.sessions.past import ended

    word, store = request.session, context.store(context.cwd)
    with suppress(UsageError):
        return store.find(word).path
    named = [each for each in ended(context, request.owner or None) if word and each.name == word]
    if named:
        return store.find(named[-1].id).path
    raise UsageError(
        "session-not-found",
        f"there is no session {word!r}, living or ended, in this project",
        hint="octavo session list --all",
    )


async def branch(request: BranchRequest, context: SessionContext) -> SessionInfo:
    """A second session that goes on from the state of this one."""
    return SessionInfo.from_json(await _asked("branch", request, context))


async def listed(request: ListRequest, context: SessionContext) -> Sessions:
    """Those of this project; with `all` those of every project, and of this what has ended."""
    here = [
        place
        for place in places.places(context.runtime)
        if _is_of(place, request) and (request.all or place.is_in(context.project))
    ]
    found = list(await asyncio.gather(*map(_info, here)))
    if request.all:
        from octavo.sessions.past import ended

        alive = {each.id for each in found}
        found = [*(each for each in ended(context, request.owner) if each.id not in alive), *found]
    return Sessions(tuple(found))


def _is_of(place: places.Place, request: ListRequest) -> bool:
    return request.owner is None or place.note.get("owner", "") == request.owner


async def _info(place: places.Place) -> SessionInfo:
    told = place.asleep
    if told is not None:
        return SessionInfo.from_json(told)
    connection = place.connect()
    if connection is None:
        return _dead(place)
    try:
        async with SessionClient(place, connection) as client, asyncio.timeout(ANSWERS_WITHIN):
            return SessionInfo.from_json(await client.call("info"))
    except TimeoutError:
        return _noted(place, "busy", f"its process {place.note.get('pid')} does not answer")
    except Exception:
        return _dead(place)


def _dead(place: places.Place) -> SessionInfo:
    return _noted(place, "dead", f"octavo session restore {place.short} executes its cells again")


def _noted(place: places.Place, state: SessionState, why: str) -> SessionInfo:
    """What is known of a session that tells nothing itself."""
    note = place.note
    return SessionInfo(
        id=place.id,
        state=state,
        notebook=note.get("notebook"),
        project=str(note.get("project") or ""),
        engine=str(note.get("engine") or ""),
        python=str(note.get("python") or ""),
        pid=int(note.get("pid") or 0),
        started=float(note.get("started") or 0.0),
        name=str(note.get("name") or ""),
        parent=note.get("parent"),
        notes=(why,),
    )


async def _asked(op: str, request: Any, context: SessionContext) -> Any:
    async with await SessionClient.open(context.runtime, request.session) as client:
        arguments = _plain(request)
        del arguments["session"]
        try:
            heard = context.heard if op in _EXECUTING else None
            return await client.call(op, on_event=heard, **arguments)
        except asyncio.CancelledError:
            if op in _EXECUTING:
                short = client.place.short
                stop = f"octavo session interrupt {short} ends it"
                context.emit(Said(f"the session {short} goes on executing; {stop}"))
            raise


def _plain(request: Request) -> dict[str, Any]:
    """The fields that say something else than usual."""
    return {
        name: value
        for name in request._fields
        if (value := getattr(request, name)) != getattr(type(request), name, None)
        or not hasattr(type(request), name)
    }


def _text(given: str) -> str:
    """The code that a word stands for."""
    if given != STANDARD:
        return given
    return sys.stdin.buffer.read().decode("utf-8", "replace") if sys.stdin else ""


def _check_edit(request: EditCellRequest) -> None:
    if request.delete and (request.insert or request.source):
        raise UsageError(
            "wrong-argument",
            "--delete leaves nothing to be changed",
            place="octavo session edit",
            hint="give one or the other",
        )
    if not request.delete and not request.source and not request.insert:
        raise UsageError(
            "wrong-argument",
            "SOURCE is missing: the new source of the cell",
            place="octavo session edit",
            hint="octavo session edit 0f3a9c21 2 'x = 2' --run; - reads it from standard input",
        )
