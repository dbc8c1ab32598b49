"""Forking a process that is no child of this one, and cannot keep it waiting."""

from __future__ import annotations

import os
import select
import signal
import sys
import warnings
from typing import Any

from octavo_runtime import process

FORK_SECONDS = 10.0
_ALL = tuple(int(number) for number in signal.valid_signals())


def fork() -> int:
    """As `os.fork`, without Python's warning of other threads: they have been looked at."""
    if sys.version_info < (3, 12) or len(os.listdir("/proc/self/task")) == 1:
        return os.fork()  # touching the filters would let warnings be shown again
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return os.fork()


def fork_away() -> bool:
    """Fork twice; True in the new process, whose parent is the keeper. Signals wait there.

    The process in between ends at once. OSError when there is no new process.
    """
    kept = process.mask_signals(signal.SIG_SETMASK, _ALL)
    between = -1
    try:
        between = fork()
        if between:
            _await(between)
            return False
    finally:
        if between:
            process.mask_signals(signal.SIG_SETMASK, kept)
    _fork_and_leave()
    return True


def _fork_and_leave() -> None:
    """In the process between: returns in the new one only, once that has its parent."""
    between = os.getpid()
    try:
        if fork():
            os._exit(0)
        os.setsid()
        while os.getppid() == between:
            os.sched_yield()
        process.die_with_parent(os.getppid())
    except BaseException:
        os._exit(1)


def _await(child: int) -> None:
    """Until the process between has ended. One that hangs in a library's handler is killed."""
    descriptor = os.pidfd_open(child)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        in_time = bool(poll.poll(FORK_SECONDS * 1000))
        if not in_time:
            os.kill(child, signal.SIGKILL)
    finally:
        os.close(descriptor)
    status = os.waitpid(child, 0)[1]
    if status or not in_time:
        raise BlockingIOError("the process could not be forked")


def random_state() -> Any:
    """The state of `random`, which Python seeds anew in every fork."""
    module: Any = sys.modules.get("random")
    return None if module is None else module.getstate()


def restore_random(state: Any) -> None:
    module: Any = sys.modules.get("random")
    if module is not None and state is not None:
        module.setstate(state)
