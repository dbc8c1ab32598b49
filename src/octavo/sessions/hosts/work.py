"""Requests that execute: they wait for their turn, are joined when asked twice, and go on when
their client is gone.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

from octavo.errors import InfrastructureError, OctavoError
from octavo.events.types import Event
from octavo.sessions.hosts.executing import Execution

#: So many pieces of work that have ended are remembered, to be joined by who asks again.
REMEMBERED = 256
#: And about so many characters of their outputs.
MOST_REMEMBERED = 32_000_000

Do = Callable[["Work"], Awaitable[None]]


class Work:
    """One request that executes. `cell` is the cell of the record that it is known by."""

    def __init__(self, op: str, request: Any, reserve: Callable[[], int]) -> None:
        self.op = op
        self.request = request
        self.executions: list[Execution] = []
        self.notes: list[str] = []
        #: What to do next, where nothing else is nearer.
        self.advice = ""
        self.followers: list[Callable[[Event], None]] = []
        self.cancelled = False
        self.begun = False
        #: Whether somebody was sent away before its end, and so it is a job.
        self.is_noted = False
        self.failure: OctavoError | None = None
        #: Done once it has come to its end, whatever that was.
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._reserve = reserve
        self._cell: int | None = None

    @property
    def cell(self) -> int:
        if self._cell is None:
            self._cell = self._reserve()
        return self._cell

    def take_cell(self) -> int:
        """The cell of the record for its next execution; it is known by the first of them."""
        if not self.executions_in_order:
            return self.cell
        return self._reserve()

    @property
    def executions_in_order(self) -> list[Execution]:
        """Those that were asked for; what was executed to come back to a state is not."""
        return [each for each in self.executions if each.wanted.role != "again"]

    @property
    def done(self) -> bool:
        return self.ended.done()

    def note(self, text: str) -> None:
        if text and text not in self.notes:
            self.notes.append(text)


class Turns:
    """Who executes now, and who waits, in the order in which they came."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self.waiting: list[Work] = []
        self.running: Work | None = None
        self._by_request: OrderedDict[str, Work] = OrderedDict()
        self._by_cell: OrderedDict[int, Work] = OrderedDict()
        #: About how many characters of outputs are remembered, at most.
        self._remembered = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        return self.running is not None or bool(self.waiting)

    def known(self, request_id: str | None) -> Work | None:
        """The work that was begun under this id."""
        return self._by_request.get(request_id) if request_id else None

    def find(self, cell: int) -> Work | None:
        """The work that is known by a cell of the record, or executed it."""
        found = self._by_cell.get(cell)
        if found is not None:
            return found
        return next((w for w in self._all() if w._cell == cell or _executed(w, cell)), None)

    def begin(self, work: Work, do: Do) -> None:
        """Let it be done when its turn comes; nobody need wait for it."""
        task = asyncio.ensure_future(self.perform(work, do))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def perform(self, work: Work, do: Do) -> None:
        """Do it when its turn comes."""
        if work.request.request_id:
            _remember(self._by_request, work.request.request_id, work)
        self.waiting.append(work)
        try:
            await self._in_turn(work, do)
        finally:
            _end(work)

    def give_up(self, work: Work) -> None:
        """End work that has not begun; it is not waited for any more."""
        work.cancelled = True
        self.waiting.remove(work)
        _remember(self._by_cell, work.cell, work)
        _end(work)

    def alive(self) -> list[Work]:
        return [*([self.running] if self.running else []), *self.waiting]

    async def _in_turn(self, work: Work, do: Do) -> None:
        async with self._turn:
            if work.done:
                return
            self.waiting.remove(work)
            self.running = work
            work.begun = True
            try:
                if not work.cancelled:
                    await do(work)
            except OctavoError as error:
                work.failure = error
            except Exception as error:
                work.failure = mistake(error)
            finally:
                self.running = None
                if work._cell is not None:
                    _remember(self._by_cell, work._cell, work)
                for execution in work.executions:
                    _remember(self._by_cell, execution.cell, work)
                self._let_go(work)

    def _let_go(self, latest: Work) -> None:
        """Of the outputs that are remembered, only so many are kept; the newest."""
        self._remembered += _size(latest)
        if self._remembered <= MOST_REMEMBERED:
            return
        works = {id(work): work for work in (*self._by_request.values(), *self._by_cell.values())}
        room = MOST_REMEMBERED
        for work in sorted(works.values(), key=_began, reverse=True):
            for execution in work.executions:
                room -= execution.size
                if room < 0:
                    execution.forget()
        self._remembered = sum(map(_size, works.values()))

    def _all(self) -> list[Work]:
        return [*self.alive(), *self._by_request.values()]


def mistake(error: Exception) -> OctavoError:
    """A mistake of ours as an error that says where it happened."""
    import traceback

    return InfrastructureError(
        "internal",
        f"internal error: {type(error).__name__}: {error}",
        hint="the session goes on; please report it",
        details={"traceback": "".join(traceback.format_exception(error))[-4000:]},
    )


def _began(work: Work) -> float:
    return work.executions[0].started if work.executions else 0.0


def _size(work: Work) -> int:
    return sum(execution.size for execution in work.executions)


def _end(work: Work) -> None:
    if not work.done:
        work.ended.set_result(None)


def _executed(work: Work, cell: int) -> bool:
    return any(each.cell == cell for each in work.executions)


def _remember(where: OrderedDict[Any, Work], key: Any, work: Work) -> None:
    where[key] = work
    while len(where) > REMEMBERED:
        where.popitem(last=False)
