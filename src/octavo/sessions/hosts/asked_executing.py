"""What executes code in a session."""

from __future__ import annotations

from typing import Any

from octavo.errors import UsageError
from octavo.events.types import BoundCell
from octavo.kernels.port import Copying
from octavo.sessions.document import Plan
from octavo.sessions.hosts.desk import Desk, Tell, address
from octavo.sessions.hosts.executing import Wanted
from octavo.sessions.hosts.live import check_arguments
from octavo.sessions.hosts.work import Work
from octavo.sessions.requests import ExecRequest, RunAllRequest, RunCellRequest
from octavo.sessions.values import Executed, ExecutedAll

#: The number of a copy that is not kept.
_PASSING = -1


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
    await live.look_around()
    if work.cancelled:
        await live.lives.drop(_PASSING)
        live.give_up(work, bound)
        return
    if number is None:
        why = live.lives.refused or "this kind of kernel cannot be copied"
        work.note(f"executed in the kernel itself, because {why}; it may have left traces")
        execution = await live.execute(work, bound, "scratch")
        if live.lives.alive:
            live.document = live.document.executed_other(code, execution.cell)
        _raise(execution.failure)
        return
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
    _raise(execution.failure)


async def _copied(desk: Desk) -> int | None:
    """The number of a copy of the state, also of one that no step back could use."""
    number = await desk.copy_here()
    if number is not None or desk.live.lives.refused:
        return number
    return _PASSING if await desk.live.lives.copy(_PASSING) else None


def _raise(failure: Exception | None) -> None:
    if failure is not None:
        raise failure
