"""Asking a run to stop: once politely, twice at once."""

from __future__ import annotations

import asyncio


class Stop:
    """Shared by whoever may stop a run and the driver that obeys."""

    def __init__(self) -> None:
        self.message = ""
        self._times = 0
        self._asked = asyncio.Event()
        self._hurry = asyncio.Event()

    @property
    def requested(self) -> bool:
        return self._times > 0

    def request(self, message: str) -> None:
        """Ask to stop; asked again, the kernel is not waited for."""
        self._times += 1
        self.message = self.message or message
        self._asked.set()
        if self._times > 1:
            self._hurry.set()

    async def wait(self) -> None:
        await self._asked.wait()

    async def wait_for_hurry(self) -> None:
        await self._hurry.wait()
