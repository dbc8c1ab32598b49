"""Writers that know nothing of our streams wait for their turn too.

Before a process is started, or a descriptor is written to directly, what Python has written so
far is flushed, and standard error has been read empty: then whatever comes next cannot be taken
for something earlier.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

from octavo_runtime import process
from octavo_runtime.streams import KernelStream

_SPAWNING = ("system", "posix_spawn", "posix_spawnp")


def install(out: KernelStream, err: KernelStream) -> None:
    """Put a turn before everything in `os` and `subprocess` that lets others write."""

    def turn() -> None:
        out.flush()
        process.flush_c_stdout()
        out.turn.settle()

    os.register_at_fork(before=turn)
    for name in _SPAWNING:
        _precede(os, name, turn)
    _precede(
        sys.modules.get("_posixsubprocess") or __import__("_posixsubprocess"), "fork_exec", turn
    )
    if hasattr(sys.modules.get("subprocess"), "_fork_exec"):
        _precede(sys.modules["subprocess"], "_fork_exec", turn)
    _order_direct_writes(out, {1: out, 2: err})


def _precede(module: Any, name: str, turn: Callable[[], None]) -> None:
    original = getattr(module, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def preceded(*args: Any, **kwargs: Any) -> Any:
        turn()
        return original(*args, **kwargs)

    preceded.__module__ = module.__name__
    setattr(module, name, preceded)


def _order_direct_writes(out: KernelStream, streams: dict[int, KernelStream]) -> None:
    original = os.write

    @functools.wraps(original)
    def write(fd: int, data: Any, /) -> int:
        if fd in streams:
            out.flush()
            streams[fd].turn.settle()
        return original(fd, data)

    write.__module__ = "os"
    os.write = write
