"""Starting a zygote and talking to it, from the runner's side.

This is the first thing that a run does; everything that is imported here delays the kernel.
"""

from __future__ import annotations

import _socket
import os
import sys

_PACKAGES = __file__.rpartition("/octavo/kernels/")[0]
BOOT = os.path.join(_PACKAGES, "octavo_runtime", "boot.py")
CONTROL = 3
KILL = 9


class Zygote:
    """A zygote process that belongs to this command.

    `key` says which launches it can serve; `control` is the socket that launches are sent on.
    """

    def __init__(self, key: tuple[object, ...], pid: int, control: int, complaints: int) -> None:
        self.key = key
        self.pid = pid
        self.control = control
        self.complaints = complaints

    def last_words(self) -> str:
        """What it wrote to standard error, read when it has failed."""
        os.set_blocking(self.complaints, False)
        try:
            return os.read(self.complaints, 1 << 16).decode("utf-8", "replace").strip()
        except BlockingIOError:
            return ""

    def dismiss(self) -> None:
        """Close the control socket, which ends the process."""
        if self.control >= 0:
            os.close(self.control)
            os.close(self.complaints)
            self.control = -1

    def end(self) -> None:
        """Kill the process, which may hang while it boots, and collect it; safe to call twice."""
        self.dismiss()
        if self.pid:
            try:
                os.killpg(self.pid, KILL)
            except ProcessLookupError:
                pass
            try:
                os.waitpid(self.pid, 0)
            except ChildProcessError:
                pass
            self.pid = 0


def key(
    python: str, variables: dict[str, str], preload: tuple[str, ...], overlay: str | None
) -> tuple[object, ...]:
    """What a zygote is good for: launches with an equal key can share one."""
    return (python, tuple(sorted(at_start(variables).items())), preload, overlay)


def at_start(variables: dict[str, str]) -> dict[str, str]:
    """The variables that must be there when an interpreter starts; the rest comes later."""
    return {
        name: value
        for name, value in variables.items()
        if name in ("HOME", "LANG") or name.startswith(("PYTHON", "LD_", "MALLOC_", "LC_"))
    }


def spawn(
    python: str,
    variables: dict[str, str],
    preload: tuple[str, ...] = (),
    overlay: str | None = None,
) -> Zygote:
    """Start a zygote without waiting for it. OSError when the program cannot be executed."""
    ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
    complaints, their_complaints = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, their_complaints, 2),
        (os.POSIX_SPAWN_DUP2, theirs.fileno(), CONTROL),
    ]
    arguments = [python, BOOT, str(CONTROL), ",".join(preload), overlay or "", "", ""]
    try:
        pid = os.posix_spawn(
            python,
            arguments,
            at_start(variables),
            file_actions=actions,
            setpgroup=0,
            setsigdef=(13,),
        )
    except OSError:
        os.close(complaints)
        ours.close()
        raise
    finally:
        theirs.close()
        os.close(their_complaints)
    return Zygote(key(python, variables, preload, overlay), pid, ours.detach(), complaints)


def supported() -> bool:
    """Whether this system can fork kernels."""
    return sys.platform == "linux" and hasattr(os, "posix_spawn")
