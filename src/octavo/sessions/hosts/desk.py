"""Where the requests of a session's clients take their turns."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from octavo.errors import UsageError
from octavo.events.codec import to_dict
from octavo.events.types import CellBound, Event
from octavo.kernels.port import Kernel
from octavo.records.beside import read_spilled
from octavo.sessions.document import Plan
from octavo.sessions.hosts.drafting import renew
from octavo.sessions.hosts.executing import nobody
from octavo.sessions.hosts.live import Live
from octavo.sessions.hosts.noting import note_job
from octavo.sessions.hosts.work import Work
from octavo.sessions.requests import ExecRequest
from octavo.sessions.values import Executed

Tell = Callable[[dict[str, Any]], None]
Do = Callable[[Work], Awaitable[None]]


class _WouldExecute(Exception):
    """The state cannot be reached without executing cells."""


class Desk:
    """A session, and how pieces of work are begun, joined and waited for in it."""

    def __init__(
        self,
        live: Live,
        stop: Callable[[str], Awaitable[None]],
        serve: Callable[[Live], Awaitable[Any]] | None = None,
    ) -> None:
        self.live = live
        self.stop = stop
        self.serve = serve
        #: The copy in which a scratch execution happens now.
        self.beside: Kernel | None = None

    async def one(self, op: str, request: Any, do: Do, follow: Tell | None) -> Executed:
        work = await self.worked(op, request, do, follow)
        return self.live.teller.one(work, self.live.document, self.live.renew())

    async def worked(self, op: str, request: Any, do: Do, follow: Tell | None) -> Work:
        """Begin a piece of work, or join the one that was begun under the same id."""
        live = self.live
        work = live.turns.known(request.request_id)
        if work is not None:
            _refuse_other(work, op, request)
            work.note("joined: a request with this id was here before")
            return await self.waited(work, 0.0 if request.detach else request.wait, follow)
        work = Work(op, request, live.executor.reserve)
        with self._followed(work, follow):
            await self._begin(work, do, follow)
            return await self.waited(work, 0.0 if request.detach else request.wait)

    async def _begin(self, work: Work, do: Do, follow: Tell | None) -> None:
        request, turns = work.request, self.live.turns
        if turns.busy or request.detach:
            _ = work.cell  # whoever waits must know what to call it
        alone = not turns.busy and not request.detach
        if alone and request.wait is None and follow is None:
            # Answers are never given up, so that it needs no task of its own.
            await turns.perform(work, self.watched(do))
        else:
            turns.begin(work, self.watched(do))
            await asyncio.sleep(0)

    def watched(self, do: Do) -> Do:
        live = self.live

        async def watched(work: Work) -> None:
            live.executor.follow = lambda event: _hand_on(work, event)
            try:
                await do(work)
                if live.lab is not None:
                    read = partial(read_spilled, live.recording.path)
                    await live.lab.show(live.document, work.executions, read, work.note)
            finally:
                live.executor.follow = nobody
                live.renew()
                live.keeping.tell_refusal(work)
                if live.drafted:
                    asyncio.get_running_loop().call_soon(renew, live)
                last = work.executions[-1].seconds if work.executions else 0.0
                asyncio.get_running_loop().call_soon(live.keeping.copy_soon, last)

        return watched

    async def waited(self, work: Work, seconds: float | None, follow: Tell | None = None) -> Work:
        with self._followed(work, follow):
            if not work.done:
                await asyncio.wait({work.ended}, timeout=seconds)
            if not work.done:
                note_job(work, self.live)
        if work.failure is not None:
            raise work.failure
        return work

    @contextmanager
    def _followed(self, work: Work, follow: Tell | None) -> Iterator[None]:
        """Let somebody hear of it from here on: before it begins, of all there is to it."""
        if follow is None:
            yield
            return
        hear = self._follower(follow)
        work.followers.append(hear)
        try:
            yield
        finally:
            work.followers.remove(hear)

    def _follower(self, tell: Tell) -> Callable[[Event], None]:
        """Tells events as the journal has them; of a cell also where it stands now."""

        def hear(event: Event) -> None:
            plain = to_dict(event)
            if isinstance(event, CellBound) and event.key:
                keys = (each.key for each in self.live.document.cells)
                plain["index"] = next((i for i, key in enumerate(keys) if key == event.key), None)
            tell(plain)

        return hear

    async def settled(self, do: Do) -> Work:
        """Something that takes its turn and is no execution of its own."""
        work = Work("", ExecRequest(session="", code=""), self.live.executor.reserve)
        self.live.turns.begin(work, self.watched(do))
        return await self.waited(work, None)

    async def at_position(self, work: Work) -> None:
        """An edit leaves the state for later; what looks at the state needs it now."""
        live, document = self.live, self.live.document
        await live.calm()
        if not document.is_clean and not document.live:
            await live.obey(
                work, lambda: live.document.plan_rewind(live.document.position, live.snapshots)
            )

    async def near_position(self, work: Work) -> str:
        """As `at_position`, but nothing is executed for it: what the state is then."""
        live = self.live
        await live.calm()
        if live.document.is_clean or live.document.live:
            return ""
        planned: list[Plan] = []

        def make() -> Plan:
            planned.append(live.document.plan_rewind(live.document.position, live.snapshots))
            if planned[-1].again:
                raise _WouldExecute
            return planned[-1]

        try:
            await live.obey(work, make)
        except _WouldExecute:
            there, missing = len(live.document.steps), len(planned[-1].again)
            return (
                f"the kernel as it is, with {there} cells executed; the next execution first "
                f"executes {missing} again"
            )
        return ""

    async def copy_here(self) -> int | None:
        """The number of a copy of the state as it stands."""
        live = self.live
        for mark in reversed(live.snapshots.marks):
            if mark.steps == live.document.steps and live.lives.has(mark.id):
                return mark.id
        return await live.keeping.take()

    def work_of(self, cell: Any) -> Work:
        work = self.live.turns.find(int(cell)) if str(cell).isdecimal() else None
        if work is None:
            raise UsageError(
                "run-not-found",
                f"the session executes nothing that is called {cell}",
                place=self.live.short,
                hint=f"octavo job list; octavo show {self.live.short} has what it did",
            )
        return work

    async def interrupt(self) -> None:
        current = self.live.executor.current
        if current is not None:
            current.interrupted = True
        kernel = self.beside or self.live.lives.kernel
        if kernel is not None:
            await kernel.interrupt()


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


def address(word: Any) -> Any:
    """Text that is a number is an index."""
    text = str(word).strip()
    return int(text) if text.removeprefix("-").isdecimal() else text


def _hand_on(work: Work, event: Event) -> None:
    for follower in work.followers:
        follower(event)
