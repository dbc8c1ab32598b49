"""Edits of a session's document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from octavo.errors import ConflictError, UsageError
from octavo.sessions.document import Plan
from octavo.sessions.hosts import drafting
from octavo.sessions.hosts.desk import Desk, Tell, address
from octavo.sessions.hosts.live import check_arguments
from octavo.sessions.hosts.work import Work
from octavo.sessions.requests import EditCellRequest
from octavo.sessions.values import Answer, Edited


class _Applied:
    """An edit of the document, and the key of the cell that it is about."""

    def __init__(self, op: Any, key: str | None) -> None:
        self.op = op
        self.key = key


async def edit(desk: Desk, given: dict[str, Any], follow: Tell | None) -> Answer:
    request: EditCellRequest = check_arguments(EditCellRequest, {"session": "", **given})
    if not (request.run or request.only_affected):
        return await _edited(desk, request)

    async def do(work: Work) -> None:
        live = desk.live
        _refuse_text(desk, request)
        key = (await _apply(desk, request, work.note)).key
        if key is None:
            await live.obey(work, lambda: live.document.plan_all(live.snapshots))
            return

        def make() -> Plan:
            if request.only_affected:
                return live.document.plan_affected(live.snapshots)
            return live.document.plan_cell(live.document.find(key), live.snapshots)

        await live.obey(work, make)

    return await desk.one("edit", request, do, follow)


async def _edited(desk: Desk, request: EditCellRequest) -> Edited:
    """An edit that executes nothing waits for nobody; what cannot be done now is refused."""
    notes: list[str] = []
    applied = await _apply(desk, request, notes.append)
    live, document = desk.live, desk.live.document
    index = None if applied.key is None else document.find(applied.key)
    return Edited(
        session=live.short,
        op=applied.op,
        cell=None if index is None else document.info(index),
        position=document.position,
        notes=tuple(notes),
        lease_ends=live.renew(),
        next=f"octavo session run-all {live.short}",
    )


async def _apply(desk: Desk, request: EditCellRequest, note: Callable[[str], None]) -> _Applied:
    """Edit the document, and before it the notebook that a Jupyter server has open."""
    live, document = desk.live, desk.live.document
    index = document.find(address(request.cell))
    document.check(index, request.expect)
    if live.turns.busy and not request.run and not request.only_affected:
        _refuse_meanwhile(desk, request, index)
    if live.lab is None:
        return _written(desk, request, index)
    key = document.cells[index].key
    told = await live.lab.edit(document, index, request)
    if told:
        note(told)
    applied = _written(desk, request, live.document.find(key))
    if applied.op == "insert":
        live.lab.inserted(applied.key)
    return applied


def _written(desk: Desk, request: EditCellRequest, index: int) -> _Applied:
    """Edit the document, and keep it as it is now."""
    applied = _write(desk, request, index)
    drafting.keep(desk.live)
    return applied


def _write(desk: Desk, request: EditCellRequest, index: int) -> _Applied:
    live, document = desk.live, desk.live.document
    if request.delete:
        live.document = document.deleted(index)
        return _Applied("delete", None)
    kind: Any = request.kind
    if request.insert:
        at = index + (request.insert == "after")
        live.document = document.inserted(at, request.source, kind)
        return _Applied("insert", live.document.cells[at].key)
    live.document = document.replaced(index, request.source)
    return _Applied("replace", live.document.cells[index].key)


def _refuse_text(desk: Desk, request: EditCellRequest) -> None:
    """What cannot be executed is refused before it is changed."""
    index = desk.live.document.find(address(request.cell))
    kind = request.kind if request.insert else desk.live.document.cells[index].cell.kind
    if kind != "code" and not request.delete:
        raise UsageError(
            "wrong-argument",
            f"a cell of {kind} cannot be executed",
            place=desk.live.short,
            hint="leave --run out",
        )


def _refuse_meanwhile(desk: Desk, request: EditCellRequest, index: int) -> None:
    """While something is executed, cells keep their places, and the state what it is made of."""
    document, current = desk.live.document, desk.live.executor.current
    each = document.cells[index]
    running = current is not None and current.status == "running" and current.wanted.key == each.key
    moves = request.insert or request.delete
    in_state = each.runs and index < document.position
    if not (running or moves or in_state):
        return
    raise ConflictError(
        "session-busy",
        "this cell is being executed" if running else "the session is executing other cells",
        place=desk.live.short,
        hint="wait for it, interrupt it, or give --run to queue the edit",
    )
