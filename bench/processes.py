"""The processes that measured commands start: seen, waited for, and ended one by one."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


class Disturbance:
    """How much of the processors others used since this was made; it is noise in our figures."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._without_us = _busy_seconds() - _our_seconds()

    def share(self) -> float:
        """From 0 to 1 of all processors; commands that are still running count as others."""
        passed = (time.monotonic() - self._started) * (os.cpu_count() or 1)
        others = _busy_seconds() - _our_seconds() - self._without_us
        return min(1.0, max(0.0, others / passed)) if passed else 0.0


@dataclass(frozen=True)
class Memory:
    """Peak resident bytes of the command's own process, and of it and all it started."""

    runner: int
    tree: int


def become_subreaper() -> None:
    """Adopt whatever our commands leave behind, so that no daemon of theirs escapes our sight."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def descendants(root: int) -> list[int]:
    """Every live process below `root`; zombies are dead."""
    children: dict[int, list[int]] = {}
    for pid, parent, state in _all_processes():
        if state != "Z":
            children.setdefault(parent, []).append(pid)
    found: list[int] = []
    queue = [root]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def leftovers(grace: float) -> list[int]:
    """What is still alive below us after so many seconds; returns as soon as nothing is."""
    deadline = time.monotonic() + grace
    while True:
        reap()
        alive = descendants(os.getpid())
        if not alive or time.monotonic() > deadline:
            return alive
        time.sleep(0.005)


def reap() -> None:
    """Collect the orphans that ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def end(pids: list[int]) -> None:
    """End these processes of ours by id, and what they start meanwhile."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    while alive := leftovers(grace=2.0):
        for pid in alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def command_line(pid: int) -> str:
    """What the process was called with, shortened for a message."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "?"
    return " ".join(word.decode(errors="replace") for word in words)[:80].strip()


class MemoryWatch:
    """Samples a command's memory while it runs; not used in timed runs, for it costs time."""

    def __init__(self, interval: float = 0.01) -> None:
        self._interval = interval
        self._stop = threading.Event()
        self._runner = 0
        self._tree = 0

    @contextlib.contextmanager
    def over(self, pid: int) -> Iterator[None]:
        """Watch while the body waits for the process."""
        thread = threading.Thread(target=self._watch, args=(pid,))
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()

    def seen(self) -> Memory:
        # The high-water mark sees what happens between two samples, the sum does not.
        return Memory(self._runner, max(self._runner, self._tree))

    def _watch(self, pid: int) -> None:
        stopped = False
        while not stopped:
            self._runner = max(self._runner, _status_bytes(pid, "VmHWM"))
            everyone = [pid, *descendants(pid)]
            self._tree = max(self._tree, sum(_status_bytes(one, "VmRSS") for one in everyone))
            stopped = self._stop.wait(self._interval)


def _busy_seconds() -> float:
    """Processor time of the whole machine that was spent on anything at all."""
    fields = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def _our_seconds() -> float:
    return sum(os.times()[:4])


def _all_processes() -> Iterator[tuple[int, int, str]]:
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        with contextlib.suppress(OSError):
            stat = Path(f"/proc/{name}/stat").read_text(errors="replace")
            # The second field is the command in brackets, which may hold brackets and spaces.
            state, parent = stat.rpartition(")")[2].split()[:2]
            yield int(name), int(parent), state


def _status_bytes(pid: int, field: str) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    return 0
