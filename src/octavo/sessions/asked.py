"""What can be asked of a live session over its socket: one method for each."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from octavo.errors import ConflictError, UsageError
from octavo.events.codec import to_dict
from octavo.events.types import BoundCell, Event, StateRestored
from octavo.kernels.port import Copying
from octavo.sessions.document import Plan
from octavo.sessions.executing import Wanted
from octavo.sessions.live import Live, check_arguments
from octavo.sessions.requests import (
    BranchRequest,
    EditCellRequest,
    ExecRequest,
    RewindRequest,
    RunAllRequest,
    RunCellRequest,
)
from octavo.sessions.values import Answer, Done, Edited, Executed, ExecutedAll, Rewound, Shown
from octavo.sessions.work import Work
from octavo.sessions.workplace import BEGINNING

Tell = Callable[[dict[str, Any]], None]
#: The longest that a look into a kernel may take.
LOOK = 10.0
#: What is asked of every session for a list, and so does not make it live on.
_LOOKS = ("info", "jobs")


class Asked:
    """The requests of clients, as a session carries them out."""

    def __init__(
        self,
        live: Live,
        stop: Callable[[str], Awaitable[None]],
        serve: Callable[[Live], Awaitable[Any]] | None = None,
    ) -> None:
        self.live = live
        self._stop = stop
        self._serve = serve

    async def answer(self, op: str, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
        """Carry out one request; OctavoError when it cannot be."""
        method = _OPS.get(op)
        if method is None:
            hint = "the program that asks is newer than the session; restart the session"
            raise UsageError("wrong-argument", f"a session cannot {op!r}", hint=hint)
        if op not in _LOOKS:
            self.live.renew()
        given = dict(arguments)
        follow = tell if given.pop("follow", False) else None
        answered = await method(self, given, follow)
        return answered.to_json() if isinstance(answered, Answer) else dict(answered)

    # Executing

    async def exec(self, given: dict[str, Any], follow: Tell | None) -> Executed:
        request: ExecRequest = check_arguments(ExecRequest, {"session": "", **given})

        async def do(work: Work) -> None:
            if request.scratch:
                await self._scratch(work, request.code)
                return
            live = self.live
            await live.calm()
            if not live.lives.alive:
                raise live.no_kernel()
            await live.obey(work, lambda: live.plan_exec(request.code))

        return await self._one("exec", request, do, follow)

    async def run_cell(self, given: dict[str, Any], follow: Tell | None) -> Executed:
        request: RunCellRequest = check_arguments(RunCellRequest, {"session": "", **given})
        self.live.document.find(_address(request.cell))

        async def do(work: Work) -> None:
            live = self.live
            index = live.document.find(_address(request.cell))

            def make() -> Plan:
                return live.document.plan_cell(index, live.snapshots, live=request.only_affected)

            await live.obey(work, make)

        return await self._one("run-cell", request, do, follow)

    async def run_all(self, given: dict[str, Any], follow: Tell | None) -> ExecutedAll:
        request: RunAllRequest = check_arguments(RunAllRequest, {"session": "", **given})

        async def do(work: Work) -> None:
            live = self.live

            def make() -> Plan:
                if request.only_affected:
                    return live.document.plan_affected(live.snapshots, to_end=True)
                return live.document.plan_all(live.snapshots, fresh=request.fresh)

            await live.obey(work, make)

        work = await self._worked("run-all", request, do, follow)
        return self.live.teller.all(work, self.live.document, self.live.renew())

    async def edit(self, given: dict[str, Any], follow: Tell | None) -> Answer:
        request: EditCellRequest = check_arguments(EditCellRequest, {"session": "", **given})
        if not (request.run or request.only_affected):
            return await self._edited(request)

        async def do(work: Work) -> None:
            live = self.live
            key = (await self._apply(request, work.note)).key
            if key is None:
                await live.obey(work, lambda: live.document.plan_all(live.snapshots))
                return

            def make() -> Plan:
                if request.only_affected:
                    return live.document.plan_affected(live.snapshots)
                return live.document.plan_cell(live.document.find(key), live.snapshots)

            await live.obey(work, make)

        return await self._one("edit", request, do, follow)

    async def _edited(self, request: EditCellRequest) -> Edited:
        """An edit that executes nothing waits for nobody."""
        notes: list[str] = []
        applied = await self._apply(request, notes.append)
        live, document = self.live, self.live.document
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

    async def _apply(self, request: EditCellRequest, note: Callable[[str], None]) -> _Applied:
        """Edit the document, and before it the notebook that a Jupyter server has open."""
        live, document = self.live, self.live.document
        index = document.find(_address(request.cell))
        document.check(index, request.expect)
        if live.turns.running is not None and not request.run and not request.only_affected:
            self._refuse_running(document.cells[index].key)
        if live.lab is None:
            return self._write(request, index)
        key = document.cells[index].key
        told = await live.lab.edit(document, index, request)
        if told:
            note(told)
        applied = self._write(request, live.document.find(key))
        if applied.op == "insert":
            live.lab.inserted(applied.key)
        return applied

    def _write(self, request: EditCellRequest, index: int) -> _Applied:
        live, document = self.live, self.live.document
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

    def _refuse_running(self, key: str) -> None:
        current = self.live.executor.current
        if current is not None and current.status == "running" and current.wanted.key == key:
            raise ConflictError(
                "session-busy",
                "this cell is being executed",
                place=self.live.short,
                hint="wait for it, interrupt it, or give --run to queue the edit",
            )

    async def _scratch(self, work: Work, code: str) -> None:
        """In a copy that is thrown away; where there can be none, in the kernel itself."""
        live = self.live
        await live.calm()
        if not live.lives.alive:
            raise live.no_kernel()
        await self._at_position(work)
        bound = BoundCell("code", code, "")
        number = await self._copy_here() if isinstance(live.lives.kernel, Copying) else None
        if number is None:
            why = live.lives.refused or "this kind of kernel cannot be copied"
            work.note(f"executed in the kernel itself, because {why}; it may have left traces")
            execution = await live.execute(work, bound, "scratch")
            if live.lives.alive:
                live.document = live.document.executed_other(code, execution.cell)
            _raise(execution.failure)
            return
        kernel, ear = await live.lives.beside(number)
        wanted = Wanted(bound, "scratch", "", work.request.request_id, work.request.timeout)
        execution = live.executor.begin(wanted, work.take_cell())
        work.executions.append(execution)
        self._beside = kernel
        try:
            await live.executor.run(kernel, execution)
        finally:
            self._beside = None
            ear.closed = True
            await kernel.kill()
        _raise(execution.failure)

    _beside: Any = None

    async def _copy_here(self) -> int | None:
        """The number of a copy of the state as it stands."""
        live = self.live
        for mark in reversed(live.snapshots.marks):
            if mark.steps == live.document.steps and live.lives.has(mark.id):
                return mark.id
        return await live.take_copy()

    async def _at_position(self, work: Work) -> None:
        """An edit leaves the state for later; what looks at the state needs it now."""
        live, document = self.live, self.live.document
        await live.calm()
        if not document.is_clean and not document.live:
            await live.obey(
                work, lambda: live.document.plan_rewind(live.document.position, live.snapshots)
            )

    async def _one(
        self, op: str, request: Any, do: Callable[[Work], Awaitable[None]], follow: Tell | None
    ) -> Executed:
        work = await self._worked(op, request, do, follow)
        return self.live.teller.one(work, self.live.document, self.live.renew())

    async def _worked(
        self, op: str, request: Any, do: Callable[[Work], Awaitable[None]], follow: Tell | None
    ) -> Work:
        """Begin a piece of work, or join the one that was begun under the same id."""
        live = self.live
        work = live.turns.known(request.request_id)
        if work is None:
            work = Work(op, request, live.executor.reserve)
            if live.turns.busy or request.detach:
                _ = work.cell  # whoever waits must know what to call it
            if request.wait is None and not request.detach and follow is None:
                # Answers are never given up, so that it needs no task of its own.
                await live.turns.perform(work, self._watched(do))
            else:
                live.turns.begin(work, self._watched(do))
                await asyncio.sleep(0)
        else:
            _refuse_other(work, op, request)
            work.note("joined: a request with this id was here before")
        return await self._waited(work, 0.0 if request.detach else request.wait, follow)

    def _watched(self, do: Callable[[Work], Awaitable[None]]) -> Callable[[Work], Awaitable[None]]:
        live = self.live

        async def watched(work: Work) -> None:
            live.executor.follow = lambda event: _hand_on(work, event)
            try:
                await do(work)
                if live.lab is not None:
                    read = live.recording.read_spilled
                    await live.lab.show(live.document, work.executions, read, work.note)
            finally:
                live.executor.follow = lambda event: None
                live.renew()
                live.tell_refusal(work)
                last = work.executions[-1].seconds if work.executions else 0.0
                asyncio.get_running_loop().call_soon(live.copy_soon, last)

        return watched

    async def _waited(self, work: Work, seconds: float | None, follow: Tell | None) -> Work:
        hear = _follower(follow) if follow is not None else None
        if hear is not None:
            work.followers.append(hear)
        try:
            if not work.done:
                await asyncio.wait({work.ended}, timeout=seconds)
        finally:
            if hear is not None:
                work.followers.remove(hear)
        if work.failure is not None:
            raise work.failure
        return work

    # Work that goes on

    async def job(self, given: dict[str, Any], follow: Tell | None) -> Answer:
        """How far an execution has come; with `wait`, after at most so many seconds."""
        known = self.live.turns.known(given.get("request_id"))
        work = known or self._work(given.get("cell"))
        wait = given.get("wait")
        await self._waited(work, 0.0 if wait is None else float(wait), follow)
        teller, document, lease = self.live.teller, self.live.document, self.live.renew()
        if work.op == "run-all":
            return teller.all(work, document, lease)
        return teller.one(work, document, lease)

    async def jobs(self, given: dict[str, Any], follow: Tell | None) -> dict[str, Any]:
        """What is executed now and what waits."""
        live = self.live
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

    async def cancel(self, given: dict[str, Any], follow: Tell | None) -> Done:
        """Give up a piece of work: interrupted when it has begun, never begun otherwise."""
        work = self._work(given.get("cell"))
        live = self.live
        if work.done:
            return Done(live.short, "ended", lease_ends=live.lease_ends)
        work.cancelled = True
        if live.turns.running is work:
            await self._interrupt()
            return Done(live.short, "interrupted", lease_ends=live.lease_ends)
        code = getattr(work.request, "code", "")
        request = work.request.request_id
        live.executor.not_run(Wanted(BoundCell("code", code, ""), request=request), work.cell)
        return Done(live.short, "cancelled", lease_ends=live.lease_ends)

    def _work(self, cell: Any) -> Work:
        work = self.live.turns.find(int(cell)) if str(cell).isdecimal() else None
        if work is None:
            raise UsageError(
                "run-not-found",
                f"the session executes nothing that is called {cell}",
                place=self.live.short,
                hint=f"octavo job list; octavo show {self.live.short} has what it did",
            )
        return work

    async def interrupt(self, given: dict[str, Any], follow: Tell | None) -> Done:
        live = self.live
        if live.turns.running is None:
            note = "nothing was being executed"
            return Done(live.short, "nothing", notes=(note,), lease_ends=live.lease_ends)
        live.turns.running.cancelled = True
        await self._interrupt()
        return Done(live.short, "interrupted", lease_ends=live.lease_ends)

    async def _interrupt(self) -> None:
        current = self.live.executor.current
        if current is not None:
            current.interrupted = True
        kernel = self._beside or self.live.lives.kernel
        if kernel is not None:
            await kernel.interrupt()

    # The state

    async def restart(self, given: dict[str, Any], follow: Tell | None) -> Done:
        """A new kernel. Work that is under way is given up."""
        live = self.live
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
            await live.forget_all()
            live.document = live.document.lost()
            await live.restart()
            live.recording.write(StateRestored(time.time(), (), "restarted"))

        await self._settled(do)
        return Done(
            live.short,
            "restarted",
            lease_ends=live.renew(),
            next=f"octavo session run-all {live.short} executes its cells again",
        )

    async def rewind(self, given: dict[str, Any], follow: Tell | None) -> Rewound:
        """Go back to the state before a cell."""
        request: RewindRequest = check_arguments(RewindRequest, {"session": "", **given})
        live = self.live
        live.document.find(_address(request.cell))
        plans: list[Plan] = []
        files: list[Mapping[str, Any]] = []

        async def do(work: Work) -> None:
            index = live.document.find(_address(request.cell))

            def make() -> Plan:
                plans.append(live.document.plan_rewind(index, live.snapshots))
                return plans[-1]

            if live.workplace is None:
                await live.obey(work, make)
                return
            number = self._listing(make(), index)
            found = await live.workplace.since(number, restore=request.restore_files)
            files.extend(each.to_json() for each in found)
            await live.obey(work, make)

        work = await self._settled(do)
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

    def _listing(self, plan: Plan, index: int) -> int:
        """The snapshot whose files are those before a cell, or before what is executed again."""
        live = self.live
        wanted = live.document.at(index).runnable(index)
        mark = live.snapshots.best(wanted)
        if mark is not None and (plan.goes_back or len(mark.steps) == len(wanted)):
            return mark.id
        return BEGINNING if plan.goes_back or not wanted else -1

    async def branch(self, given: dict[str, Any], follow: Tell | None) -> Answer:
        """Another session that goes on from the state before a cell, or as it stands."""
        from octavo.sessions.branching import branched

        request: BranchRequest = check_arguments(BranchRequest, {"session": "", **given})
        live = self.live
        made: list[Live] = []

        async def do(work: Work) -> None:
            await self._at_position(work)
            cell = request.cell
            index = None if cell is None else live.document.find(_address(cell))
            here = await self._copy_here() if index is None else None
            made.append(await branched(live, index, here, request.name))

        await self._settled(do)
        assert self._serve is not None
        await self._serve(made[0])
        return made[0].info

    async def _settled(self, do: Callable[[Work], Awaitable[None]]) -> Work:
        """Something that takes its turn and is no execution of its own."""
        work = Work("", ExecRequest(session="", code=""), self.live.executor.reserve)
        self.live.turns.begin(work, self._watched(do))
        return await self._waited(work, None, None)

    async def ask(self, given: dict[str, Any], follow: Tell | None) -> dict[str, Any]:
        """Look into the kernel with a function of the runtime; nothing is executed."""
        function, arguments = str(given.get("function")), dict(given.get("arguments") or {})
        seconds = min(LOOK, float(given.get("seconds") or LOOK))
        found: list[Any] = []
        live = self.live
        if given.get("before") is not None:
            return await self._ask_before(given["before"], function, arguments, seconds)

        async def do(work: Work) -> None:
            await live.calm()
            if not live.lives.alive:
                raise live.no_kernel()
            await self._at_position(work)
            found.append(await live.lives.ask(function, arguments, seconds))

        await self._settled(do)
        clean = live.recording.clean(found[0])
        return {"value": clean, "lease_ends": live.renew()}

    async def _ask_before(
        self, cell: Any, function: str, arguments: dict[str, Any], seconds: float
    ) -> dict[str, Any]:
        """Look into the state before a cell; `no_snapshot` where there is no copy of it."""
        from octavo.sessions.earlier import NoSnapshot, ask_before

        live = self.live
        index = live.document.find(_address(cell))
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

        await self._settled(do)
        return {**found, "lease_ends": live.renew()}

    # Looking

    async def info(self, given: dict[str, Any], follow: Tell | None) -> Answer:
        return self.live.info

    async def show(self, given: dict[str, Any], follow: Tell | None) -> Shown:
        live = self.live
        cells = tuple(live.document.info(index) for index in range(len(live.document.cells)))
        return Shown(live.info, cells, live.document.position, lease_ends=live.renew())

    async def document(self, given: dict[str, Any], follow: Tell | None) -> dict[str, Any]:
        """The document itself, for whoever writes it to a file."""
        live, document = self.live, self.live.document
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

    async def stop(self, given: dict[str, Any], follow: Tell | None) -> Done:
        await self._stop(str(given.get("message") or ""))
        return Done(self.live.short, "stopped")


class _Applied:
    """An edit of the document, and the key of the cell that it is about."""

    def __init__(self, op: Any, key: str | None) -> None:
        self.op = op
        self.key = key


def _raise(failure: Exception | None) -> None:
    if failure is not None:
        raise failure


def _refuse_other(work: Work, op: str, request: Any) -> None:
    """An id of a request stands for what was asked with it first."""
    said = ("code", "cell", "source", "scratch", "delete", "insert")
    before, now = ([getattr(each, name, None) for name in said] for each in (work.request, request))
    if work.op != op or before != now:
        raise UsageError(
            "wrong-argument",
            f"the request id {request.request_id!r} was used for something else",
            hint="give every new request an id of its own",
        )


def _bring_back(short: str, request: RewindRequest, files: list[Mapping[str, Any]]) -> str:
    if not files or request.restore_files:
        return ""
    cell = request.cell
    return f"octavo session rewind {short} {cell} --restore-files brings the files back"


def _address(word: Any) -> Any:
    """Text that is a number is an index."""
    text = str(word).strip()
    return int(text) if text.removeprefix("-").isdecimal() else text


def _follower(tell: Tell) -> Callable[[Event], None]:
    def hear(event: Event) -> None:
        tell(to_dict(event))

    return hear


def _hand_on(work: Work, event: Event) -> None:
    for follower in work.followers:
        follower(event)


_OPS: dict[str, Any] = {
    "exec": Asked.exec,
    "run-cell": Asked.run_cell,
    "run-all": Asked.run_all,
    "edit": Asked.edit,
    "job": Asked.job,
    "jobs": Asked.jobs,
    "cancel": Asked.cancel,
    "interrupt": Asked.interrupt,
    "restart": Asked.restart,
    "rewind": Asked.rewind,
    "branch": Asked.branch,
    "ask": Asked.ask,
    "info": Asked.info,
    "show": Asked.show,
    "document": Asked.document,
    "stop": Asked.stop,
}
