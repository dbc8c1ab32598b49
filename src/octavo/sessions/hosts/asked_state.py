"""What is asked about the state of a session: going back, branching, looking into it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from octavo.events.types import StateRestored
from octavo.sessions.document import Plan
from octavo.sessions.files.workplace import BEGINNING
from octavo.sessions.hosts.desk import Desk, Tell, address
from octavo.sessions.hosts.live import Live, check_arguments
from octavo.sessions.hosts.work import Work
from octavo.sessions.requests import BranchRequest, RewindRequest
from octavo.sessions.values import Answer, Done, Rewound

#: The longest that a look into a kernel may take.
LOOK = 10.0
_NOT_NOTED = (
    "what lay in the working directory then is not known, because it has so many files: "
    "what was written since is neither told nor brought back"
)


async def restart(desk: Desk, given: dict[str, Any], follow: Tell | None) -> Done:
    """A new kernel. Work that is under way is given up."""
    live = desk.live
    if live.lab is not None and live.lives.alive:
        live.lab.refuse_restart()
    for work in live.turns.alive():
        work.cancelled = True
    current, kernel = live.executor.current, live.lives.kernel
    if live.turns.running is not None and kernel is not None:
        if current is not None:
            current.interrupted = True
        await kernel.kill()

    async def do(work: Work) -> None:
        await live.calm()
        await live.keeping.forget_all()
        live.document = live.document.lost()
        await live.restart()
        live.recording.write(StateRestored(time.time(), (), "restarted"))

    await desk.settled(do)
    return Done(
        live.short,
        "restarted",
        lease_ends=live.renew(),
        next=f"octavo session run-all {live.short} executes its cells again",
    )


async def rewind(desk: Desk, given: dict[str, Any], follow: Tell | None) -> Rewound:
    """Go back to the state before a cell."""
    request: RewindRequest = check_arguments(RewindRequest, {"session": "", **given})
    live = desk.live
    _wanted(live, request.cell)
    plans: list[Plan] = []
    files: list[Mapping[str, Any]] = []

    async def do(work: Work) -> None:
        index = _wanted(live, request.cell)

        def make() -> Plan:
            plans.append(live.document.plan_rewind(index, live.snapshots))
            return plans[-1]

        if live.workplace is None:
            await live.obey(work, make)
            return
        number = _listing(desk, make(), index)
        found = await live.workplace.since(number, restore=request.restore_files)
        files.extend(each.to_json() for each in found)
        if live.workplace.is_missing(number):
            work.note(_NOT_NOTED)
        await live.obey(work, make)

    work = await desk.settled(do)
    plan = plans[-1]
    how: Any = "nothing"
    if plan.goes_back:
        how = "snapshot" if plan.resume is not None else "restarted"
        how = "executed-again" if plan.again else how
    return Rewound(
        session=live.short,
        position=live.document.position,
        how=how,
        files=tuple(files),
        notes=tuple(work.notes),
        lease_ends=live.renew(),
        next=_bring_back(live.short, request, files),
    )


def _wanted(live: Live, cell: str) -> int:
    """The cell before which the state is wanted; one more than the last is as it stands."""
    count = len(live.document.cells)
    return count if address(cell) == count else live.document.find(address(cell))


def _listing(desk: Desk, plan: Plan, index: int) -> int:
    """The snapshot whose files are those before a cell, or before what is executed again."""
    live = desk.live
    wanted = live.document.at(index).runnable(index)
    mark = live.snapshots.best(wanted)
    if mark is not None and (plan.goes_back or len(mark.steps) == len(wanted)):
        return mark.id
    return BEGINNING if plan.goes_back or not wanted else -1


async def branch(desk: Desk, given: dict[str, Any], follow: Tell | None) -> Answer:
    """Another session that goes on from the state before a cell, or as it stands."""
    from octavo.sessions.hosts.branching import branched

    request: BranchRequest = check_arguments(BranchRequest, {"session": "", **given})
    live = desk.live
    made: list[Live] = []

    async def do(work: Work) -> None:
        await desk.at_position(work)
        cell = request.cell
        index = None if cell is None else live.document.find(address(cell))
        here = await desk.copy_here() if index is None else None
        made.append(await branched(live, index, here, request.name))

    await desk.settled(do)
    assert desk.serve is not None
    await desk.serve(made[0])
    return made[0].info


async def ask(desk: Desk, given: dict[str, Any], follow: Tell | None) -> dict[str, Any]:
    """Look into the kernel with a function of the runtime. Where the state is not that of the
    document, cells are executed before; with `as_is` nothing is, and the state is told of."""
    function, arguments = str(given.get("function")), dict(given.get("arguments") or {})
    seconds = min(LOOK, float(given.get("seconds") or LOOK))
    found: list[Any] = []
    notes: list[str] = []
    live = desk.live
    if given.get("before") is not None:
        return await _ask_before(desk, given["before"], function, arguments, seconds)

    async def do(work: Work) -> None:
        await live.calm()
        if not live.lives.alive:
            raise live.no_kernel()
        if given.get("as_is"):
            notes.append(await desk.near_position(work))
        else:
            await desk.at_position(work)
        found.append(await live.lives.ask(function, arguments, seconds))

    await desk.settled(do)
    clean = live.recording.clean(found[0])
    return {"value": clean, "notes": list(filter(None, notes)), "lease_ends": live.renew()}


async def _ask_before(
    desk: Desk, cell: Any, function: str, arguments: dict[str, Any], seconds: float
) -> dict[str, Any]:
    """Look into the state before a cell; `no_snapshot` where there is no copy of it."""
    from octavo.sessions.hosts.earlier import NoSnapshot, ask_before

    live = desk.live
    index = live.document.find(address(cell))
    found: dict[str, Any] = {"before": index}
    if not live.document.runnable(index):
        return {**found, "value": None, "lease_ends": live.renew()}

    async def do(work: Work) -> None:
        await live.calm()
        try:
            said = await ask_before(live, index, function, arguments, seconds)
            found["value"] = live.recording.clean(said)
        except NoSnapshot:
            found["no_snapshot"] = True

    await desk.settled(do)
    return {**found, "lease_ends": live.renew()}


def _bring_back(short: str, request: RewindRequest, files: list[Mapping[str, Any]]) -> str:
    if not files or request.restore_files:
        return ""
    cell = request.cell
    return f"octavo session rewind {short} {cell} --restore-files brings the files back"
