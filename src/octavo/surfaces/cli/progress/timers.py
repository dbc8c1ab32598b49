"""Calls that are made later, in the event loop that runs the operation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

#: Takes seconds and a call; gives something that can be cancelled.
Later = Callable[[float, Callable[[], None]], Any]


def in_loop(delay: float, call: Callable[[], None]) -> Any:
    """Call later in the running event loop."""
    return asyncio.get_running_loop().call_later(delay, call)
