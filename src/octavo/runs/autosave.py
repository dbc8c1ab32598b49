"""`--autosave`: the output notebook is brought up to date while the run goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from octavo.errors import OctavoError
from octavo.events.types import CellFinished, CellSkipped, CellStarted, Event

#: After a save the next one waits so many times as long as that one took: what saving costs
#: stays under a twentieth of the run's time, however large the notebook grows.
REST = 19.0
SHORTEST_REST = 0.2


async def save_unfinished(run_dir: Path, output: str) -> None:
    """Write what has run so far, in a thread. Where that fails the end of the run will tell."""
    from octavo.records.unfinished import publish_unfinished

    with suppress(OctavoError, OSError):
        await asyncio.to_thread(publish_unfinished, run_dir, output)


class Autosave:
    """Saves after a cell, and every `every` seconds within a long one that writes something.

    `save` is awaited in a task of its own, never two at a time.
    """

    def __init__(
        self,
        save: Callable[[], Awaitable[None]],
        every: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._save = save
        self._every = every
        self._clock = clock
        self._sleep = sleep
        self._changed = asyncio.Event()
        self._boundary = asyncio.Event()
        self._saved_at = clock()
        self._rest = 0.0
        self._task = asyncio.ensure_future(self._work())

    def notice(self, event: Event) -> None:
        """Learn of an event that is in the journal."""
        if isinstance(event, CellStarted | CellFinished | CellSkipped):
            self._boundary.set()
        self._changed.set()

    async def end(self) -> None:
        """Save no more; one that is under way is waited for."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _work(self) -> None:
        while True:
            await self._changed.wait()
            await self._due()
            self._changed.clear()
            self._boundary.clear()
            await self._save_once()

    async def _due(self) -> None:
        """Until the end of a cell or of the interval, but never before the rest is over."""
        left = self._every - (self._clock() - self._saved_at)
        if not self._boundary.is_set() and left > 0:
            boundary = asyncio.ensure_future(self._boundary.wait())
            interval = asyncio.ensure_future(self._sleep(left))
            try:
                await asyncio.wait({boundary, interval}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                boundary.cancel()
                interval.cancel()
        rest = self._saved_at + self._rest - self._clock()
        if rest > 0:
            await self._sleep(rest)

    async def _save_once(self) -> None:
        began = self._clock()
        saving = asyncio.ensure_future(self._save())
        try:
            await asyncio.shield(saving)
        except asyncio.CancelledError:
            await asyncio.wait({saving})
            raise
        self._saved_at = self._clock()
        self._rest = max(SHORTEST_REST, (self._saved_at - began) * REST)
