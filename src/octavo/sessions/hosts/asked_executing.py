"""What executes code in a session."""

from __future__ import annotations

from typing import Any

from octavo.errors import UsageError
from octavo.events.types import BoundCell
from octavo.kernels.port import Copying
from octavo.sessions.document import Plan
from octavo.sessions.hosts.desk import Desk, Tell, address
from octavo.sessions.hosts.executing import Wanted
from octavo.sessions.hosts.live import Live, check_arguments
from octavo.sessions.hosts.work import Work
from octavo.sessions.requests import ExecRequest, RunAllRequest, RunCellRequest
from octavo.sessions.values import Executed, ExecutedAll

#: The number of a copy, and of a look at the files, that is not kept.
_PASSING = -2
#: So many files are named.
_MOST_FILES = 5


async def execute(desk: Desk, given: dict[str, Any], follow: Tell | None) -> Executed:
    request: ExecRequest = check_arguments(ExecRequest, {"session": "", **given})

    if not request.code.strip():
        raise UsageError(
            "wrong-argument",
            "there is no code to execute",
            place=desk.live.short,
            hint=f"octavo session exec {desk.live.short} 'x = 1'; - reads it from standard input",
        )

    async def do(work: Work) -> None:
        if request.scratch:
            await _scratch(desk, work, request.code)
            return
        live = desk.live
        await live.calm()
        if not live.lives.alive:
            raise live.no_kernel()
        await live.obey(work, lambda: live.plan_exec(request.code))

    return await desk.one("exec", request, do, follow)


async def run_cell(desk: Desk, given: dict[str, Any], follow: Tell | None) -> Executed:
    request: RunCellRequest = check_arguments(RunCellRequest, {"session": "", **given})
    desk.live.document.find(address(request.cell))

    async def do(work: Work) -> None:
        live = desk.live
        index = live.document.find(address(request.cell))

        def make() -> Plan:
            return live.document.plan_cell(index, live.snapshots, live=request.only_affected)

        await live.obey(work, make)

    return await desk.one("run-cell", request, do, follow)


async def run_all(desk: Desk, given: dict[str, Any], follow: Tell | None) -> ExecutedAll:
    request: RunAllRequest = check_arguments(RunAllRequest, {"session": "", **given})

    async def do(work: Work) -> None:
        live = desk.live

        def make() -> Plan:
            if request.only_affected:
                return live.document.plan_affected(live.snapshots, to_end=True)
            return live.document.plan_all(live.snapshots, fresh=request.fresh)

        await live.obey(work, make)

    work = await desk.worked("run-all", request, do, follow)
    return desk.live.teller.all(work, desk.live.document, desk.live.renew())


async def _scratch(desk: Desk, work: Work, code: str) -> None:
    """In a copy that is thrown away; where there can be none, in the kernel itself."""
    live = desk.live
    await live.calm()
    if not live.lives.alive:
        raise live.no_kernel()
    await desk.at_position(work)
    bound = BoundCell("code", code, "")
    number = await _copied(desk) if isinstance(live.lives.kernel, Copying) else None
    await live.look_around(_PASSING)
    if work.cancelled:
        await live.lives.drop(_PASSING)
        live.give_up(work, bound)
        return
    try:
        if number is None:
            await _in_the_kernel(live, work, bound)
        else:
            await _in_a_copy(desk, work, bound, number)
    finally:
        await _tell_files(live, work)


async def _in_the_kernel(live: Live, work: Work, bound: BoundCell) -> None:
    why = live.lives.refused or "this kind of kernel cannot be copied"
    work.note(f"executed in the kernel itself, because {why}; it may have left traces")
    execution = await live.execute(work, bound, "scratch")
    if live.lives.alive:
        live.document = live.document.executed_other(bound.source, execution.cell)
    _raise(execution.failure)


async def _in_a_copy(desk: Desk, work: Work, bound: BoundCell, number: int) -> None:
    live = desk.live
    kernel, ear = await live.lives.beside(number)
    await live.lives.drop(_PASSING)
    wanted = Wanted(bound, "scratch", "", work.request.request_id, work.request.timeout)
    execution = live.executor.begin(wanted, work.take_cell())
    work.executions.append(execution)
    desk.beside = kernel
    try:
        await live.executor.run(kernel, execution)
    finally:
        desk.beside = None
        ear.closed = True
        await kernel.kill()
        live.executed_between(execution.started)
    _raise(execution.failure)


async def _tell_files(live: Live, work: Work) -> None:
    """Files outlive the copy: what was written is told, and how to bring it back. It is left until
    somebody asks, because others may have written there at the same time.
    """
    if live.workplace is None:
        return
    found = await live.workplace.since(_PASSING, restore=False)
    live.workplace.drop(_PASSING)
    if not found:
        return
    named = (each.to_json() for each in found[:_MOST_FILES])
    told = ", ".join(f"{each['path']} ({each['change']})" for each in named)
    more = f" and {len(found) - _MOST_FILES} more" if len(found) > _MOST_FILES else ""
    work.note(f"files were written meanwhile, and stay: {told}{more}")
    rewind = f"octavo session rewind {live.short} {live.document.position} --restore-files"
    work.advice = f"{rewind} brings the files back"


async def _copied(desk: Desk) -> int | None:
    """The number of a copy of the state, also of one that no step back could use."""
    number = await desk.copy_here()
    if number is not None or desk.live.lives.refused:
        return number
    return _PASSING if await desk.live.lives.copy(_PASSING) else None


def _raise(failure: Exception | None) -> None:
    if failure is not None:
        raise failure
