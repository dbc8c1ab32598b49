"""Standard output and error of a kernel, in order with everything else it emits.

Both are plain pipes, so that C code and subprocesses share them. The reader cannot see which of
two pipes was written first; so before Python writes to one, the other must have been read empty.
`FIONREAD` on the writing end tells; where it has not, a barrier waits for the reader.

Python writes through descriptors of its own: code that closes or redirects descriptor 1 does to
C code and subprocesses what it wants, and `print` goes on, as in any notebook.
"""

from __future__ import annotations

import array
import fcntl
import io
import os
import sys
import termios
from collections.abc import Callable
from typing import Any

PRIVATE_FROM = 64

_ioctl = fcntl.ioctl
_FIONREAD = termios.FIONREAD
_write = io.FileIO.write


class OrderedPipe(io.FileIO):
    """The writing end of one pipe, which waits until its twin has been read."""

    twin: int
    barrier: Callable[[], None]

    def __init__(self, public: int) -> None:
        self.public = public
        self.private = _private(public)
        super().__init__(self.private, "w", closefd=False)
        self._waiting = array.array("i", [0])

    def fileno(self) -> int:
        return self.public

    def settle(self) -> None:
        """Wait until the twin has been read empty."""
        waiting = self._waiting
        _ioctl(self.twin, _FIONREAD, waiting)
        if waiting[0]:
            self.barrier()

    def write(self, data: Any) -> int:
        # Once for every printed line: `settle` is spelled out, and `super()` is not called.
        waiting = self._waiting
        _ioctl(self.twin, _FIONREAD, waiting)
        if waiting[0]:
            self.barrier()
        written = _write(self, data)
        if written == len(data):
            return written
        return self._write_rest(memoryview(data), written)

    def _write_rest(self, data: memoryview, written: int) -> int:
        while written < len(data):
            written += _write(self, data[written:]) or 0
        return written


class FlushingPipe(OrderedPipe):
    """Standard error: what was printed before comes first, also a piece of a line."""

    before: Callable[[], None]

    def write(self, data: Any) -> int:
        self.before()
        return super().write(data)


class KernelStream(io.TextIOWrapper):
    """`sys.stdout` or `sys.stderr` of a kernel."""

    def __init__(self, pipe: OrderedPipe, name: str, *, unbuffered: bool) -> None:
        super().__init__(
            pipe if unbuffered else io.BufferedWriter(pipe, 8192),
            encoding="utf-8",
            errors="backslashreplace",
            newline="\n",
            line_buffering=True,
            write_through=unbuffered,
        )
        self._label = name
        self.pipe = pipe

    def close(self) -> None:
        """Flush only: the next cell wants to print too."""
        self.flush()

    @property
    def name(self) -> str:
        return self._label

    def __repr__(self) -> str:
        return f"<kernel stream {self._label!r}>"


def _private(descriptor: int) -> int:
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, PRIVATE_FROM)
    except OSError:  # a low limit on descriptors
        return os.dup(descriptor)


def install(barrier: Callable[[], None]) -> tuple[KernelStream, KernelStream]:
    """Replace `sys.stdout` and `sys.stderr` with streams into the pipes at descriptors 1 and 2."""
    out_pipe, err_pipe = OrderedPipe(1), FlushingPipe(2)
    out_pipe.twin, err_pipe.twin = err_pipe.private, out_pipe.private
    out_pipe.barrier = err_pipe.barrier = barrier
    out = KernelStream(out_pipe, "stdout", unbuffered=False)
    err = KernelStream(err_pipe, "stderr", unbuffered=True)
    err_pipe.before = out.flush
    sys.stdout = sys.__stdout__ = out  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = err  # type: ignore[misc]
    return out, err
