"""What a cell has used, seen from outside: the kernel's process and all below it."""

from __future__ import annotations

import os
import sys

from octavo.kernels.port import Usage


class Meter:
    """Measures one kernel between the beginning and the end of a cell."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._seconds = 0.0

    def begin(self) -> None:
        for pid in self._family():
            try:
                with open(f"/proc/{pid}/clear_refs", "w") as file:
                    file.write("5")  # forgets the peak so far
            except OSError:
                continue
        self._seconds = self._cpu()

    def end(self) -> Usage:
        family = self._family()
        if not family:
            return Usage()
        peak = sum(map(_peak_bytes, family))
        return Usage(peak or None, max(0.0, round(self._cpu() - self._seconds, 2)))

    def _family(self) -> list[int]:
        """Nobody, where the system does not tell such things in files."""
        if sys.platform != "linux" or not os.path.isdir(f"/proc/{self._pid}/task"):
            return []
        from octavo_runtime.process import descendants

        return [self._pid, *descendants(self._pid)]

    def _cpu(self) -> float:
        family = self._family()
        if not family:
            return 0.0
        from octavo_runtime.process import cpu_seconds

        return sum(map(cpu_seconds, family))


def _peak_bytes(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            for line in file:
                if line.startswith(b"VmHWM:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return 0
