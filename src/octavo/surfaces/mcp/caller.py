"""Who makes the call that is being answered, and how to tell them how it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

from octavo.surfaces.mcp.identity import LOCAL

Report = Callable[[float, float | None, str], Awaitable[None]]


async def to_nobody(done: float, total: float | None, text: str) -> None:
    """Nobody wants to know how it goes on."""


class Caller:
    """One call: whose it is, and where its progress is told."""

    def __init__(self, identity: str = LOCAL, report: Report = to_nobody, tool: str = "") -> None:
        self.identity = identity
        self.tool = tool
        self._report = report
        self._told = 0.0
        self._telling: set[asyncio.Task[None]] = set()

    def tell(self, text: str, done: float | None = None, total: float | None = None) -> None:
        """Report progress; it only ever grows, as the protocol wants it."""
        self._told = max(self._told + 0.001, done or 0.0)
        task = asyncio.ensure_future(self._tell(self._told, total, text))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _tell(self, done: float, total: float | None, text: str) -> None:
        try:
            await self._report(done, total, text)
        except Exception:
            # Whoever asked is gone; the work goes on without them.
            return

    def teller(self) -> Callable[[Any], None]:
        """For the `emit` of a context in another thread: lines that are said become progress."""
        loop = asyncio.get_running_loop()

        def emit(happened: Any) -> None:
            text = getattr(happened, "text", None)
            if isinstance(text, str) and type(happened).__name__ == "Said":
                loop.call_soon_threadsafe(self.tell, text)

        return emit


_CURRENT: ContextVar[Caller] = ContextVar("octavo-mcp-caller")


def caller() -> Caller:
    """Who makes this call; the user, where nobody else was named."""
    return _CURRENT.get(None) or Caller()


def called_by(who: Caller) -> None:
    """Remember it for as long as this call lasts."""
    _CURRENT.set(who)
