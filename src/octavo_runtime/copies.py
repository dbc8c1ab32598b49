"""Frozen copies of a kernel, from which kernels go on.

A copy is made by a fork, in the main thread, between two cells. It is no child of the kernel: the
process in between ends at once, so that no `wait` of the notebook meets it. It waits on a socket
whose other end only the runner has; when that closes it is gone. Each time it is told to go on it
forks a keeper, and that a kernel, and stays as it was.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
from typing import Any

from octavo_runtime import forking, holdings, left_behind, packets, process, sharing, unforkable
from octavo_runtime.again import again

DESCRIPTORS = ("channel", "acknowledgements", "stdout", "stderr", "keeper")
_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lives.py")
_EXECUTABLE = sys.executable


def freeze(kernel: Any, request: dict[str, Any], descriptors: list[int]) -> None:
    """Make a frozen copy of a kernel; returns in it, and in each kernel that goes on."""
    control, link = (socket.socket(fileno=each) for each in descriptors)
    with control, link:
        try:
            refused = why_not(request.get("connections") or [])
            copy = Copy(kernel, control, link) if refused is None else None
            copied = copy is not None and forking.fork_away()
        except (OSError, ValueError) as error:
            refused, copied = ("unsupported", f"the kernel cannot be forked: {error}"), False
        if copied and copy is not None:
            copy.wait()
        elif refused is not None:
            reason, message = refused
            _tell(control, {"type": "refused", "reason": reason, "message": message})


def why_not(connections: list[str]) -> unforkable.Reason | None:
    """Why a kernel cannot be copied now, or None. `connections` are patterns of a policy."""
    return unforkable.reason(connections) or left_behind.reason()


def _tell(control: socket.socket, message: dict[str, Any]) -> None:
    try:
        packets.send(control, message)
    except OSError:
        pass  # nobody waits for it any more


class Copy:
    """The state of one kernel at one moment: made in the kernel, then living in its copy."""

    def __init__(self, kernel: Any, control: socket.socket, link: socket.socket) -> None:
        self.kernel = kernel
        self.control = control
        self.link = link
        kernel.emitter.flush()
        self.held = held_by(kernel, control, link)
        self.shared = sharing.shared()
        self.random = forking.random_state()
        self.signals = process.mask_signals(signal.SIG_BLOCK, ())
        self.collecting = gc.isenabled()
        self.keepers: list[int] = []

    def wait(self) -> None:
        """Stay frozen; returns only in a kernel that goes on from here."""
        try:
            gc.disable()  # it would write to every page that is shared
            holdings.let_go(self.held)
            sharing.make_private(self.shared)
            packets.send(self.link, {"op": "here", "pid": os.getpid()})
            packets.send(self.control, {"type": "frozen", "pid": os.getpid()})
            while True:
                received = packets.receive(self.control)
                if received is None:
                    os._exit(0)
                if self._go_on(received[1], received[0]["limits"]):
                    return
        except BaseException:
            os._exit(1)

    def _go_on(self, descriptors: list[int], limits: dict[str, Any]) -> bool:
        """Fork a keeper, which forks a kernel; True in that kernel."""
        self._collect()
        ends = dict(zip(DESCRIPTORS, descriptors))  # noqa: B905 (Python 3.9)
        theirs, link = socket.socketpair(type=socket.SOCK_SEQPACKET)
        keeper = forking.fork()
        if keeper:
            self.keepers.append(keeper)
            message = {"op": "life", "pid": keeper}
            packets.send(self.link, message, (theirs.fileno(),))
            for each in (*descriptors, theirs.detach(), link.detach()):
                os.close(each)
            return False
        theirs.close()
        self._become_keeper_and_kernel(ends, link, limits)
        return True

    def _become_keeper_and_kernel(
        self, ends: dict[str, int], link: socket.socket, limits: dict[str, Any]
    ) -> None:
        """Returns in the kernel only."""
        os.setsid()
        process.become_subreaper()
        parent = os.getpid()
        pid = forking.fork()
        if pid:
            _become_keeper(ends["keeper"], link.detach(), pid, limits)
        os.setsid()
        process.die_with_parent(parent)
        os.close(ends.pop("keeper"))
        for each in (link, self.control, self.link):
            each.close()
        sharing.make_shared(self.shared)
        again(self.kernel, self.held, ends)
        forking.restore_random(self.random)
        if self.collecting:
            gc.enable()
        process.mask_signals(signal.SIG_SETMASK, self.signals)

    def _collect(self) -> None:
        """Keepers that have ended since."""
        self.keepers = [pid for pid in self.keepers if not os.waitpid(pid, os.WNOHANG)[0]]


def held_by(kernel: Any, *own: socket.socket) -> list[holdings.Held]:
    """The descriptors of a kernel, but for those that its copy works with."""
    ours = {
        kernel.sock.fileno(): "channel",
        kernel.emitter.acknowledgements: "acknowledgements",
        kernel.usage.descriptor: "usage",
    }
    out, err = kernel.shell.kernel.pipes
    working = [each.fileno() for each in own]
    held = holdings.note(ours, {"stdout": out, "stderr": err})
    return [each for each in held if each.number not in working]


def _become_keeper(descriptor: int, link: int, pid: int, limits: dict[str, Any]) -> None:
    """A program of its own, so that nothing of the state that was copied is kept for it."""
    for each in (descriptor, link):
        os.set_inheritable(each, True)
    words = [str(each) for each in (descriptor, link, pid)]
    variables = {name: value for name, value in os.environ.items() if name.startswith("LD_")}
    arguments = [_EXECUTABLE, "-I", "-S", _PROGRAM, *words, json.dumps(limits)]
    try:
        os.execve(_EXECUTABLE, arguments, variables)
    except OSError:
        from octavo_runtime import lives

        lives.keep(descriptor, link, pid, limits)
    finally:
        os._exit(1)
