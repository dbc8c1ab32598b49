"""A live session: a document, a kernel, a record, and what is asked of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from octavo.errors import KernelFailure, UsageError
from octavo.events.types import BoundCell, KernelDied, KernelReady, StateRestored
from octavo.kernels.port import Movable
from octavo.sessions.document import Document, Plan, Snapshots
from octavo.sessions.files.workplace import Workplace
from octavo.sessions.hosts.answering import Teller
from octavo.sessions.hosts.executing import Execution, Executor, Role, Wanted
from octavo.sessions.hosts.facts import Facts
from octavo.sessions.hosts.keeping import LONG, Keeping
from octavo.sessions.hosts.lives import Lives
from octavo.sessions.hosts.recording import Recording
from octavo.sessions.hosts.work import Turns, Work
from octavo.sessions.lab.link import LabLink
from octavo.sessions.values import SessionInfo, SessionState

DIED = "its kernel has died, and the state with it: octavo session restart"


class Live:
    """Executes in order what is asked, and keeps the state what the document says."""

    def __init__(
        self,
        facts: Facts,
        recording: Recording,
        executor: Executor,
        lives: Lives,
        document: Document,
    ) -> None:
        self.facts = facts
        self.recording = recording
        self.executor = executor
        self.lives = lives
        self.document = document
        self.snapshots = Snapshots()
        self.keeping = Keeping(self)
        self.turns = Turns()
        self.teller = Teller(recording, facts.notebook)
        self.started = time.time()
        self.ended = False
        self.lease_ends = self.started + facts.lease
        self.notes: list[str] = []
        #: Whether the record has the document too, because somebody edited it.
        self.drafted = False
        #: Set where the kernel is one of somebody's Jupyter server.
        self.lab: LabLink | None = None
        #: The document of which it is known that the kernel holds its state.
        self._clean: Document | None = None
        self._background: set[asyncio.Task[None]] = set()
        #: What lies in the working directory, where that is here.
        self.workplace: Workplace | None = None
        #: Makes another session of the same plan, without a kernel yet.
        self.twin: Callable[[str, Document], Live] | None = None

    # What there is

    @property
    def short(self) -> str:
        return self.recording.short

    def renew(self) -> float:
        """Every call makes the session live on."""
        self.lease_ends = time.time() + self.facts.lease
        return self.lease_ends

    @property
    def _state(self) -> SessionState:
        if self.turns.busy:
            return "busy"
        return "idle" if self.lives.alive else "kernel-died"

    @property
    def info(self) -> SessionInfo:
        facts, kernel = self.facts, self.lives.kernel
        return SessionInfo(
            id=self.recording.id,
            state=self._state,
            notebook=facts.notebook,
            project=facts.project,
            engine=facts.engine,
            python=facts.python,
            pid=facts.pid,
            started=self.started,
            kernel_pid=kernel.pid if kernel is not None else None,
            lease_ends=self.lease_ends,
            queue=len(self.turns.waiting),
            position=self.document.position,
            cells=len(self.document.cells),
            snapshots=len(self.snapshots),
            memory=self.snapshots.memory or None,
            unproven=self.document.unproven,
            parent=facts.parent,
            name=facts.name,
            notes=(*self.notes, *(() if self.lives.alive else (DIED,))),
        )

    # Doing what a plan says

    def plan_exec(self, code: str) -> Plan:
        """The plan for new code. Where the last thing left the state clean, nothing is compared:
        comparing grows with the cells, and every round trip would pay for it.
        """
        document = self.document
        if document is not self._clean:
            return document.plan_exec(code, self.snapshots)
        at = document.position
        return Plan(document.inserted(at, code), run=(at,))

    async def obey(self, work: Work, make: Callable[[], Plan]) -> None:
        """Bring the kernel to the state that is wanted, and execute what is to be executed."""
        await self.calm()
        clean = self.document is self._clean
        plan = await self._reached(work, make)
        clean = clean and not plan.goes_back and not plan.again
        await self.look_around()
        for index in (*plan.again, *plan.run):
            role: Role = "again" if index in plan.again else "cell"
            if work.cancelled:
                self.give_up(work, self.document.cells[index].bound, self.document.cells[index].key)
                return
            clean = clean and index == self.document.position
            execution = await self._execute_cell(work, index, role)
            if self.lives.alive and (clean or self.document.is_clean):
                self._clean = self.document
            if plan.stops(index, execution.status):
                self._note_stop(work, plan, index, role)
                return
            if execution.seconds > LONG and index != (*plan.again, *plan.run)[-1]:
                await self.keeping.copy_now()
                await self.look_around()

    async def _reached(self, work: Work, make: Callable[[], Plan]) -> Plan:
        """The plan, once the kernel is where it begins. A snapshot that died is planned without."""
        while True:
            plan = make()
            if plan.goes_back and self.lab is not None and self.lives.alive:
                plan = self.lab.in_live_state(plan)
            if not plan.goes_back:
                self._adopt(work, plan)
                if not self.lives.alive:
                    await self.restart()
                return plan
            try:
                await self._go_back(plan)
            except KernelFailure:
                if plan.resume is None:
                    raise
                await self.keeping.forget(plan.resume)
                work.note("a snapshot had died")
                continue
            self._adopt(work, plan)
            mark = self.snapshots.mark(plan.resume) if plan.resume is not None else None
            self.document = self.document.went_back(mark)
            how: Any = "restarted" if plan.resume is None else "snapshot"
            self.recording.write(StateRestored(time.time(), self.document.line, how))
            return plan

    def _adopt(self, work: Work, plan: Plan) -> None:
        self.document = plan.document
        for note in plan.notes:
            work.note(note)

    async def _go_back(self, plan: Plan) -> None:
        if plan.resume is None:
            await self.restart()
        else:
            kernel = await self.lives.resume(plan.resume)
            self.recording.write(KernelReady(time.time(), kernel.pid, kernel.facts))

    async def restart(self) -> None:
        """A new kernel; what it has executed is nothing."""
        kernel = await self.lives.start()
        self.recording.write(KernelReady(time.time(), kernel.pid, kernel.facts))

    def _note_stop(self, work: Work, plan: Plan, index: int, role: Role) -> None:
        left = (*plan.again, *plan.run)
        rest = len(left) - left.index(index) - 1
        if role == "again":
            work.note(f"cell {index} failed when it was executed again")
        if rest:
            word = "cell was" if rest == 1 else "cells were"
            work.note(f"{rest} {word} not executed after it")

    async def look_around(self, number: int | None = None) -> None:
        """Remember what lies in the working directory before anything is executed; under a number
        of its own where one is given.
        """
        if self.workplace is None:
            return
        if not self.workplace.begun:
            await self.workplace.begin()
        if number is not None:
            self.workplace.note(number)
        await self.workplace.noted()

    def give_up(self, work: Work, bound: BoundCell, key: str = "") -> None:
        """Work that was interrupted before its next cell began; the record has the first."""
        work.note("what was left to do was given up")
        if not work.executions_in_order:
            role: Role = "cell" if key else "scratch"
            wanted = Wanted(bound, role, key, work.request.request_id)
            self.executor.not_run(wanted, work.cell)

    async def _execute_cell(self, work: Work, index: int, role: Role) -> Execution:
        each = self.document.cells[index]
        execution = await self.execute(work, each.bound, role, each.key)
        self.document = self.document.executed(index, execution.cell, execution.status)
        if execution.failure is not None:
            raise execution.failure
        return execution

    async def execute(self, work: Work, bound: BoundCell, role: Role, key: str = "") -> Execution:
        """One cell in the kernel of the session."""
        request = work.request
        wanted = Wanted(bound, role, key, request.request_id, request.timeout)
        cell = self.executor.reserve() if role == "again" else work.take_cell()
        kernel = self.lives.kernel
        if kernel is None:
            raise self.no_kernel()
        execution = self.executor.begin(wanted, cell)
        work.executions.append(execution)
        try:
            await self.executor.run(kernel, execution)
        finally:
            self.executed_between(execution.started)
            if kernel.death is not None:
                self.lost()
        self.teller.executed(execution)
        return execution

    def executed_between(self, started: float) -> None:
        """What was written in this time may be ours."""
        if self.workplace is not None:
            self.workplace.during.append((started, time.time()))

    def lost(self) -> None:
        """The kernel has died, and its state with it."""
        self.lives.lost()
        self.document = self.document.lost()
        self.recording.write(StateRestored(time.time(), (), "restarted"))

    def no_kernel(self) -> KernelFailure:
        return KernelFailure(
            "kernel-died",
            "the kernel of this session has died, and its state is lost; the record has it all",
            place=self.short,
            hint=f"octavo session restart {self.short} gives it a new kernel, "
            f"octavo session run-all {self.short} executes its cells again",
        )

    async def calm(self) -> None:
        """Until no copy is being taken; one that has not begun is given up."""
        await self.keeping.calm()
        self._notice_death()
        await self.keeping.take_again()

    def _notice_death(self) -> None:
        """A kernel may die while nothing is executed."""
        kernel = self.lives.kernel
        death = kernel.death if kernel is not None else None
        if death is not None:
            died = KernelDied(time.time(), death.exit_code, death.signal, death.message)
            self.recording.write(died)
            self.lost()

    # Rest

    @property
    def at_rest(self) -> bool:
        """Whether nothing goes on in it or because of it, so that another process can have it."""
        kernel, workplace = self.lives.kernel, self.workplace
        going_on = self.turns.busy or self._background or self.keeping.busy or self.ended
        settled = self.lives.settled and (workplace is None or workplace.at_rest)
        movable = self.lab is None and isinstance(kernel, Movable) and kernel.at_rest
        return settled and movable and not going_on

    async def settle_down(self) -> None:
        """Give up what only those who work need."""
        self.recording.pipeline.close()
        await self.keeping.settle_down()

    # The end

    def background(self, doing: Coroutine[Any, Any, None]) -> None:
        """Something that nobody waits for."""
        task = asyncio.ensure_future(doing)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def end(self, reason: Any, message: str) -> None:
        """Stop what goes on, end the kernel, write the record."""
        if self.ended:
            return
        self.ended = True
        for work in self.turns.alive():
            work.cancelled = True
        if self.turns.running is not None and self.lives.kernel is not None:
            if self.executor.current is not None:
                self.executor.current.interrupted = True
            await self.lives.kernel.kill()
        ends = [work.ended for work in self.turns.alive()]
        if ends:
            await asyncio.wait(ends, timeout=10.0)
        await self.calm()
        for task in list(self._background):
            task.cancel()
        await self.lives.end()
        if self.workplace is not None:
            await self.workplace.end()
        await asyncio.to_thread(self.recording.end, reason, message)


def check_arguments(made: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """The request that a client sent; UsageError when it is not understood."""
    try:
        return made(**arguments)
    except TypeError as error:
        raise UsageError(
            "wrong-argument", f"the session does not understand this: {error}", hint="octavo --help"
        ) from None
