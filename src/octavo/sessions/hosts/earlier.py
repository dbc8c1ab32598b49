"""A look into a state that a session has left: in a kernel that is resumed beside its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.kernels.port import Asking
from octavo.sessions.hosts.live import Live


class NoSnapshot(Exception):
    """There is no copy of exactly this state."""


async def ask_before(
    live: Live, index: int, function: str, arguments: Mapping[str, Any], seconds: float
) -> Any:
    """What a function of the runtime says of the state before a cell; nothing is executed."""
    wanted = live.document.runnable(index)
    mark = live.snapshots.best(wanted)
    if mark is None or len(mark.ran) != len(wanted) or not live.lives.has(mark.id):
        raise NoSnapshot
    kernel, ear = await live.lives.beside(mark.id)
    try:
        if not isinstance(kernel, Asking):
            raise NoSnapshot
        return await kernel.ask(function, arguments, seconds)
    finally:
        ear.closed = True
        await kernel.kill()
