"""The keepers that a zygote has forked. Where one is killed, its kernel's processes come here."""

from __future__ import annotations

import os
import select
import signal
import time

from octavo_runtime import process

ROUNDS = 500
ROUND_SECONDS = 0.002


class Nursery:
    """Waits for requests, and meanwhile ends what a lost keeper leaves behind."""

    def __init__(self) -> None:
        process.become_subreaper()
        self._keepers: dict[int, int] = {}

    def forked(self, pid: int) -> None:
        """Watch over a new keeper."""
        try:
            self._keepers[os.pidfd_open(pid)] = pid
        except (AttributeError, OSError):
            pass

    def descriptors(self) -> list[int]:
        """What no keeper and no kernel has any business with."""
        return list(self._keepers)

    def wait(self, descriptor: int, seconds: float | None = None) -> bool:
        """Until a descriptor is readable; False when that took too long."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            ready = select.select([descriptor, *self._keepers], [], [], left)[0]
            if not ready:
                return False
            for ended in [each for each in ready if each != descriptor]:
                self._bury(ended)
            if descriptor in ready:
                return True

    def _bury(self, ended: int) -> None:
        del self._keepers[ended]
        os.close(ended)
        for _ in range(ROUNDS):
            strangers = set(process.children(os.getpid())) - set(self._keepers.values())
            if not strangers:
                return
            for child in strangers:
                for pid in [child, *process.descendants(child)]:
                    _kill(pid)
            time.sleep(ROUND_SECONDS)  # they fall to us one generation after the other


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
