"""The keeper of one kernel: starts it, watches its limits, and leaves nothing behind.

It is the parent of the kernel and adopts whatever the kernel's code starts and abandons. It ends
them all when the kernel ends, when it is told to, and when the runner is gone.
"""

from __future__ import annotations

import _socket
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from octavo_runtime import hooks, process
from octavo_runtime.channel import Channel, Closed
from octavo_runtime.family import Family

#: The connections of a kernel and its keeper, in the order that they come in.
DESCRIPTORS = ("channel", "acknowledgements", "stdout", "stderr", "keeper")
WATCH_SECONDS = 0.1
GRACE_SECONDS = 5.0
#: When a kernel that does not end by itself is asked by a signal, if at all.
REMINDER_SECONDS: float | None = None


class Keeper:
    """Watches over one kernel process."""

    def __init__(self, pid: int, channel: Channel, limits: dict[str, Any]) -> None:
        self.pid = pid
        self.channel = channel
        self.limits = {name: value for name, value in limits.items() if value is not None}
        self.watched = [name for name in _MEASURES if name in self.limits]
        self.exceeded: dict[str, Any] | None = None
        self.killed = False
        self.deadline: float | None = None
        self.reminder: float | None = None
        self.copying = False
        self.poller = select.poll()
        self.family = Family(self.poller)
        self.oom_kills = process.oom_kills()

    def watch(self) -> int:
        """Until the kernel has ended; its wait status."""
        poller = self.poller
        poller.register(self.channel.fileno(), select.POLLIN)
        ended = _process_descriptor(self.pid)
        if ended is not None:
            poller.register(ended, select.POLLIN)
        interval = WATCH_SECONDS if self.watched or ended is None else None
        while True:
            ready = poller.poll(self._patience(interval))
            status = self._reap()
            if status is not None:
                return status
            for descriptor, _ in ready:
                self._attend(descriptor)
            self._check_limits()
            self._urge()

    def report(self, status: int) -> dict[str, Any]:
        """How it ended, for the runner."""
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        if number == signal.SIGXFSZ and "file_size" in self.limits:
            allowed = self.limits["file_size"]
            self.exceeded = {"limit": "file_size", "allowed": allowed, "used": allowed}
        by_system = number == signal.SIGKILL and not self.killed
        return {
            "type": "ended",
            "exit_code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            "signal": number,
            "killed": self.killed,
            "exceeded": self.exceeded,
            "oom": by_system and process.oom_kills() > self.oom_kills,
        }

    def _attend(self, descriptor: int) -> None:
        """One descriptor that has something to say."""
        if descriptor == self.channel.fileno():
            self._obey(self.poller)
        else:
            self.family.hear(descriptor)

    def _patience(self, interval: float | None) -> float | None:
        if interval is None and self.deadline is None and not self.family:
            return None
        for moment in (self.reminder, self.deadline, self.family.next_deadline()):
            if moment is not None:
                left = max(0.0, moment - time.monotonic())
                interval = left if interval is None else min(left, interval)
        return None if interval is None else interval * 1000 + 1

    def _reap(self) -> int | None:
        """The kernel's wait status once it has ended; orphans are reaped along the way."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return 0
            if pid == self.pid:
                return status
            if pid == 0:
                return None

    def _obey(self, poller: Any) -> None:
        try:
            command, descriptors = self.channel.receive_with_descriptors()
        except Closed:
            poller.unregister(self.channel.fileno())
            self.kill()
            return
        if command["op"] == "interrupt":
            self._signal(signal.SIGINT)
            self.say({"type": "interrupted"})
        elif command["op"] in ("copying", "copied"):
            self.copying = command["op"] == "copying"
            self.make_way(descriptors)
        elif command["op"] == "stop":
            self.deadline = time.monotonic() + GRACE_SECONDS
            if REMINDER_SECONDS is not None:
                self.reminder = time.monotonic() + REMINDER_SECONDS
        else:
            self.kill()

    def make_way(self, links: list[int]) -> None:
        """The kernel is about to be copied, or has been: the copy is none of its descendants."""
        for link in links:
            self.family.welcome(link)
        if self.copying:
            self.say({"type": "copying"})

    def _urge(self) -> None:
        """Ask a kernel that was to end by itself once more, then end it."""
        self.family.end_the_silent()
        now = time.monotonic()
        if self.deadline is not None and now >= self.deadline:
            self.kill()
        elif self.reminder is not None and now >= self.reminder:
            self.reminder = None
            self._signal(signal.SIGTERM)

    def say(self, message: dict[str, Any]) -> None:
        try:
            self.channel.send(message)
        except Closed:
            pass

    def kill(self) -> None:
        """End the kernel now; what it has started follows when it is gone."""
        self.killed = True
        self.deadline = self.reminder = None
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        for send in (os.killpg, os.kill):
            try:
                send(self.pid, number)
                return
            except (ProcessLookupError, PermissionError):
                continue

    def _check_limits(self) -> None:
        if self.exceeded or self.copying or not self.watched:
            return
        family = process.descendants(os.getpid(), self.family.spared)
        for name in self.watched:
            allowed = self.limits[name]
            used = _MEASURES[name](family, allowed)
            if used > allowed:
                self.exceeded = {"limit": name, "allowed": allowed, "used": used}
                self.kill()
                return


def _memory(family: list[int], allowed: float) -> float:
    """Pages that several processes share count once; that is only looked at when it matters."""
    used = sum(process.resident_bytes(pid) for pid in family)
    if used > allowed and len(family) > 1:
        used = sum(process.proportional_bytes(pid) for pid in family)
    return used


def _processes(family: list[int], allowed: float) -> float:
    return len(family)


def _cpu_seconds(family: list[int], allowed: float) -> float:
    """With those of orphans, which this process has collected."""
    orphans = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = sum(process.cpu_seconds(pid) for pid in family)
    return round(used + orphans.ru_utime + orphans.ru_stime, 3)


_MEASURES = {"memory": _memory, "processes": _processes, "cpu_seconds": _cpu_seconds}


def _process_descriptor(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def main(
    become: Callable[[dict[str, Any], dict[str, int]], None],
    launch: dict[str, Any],
    descriptors: dict[str, int],
    others: list[int],
) -> None:
    """Keep one kernel to its end; never returns. `others` are descriptors of the zygote."""
    try:
        os.setsid()
        process.set_handler(signal.SIGCHLD, process.DEFAULT_HANDLER)
        process.become_subreaper()
        parent = os.getpid()
        pid = process.fork_plainly()
        if pid == 0:
            _become_kernel(become, launch, descriptors, others, parent)
        process.close_others(descriptors["keeper"])
        _keep(pid, launch, descriptors["keeper"])
    except BaseException as error:
        print(f"octavo keeper: {error!r}", file=sys.stderr)  # noqa: T201
    finally:
        os._exit(0)


def _become_kernel(
    become: Callable[[dict[str, Any], dict[str, int]], None],
    launch: dict[str, Any],
    descriptors: dict[str, int],
    others: list[int],
    parent: int,
) -> None:
    try:
        os.setsid()
        process.die_with_parent(parent)
        hooks.run()
        for descriptor in (descriptors["keeper"], *others):
            os.close(descriptor)
        become(launch, descriptors)
    finally:
        os._exit(1)


def _keep(pid: int, launch: dict[str, Any], descriptor: int) -> None:
    channel = Channel(_socket.socket(fileno=descriptor))
    keeper = Keeper(pid, channel, launch.get("limits") or {})
    report = keeper.report(keeper.watch())
    keeper.family.catch_up()
    process.end_descendants(keeper.family.spared)
    keeper.say(report)
    channel.sock.close()
    keeper.family.outlive()
    process.end_descendants()
