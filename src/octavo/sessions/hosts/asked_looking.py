"""What goes on in a session, what is in it, and its end."""

from __future__ import annotations

from typing import Any

from octavo.events.types import BoundCell
from octavo.sessions.hosts.desk import Desk, Tell
from octavo.sessions.hosts.executing import Wanted
from octavo.sessions.values import Answer, Done, Shown


async def job(desk: Desk, given: dict[str, Any], follow: Tell | None) -> Answer:
    """How far an execution has come; with `wait`, after at most so many seconds."""
    known = desk.live.turns.known(given.get("request_id"))
    work = known or desk.work_of(given.get("cell"))
    wait = given.get("wait")
    await desk.waited(work, 0.0 if wait is None else float(wait), follow)
    teller, document, lease = desk.live.teller, desk.live.document, desk.live.renew()
    if work.op == "run-all":
        return teller.all(work, document, lease)
    return teller.one(work, document, lease)


async def jobs(desk: Desk, given: dict[str, Any], follow: Tell | None) -> dict[str, Any]:
    """What is executed now and what waits."""
    live = desk.live
    return {
        "jobs": [
            {
                "job": f"{live.short}.{work.cell}",
                "status": "running" if work.begun else "queued",
            }
            for work in live.turns.alive()
        ],
        "lease_ends": live.lease_ends,
    }


async def cancel(desk: Desk, given: dict[str, Any], follow: Tell | None) -> Done:
    """Give up a piece of work: interrupted when it has begun, never begun otherwise."""
    work = desk.work_of(given.get("cell"))
    live = desk.live
    if work.done:
        return Done(live.short, "ended", lease_ends=live.lease_ends)
    if live.turns.running is work:
        work.cancelled = True
        await desk.interrupt()
        return Done(live.short, "interrupted", lease_ends=live.lease_ends)
    code = getattr(work.request, "code", "")
    request = work.request.request_id
    live.executor.not_run(Wanted(BoundCell("code", code, ""), request=request), work.cell)
    live.turns.give_up(work)
    return Done(live.short, "cancelled", lease_ends=live.lease_ends)


async def interrupt(desk: Desk, given: dict[str, Any], follow: Tell | None) -> Done:
    live = desk.live
    if live.turns.running is None:
        note = "nothing was being executed"
        return Done(live.short, "nothing", notes=(note,), lease_ends=live.lease_ends)
    live.turns.running.cancelled = True
    await desk.interrupt()
    return Done(live.short, "interrupted", lease_ends=live.lease_ends)


async def info(desk: Desk, given: dict[str, Any], follow: Tell | None) -> Answer:
    return desk.live.info


async def show(desk: Desk, given: dict[str, Any], follow: Tell | None) -> Shown:
    live = desk.live
    current = live.executor.current
    running = current.wanted.key if current is not None and current.finished is None else ""
    told = (live.document.info(index) for index in range(len(live.document.cells)))
    cells = tuple(
        each.replace(status="running") if running and each.key == running else each for each in told
    )
    return Shown(live.info, cells, live.document.position, lease_ends=live.renew())


async def document(desk: Desk, given: dict[str, Any], follow: Tell | None) -> dict[str, Any]:
    """The document itself, for whoever writes it to a file."""
    live, document = desk.live, desk.live.document
    cells = [
        {
            "key": each.key,
            "kind": each.cell.kind,
            "source": each.cell.source,
            "metadata": dict(each.cell.metadata),
            "id": each.cell.id,
            "attachments": each.cell.attachments,
            "line": each.cell.line,
            "origin": each.origin,
            "skipped": each.skipped,
            "info": document.info(index).to_json(),
        }
        for index, each in enumerate(document.cells)
    ]
    return {
        "id": live.recording.id,
        "cells": cells,
        "metadata": dict(document.metadata),
        "position": document.position,
        "line": list(document.line),
        "unproven": document.unproven,
        "notebook": live.facts.notebook,
        "project": live.facts.project,
        "record": str(live.recording.path),
        "lease_ends": live.lease_ends,
    }


async def stop(desk: Desk, given: dict[str, Any], follow: Tell | None) -> Done:
    await desk.stop(str(given.get("message") or ""))
    return Done(desk.live.short, "stopped")
