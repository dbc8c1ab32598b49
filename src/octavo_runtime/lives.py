"""The keeper of a kernel that went on from a copy. Started by path, to be free of what it copied.

    python -I -S lives.py KEEPER LINK PID LIMITS

KEEPER is the socket to the runner, LINK the one to the first keeper of the family, PID the kernel,
which is a child of this process already, LIMITS are JSON.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    sys.path.insert(0, __file__.rpartition("/octavo_runtime/")[0])

import json
import select
import signal
import socket

from octavo_runtime import packets, process
from octavo_runtime.channel import Channel
from octavo_runtime.keeper import Keeper


class LifeKeeper(Keeper):
    """Keeps one resumed kernel; copies of it belong to the first keeper of the family."""

    above: socket.socket

    def _attend(self, descriptor: int) -> None:
        if descriptor != self.above.fileno():
            super()._attend(descriptor)
            return
        # The first keeper says nothing: it is gone, and with it whoever would collect us.
        self.poller.unregister(descriptor)
        self.kill()

    def make_way(self, links: list[int]) -> None:
        """Orphans go up while the kernel is copied: so the copy gets to the first keeper."""
        if not self.copying:
            process.become_subreaper()
            return
        process.be_no_subreaper()
        for link in links:
            packets.send(self.above, {"op": "copying"}, (link,))
            os.close(link)
        self.say({"type": "copying"})


def keep(descriptor: int, link: int, pid: int, limits: dict[str, float]) -> None:
    """Keep one kernel to its end."""
    above = socket.socket(fileno=link)
    packets.send(above, {"op": "here", "pid": os.getpid()})
    keeper = LifeKeeper(pid, Channel(socket.socket(fileno=descriptor)), limits)
    keeper.above = above
    keeper.poller.register(above.fileno(), select.POLLIN)
    report = keeper.report(keeper.watch())
    process.end_descendants()
    keeper.say(report)


def main(words: list[str]) -> None:
    descriptor, link, pid = (int(word) for word in words[:3])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    process.close_all_but(0, 1, 2, descriptor, link)
    keep(descriptor, link, pid, json.loads(words[3]))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    finally:
        os._exit(0)
