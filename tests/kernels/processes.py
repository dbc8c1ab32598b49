"""Waiting for processes to end, without polling."""

from __future__ import annotations

import os
import select
from collections.abc import Iterable
from pathlib import Path

PATIENCE_SECONDS = 60.0


class Watched:
    """Processes that must be gone in the end. Opened while they live, so numbers cannot mislead."""

    def __init__(self, pids: Iterable[int]) -> None:
        self._descriptors = {pid: os.pidfd_open(pid) for pid in pids}

    def assert_gone(self) -> None:
        """Wait until all have ended; AssertionError when one does not."""
        for pid, descriptor in self._descriptors.items():
            ended = select.select([descriptor], [], [], PATIENCE_SECONDS)[0]
            os.close(descriptor)
            assert ended, f"process {pid} still runs"


def parent(pid: int) -> int:
    stat = Path(f"/proc/{pid}/stat").read_text()
    return int(stat.rpartition(")")[2].split()[1])


def below(pid: int) -> list[int]:
    """All processes below one."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = parent(int(entry.name))
            except OSError:
                continue
    found = [pid]
    for each in found:
        found.extend(child for child, above in parents.items() if above == each)
    return found[1:]
