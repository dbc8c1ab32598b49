"""The snapshots of a live session: when one is taken, why none is, and when it is given up."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from octavo.errors import OctavoError
from octavo.kernels.port import Copying
from octavo.sessions.hosts.work import Work

if TYPE_CHECKING:
    from octavo.sessions.hosts.live import Live

#: A cell that took longer is copied at once, a shorter one when nothing follows it.
LONG, CALM = 0.02, 0.02
MOST_COPIES = 64
#: So long after a copy was taken all of them are weighed: once for those that come close together.
WEIGHED = 0.5
_REFUSED = "no snapshots: "


class Keeping:
    """Copies the kernel of a session while nobody waits, within bounds."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._soon: asyncio.TimerHandle | None = None
        self._copying: asyncio.Task[None] | None = None
        self._taking = False
        self._weighing = False
        self._told_refusal = False
        #: The copy of the kernel's own state, where it was given up until somebody calls.
        self._owed: int | None = None

    @property
    def busy(self) -> bool:
        """Whether a copy is being taken, is about to be, or is weighed."""
        copying = self._copying is not None and not self._copying.done()
        return copying or self._weighing or self._soon is not None

    def copy_soon(self, seconds: float) -> None:
        """Copy the kernel once it is idle, so that nobody waits for it."""
        live = self._live
        if live.facts.copies and not live.ended and live.lives.alive:
            self._not_soon()
            if seconds > LONG:
                self._copy_if_idle()
            else:
                self._soon = asyncio.get_running_loop().call_later(CALM, self._copy_if_idle)

    def _not_soon(self) -> None:
        soon, self._soon = self._soon, None
        if soon is not None:
            soon.cancel()

    async def calm(self) -> None:
        """Until no copy is being taken; one that has not begun is given up."""
        self._not_soon()
        copying, self._copying = self._copying, None
        if copying is not None and not copying.done():
            if not self._taking:
                copying.cancel()
            await asyncio.wait({copying})

    async def settle_down(self) -> None:
        """Give up the copy of the state that the kernel itself is, until somebody calls."""
        live, self._copying = self._live, None
        for mark in live.snapshots.marks:
            if mark.steps == live.document.steps and live.lives.has(mark.id):
                self._owed = mark.id
                await live.lives.drop(mark.id)

    async def take_again(self) -> None:
        """Take the copy that was given up, under its number: what is known of it stays true."""
        live = self._live
        owed, self._owed = self._owed, None
        if owed is None or live.ended:
            return
        if not live.lives.alive or not await live.lives.copy(owed):
            await self.forget(owed)

    def _copy_if_idle(self) -> None:
        self._soon = None
        if not self._live.turns.busy:
            self._copying = asyncio.ensure_future(self.copy_now())

    async def copy_now(self) -> None:
        """A copy of a state that is worth it; a refusal is noted."""
        live = self._live
        able = live.facts.copies and live.lives.alive and not live.ended
        if not able or not live.snapshots.wants(live.document):
            return
        self._taking = True
        try:
            await self.take()
        except OctavoError as error:
            self._refused(error.message)
        finally:
            self._taking = False

    async def take(self) -> int | None:
        """A copy of the kernel as it stands, under the number of its mark; None when refused."""
        live = self._live
        after, mark = live.snapshots.add(live.document)
        if not await live.lives.copy(mark.id):
            self._refused(live.lives.refused)
            return None
        self._forget_refusal()
        live.snapshots = after
        if live.workplace is not None:
            live.workplace.note(mark.id)
        await self._thin_out()
        if not self._weighing:
            self._weighing = True
            live.background(self._weigh())
        return mark.id if live.lives.has(mark.id) else None

    async def _thin_out(self) -> None:
        live = self._live
        most = live.facts.memory
        drop, live.snapshots = live.snapshots.thinned(live.document, count=MOST_COPIES, memory=most)
        await live.lives.drop(*drop)
        if live.workplace is not None:
            live.workplace.drop(*drop)

    async def _weigh(self) -> None:
        """What copies share with the kernel becomes theirs as the kernel writes to it. That takes
        a while to find out, so nobody waits for it.
        """
        live = self._live
        try:
            await asyncio.sleep(WEIGHED)
            live.snapshots = live.snapshots.sized(await live.lives.weights())
            if not live.turns.busy:
                await self._thin_out()
        finally:
            self._weighing = False

    def _refused(self, why: str) -> None:
        note = f"{_REFUSED}{why}; going back executes cells again"
        if note not in self._live.notes:
            self._forget_refusal()
            self._live.notes.append(note)
            self._told_refusal = False

    def _forget_refusal(self) -> None:
        """What stood in the way may be gone."""
        live = self._live
        live.notes = [each for each in live.notes if not each.startswith(_REFUSED)]

    def tell_refusal(self, work: Work) -> None:
        """Say once why there are no snapshots."""
        if not self._told_refusal and isinstance(self._live.lives.kernel, Copying):
            self._told_refusal = True
            for note in self._live.notes:
                work.note(note)

    async def forget(self, *numbers: int) -> None:
        """Give copies up."""
        live = self._live
        live.snapshots = live.snapshots.without(numbers)
        await live.lives.drop(*numbers)

    async def forget_all(self) -> None:
        """Give up every copy."""
        await self.forget(*(mark.id for mark in self._live.snapshots.marks))
