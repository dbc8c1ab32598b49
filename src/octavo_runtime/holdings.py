"""The descriptors of a kernel, when it is copied and when a copy goes on.

A copy shares with its original whatever it held open. What must not be shared is put out of the
way: text and events go nowhere, pipes and sockets are dead ends (reading ends, writing breaks), so
that whoever is at the other end sees the original close them. Files are opened anew when a kernel
goes on from the copy, each at the place where it stood.
"""

from __future__ import annotations

import fcntl
import os
import socket
import stat

#: What a descriptor is to a kernel: one of ours by name, a "file", a "dead-end", or left alone.
OURS = ("channel", "acknowledgements", "stdout", "stderr", "usage")
#: How a file was opened that it is opened again in the same way.
_LASTING = os.O_ACCMODE | os.O_APPEND | os.O_NONBLOCK | os.O_SYNC | os.O_DIRECT


class Held:
    """One descriptor as it was when the kernel was copied."""

    __slots__ = ("flags", "identity", "inheritable", "number", "offset", "role")

    def __init__(self, number: int, role: str, offset: int = 0) -> None:
        self.number = number
        self.identity = _identity(number)
        self.role = role
        self.offset = offset
        self.flags = fcntl.fcntl(number, fcntl.F_GETFL) & _LASTING
        self.inheritable = os.get_inheritable(number)

    @property
    def there(self) -> bool:
        """Whether it is what it was: some libraries close their files in every fork."""
        try:
            return _identity(self.number) == self.identity
        except OSError:
            return False

    def put(self, descriptor: int) -> None:
        """Let another descriptor take this number."""
        os.dup2(descriptor, self.number, inheritable=self.inheritable)


def note(ours: dict[int, str], pipes: dict[str, int]) -> list[Held]:
    """Everything that is open. `ours` names numbers, `pipes` one end each of the two streams.

    The streams are known by what they lead to: a notebook may have moved or doubled them.
    """
    streams = {_identity(number): name for name, number in pipes.items()}
    held = []
    for name in os.listdir("/proc/self/fd"):
        number = int(name)
        try:
            status = os.fstat(number)
        except OSError:  # the one that lists the folder
            continue
        role = ours.get(number) or streams.get((status.st_dev, status.st_ino))
        held.append(_held(number, role, status.st_mode))
    return [each for each in held if each is not None]


def _held(number: int, role: str | None, mode: int) -> Held | None:
    if role is not None:
        return Held(number, role)
    if stat.S_ISREG(mode):
        return Held(number, "file", os.lseek(number, 0, os.SEEK_CUR))
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        return Held(number, "dead-end")
    return None


def _identity(number: int) -> tuple[int, int]:
    status = os.fstat(number)
    return status.st_dev, status.st_ino


def let_go(held: list[Held]) -> None:
    """In a copy: keep every number, and nothing that leads to others."""
    for each in held:
        if each.role == "file" or not each.there:
            continue
        end = _dead_end(each)
        each.put(end)
        os.close(end)


def _dead_end(held: Held) -> int:
    """A descriptor of the same kind that leads nowhere."""
    if held.role in ("channel", "dead-end") and stat.S_ISSOCK(os.fstat(held.number).st_mode):
        ours, theirs = socket.socketpair()
        theirs.close()
        return ours.detach()
    reading, writing = os.pipe()
    kept = reading if held.flags & os.O_ACCMODE == os.O_RDONLY else writing
    os.close(writing if kept == reading else reading)
    return kept


def take(held: list[Held], new: dict[str, int]) -> None:
    """In a kernel that goes on: what is ours leads to its own runner, and files are its own."""
    for each in held:
        if each.role == "file":
            if each.there:
                _reopen(each)
        elif each.role in new:
            each.put(new[each.role])


def _reopen(held: Held) -> None:
    """One that cannot be opened any more stays shared with the copy."""
    try:
        own = os.open(f"/proc/self/fd/{held.number}", held.flags | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.lseek(own, held.offset, os.SEEK_SET)
        held.put(own)
    finally:
        os.close(own)
