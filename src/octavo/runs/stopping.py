"""Asking a run to stop: once politely, twice at once."""

from __future__ import annotations

import asyncio


class Stop:
    """Shared by whoever may stop a run and the drivers that obey.

    `asked` and `hurry` are done once somebody has asked, and asked again.
    """

    def __init__(self) -> None:
        self.message = ""
        self._times = 0
        self._asked: asyncio.Future[None] | None = None
        self._hurry: asyncio.Future[None] | None = None

    @property
    def requested(self) -> bool:
        return self._times > 0

    @property
    def asked(self) -> asyncio.Future[None]:
        if self._asked is None:
            self._asked = _future(done=self._times > 0)
        return self._asked

    @property
    def hurry(self) -> asyncio.Future[None]:
        if self._hurry is None:
            self._hurry = _future(done=self._times > 1)
        return self._hurry

    def request(self, message: str) -> None:
        """Ask to stop, in the event loop; asked again, the kernel is not waited for."""
        self._times += 1
        self.message = self.message or message
        for future in (self._asked, self._hurry)[: self._times]:
            if future is not None and not future.done():
                future.set_result(None)


def _future(*, done: bool) -> asyncio.Future[None]:
    future = asyncio.get_running_loop().create_future()
    if done:
        future.set_result(None)
    return future
