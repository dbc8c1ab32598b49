"""The keeper of a kernel that is a program of its own. Started by path with Octavo's interpreter.

    python -I -S program.py CONTROL

CONTROL is the descriptor of a socket. The first message on it is the launch, with the descriptors
that the kernel gets; what follows are commands, as for any keeper. There are two processes: where
the inner one, which is the kernel's parent, is killed, the outer one ends what it leaves behind.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    sys.path.insert(0, __file__.rpartition("/octavo_runtime/")[0])

import resource
import signal
import socket
from typing import Any

from octavo_runtime import process
from octavo_runtime.channel import Channel, Closed

#: Where the kernel finds its side channel and its acknowledgements, if it gets them.
CHANNEL, ACKNOWLEDGEMENTS = 3, 4
#: Programs of others take longer to end than a kernel that we have made.
GRACE_SECONDS = 15.0
#: Some of them answer that they will end, and then hang: jupyter_client waits as long.
REMINDER_SECONDS = 2.5


def main(control: int) -> None:
    """Keep one kernel to its end, whatever happens to anybody."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    process.close_all_but(0, 1, 2, control)
    channel = Channel(socket.socket(fileno=control))
    try:
        launch, descriptors = channel.receive_with_descriptors()
    except Closed:
        return
    process.become_subreaper()
    keeper = os.fork()
    if keeper == 0:
        try:
            _keep(launch, descriptors, channel)
        finally:
            os._exit(0)
    for descriptor in descriptors:
        os.close(descriptor)
    os.waitpid(keeper, 0)
    process.end_descendants()
    _remove(launch["folder"])


def _keep(launch: dict[str, Any], descriptors: list[int], channel: Channel) -> None:
    process.become_subreaper()
    told, tell = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        _become_kernel(launch, descriptors, parent, tell)
    os.close(tell)
    for descriptor in descriptors:
        os.close(descriptor)
    from octavo_runtime import keeper as keeping

    keeping.GRACE_SECONDS, keeping.REMINDER_SECONDS = GRACE_SECONDS, REMINDER_SECONDS
    keeper = keeping.Keeper(pid, channel, launch.get("limits") or {})
    failure = _failure(told)
    keeper.say({"type": "failed", **failure} if failure else {"type": "started", "pid": pid})
    report = keeper.report(keeper.watch())
    process.end_descendants()
    keeper.say(report)


def _failure(told: int) -> dict[str, Any] | None:
    """What kept the program from being executed: the pipe closes by itself where nothing did."""
    with open(told, "rb") as file:
        words = file.read().decode("utf-8", "replace")
    if not words:
        return None
    step, _, reason = words.partition(":")
    return {"step": step, "reason": reason}


def _become_kernel(launch: dict[str, Any], descriptors: list[int], parent: int, tell: int) -> None:
    step = "start"
    try:
        os.setsid()
        process.die_with_parent(parent)
        _take_descriptors(descriptors)
        size = launch.get("file_size")
        if size is not None:
            hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), hard))
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        step = "folder"
        os.chdir(launch["cwd"])
        step = "program"
        os.execve(launch["program"], launch["argv"], launch["variables"])
    except BaseException as error:
        reason = getattr(error, "strerror", None) or str(error)
        os.write(tell, f"{step}:{reason}".encode("utf-8", "replace"))
    finally:
        os._exit(127)


def _take_descriptors(descriptors: list[int]) -> None:
    """Standard output and error, then the side channel, each under the number it is known by."""
    high = [os.dup(each) for each in descriptors]
    targets = (1, 2, CHANNEL, ACKNOWLEDGEMENTS)
    spare = [_above(each, len(targets) + 2) for each in high]
    for source, target in zip(spare, targets):  # noqa: B905 (Python 3.9)
        os.dup2(source, target, inheritable=True)


def _above(descriptor: int, lowest: int) -> int:
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, lowest)


def _remove(folder: str) -> None:
    """The private folder with the sockets, where the runner could not do it any more."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
