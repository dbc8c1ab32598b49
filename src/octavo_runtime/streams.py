"""Standard output and error of a kernel, in order with everything else it emits.

Both are plain pipes, so that C code and subprocesses share them. The reader cannot see which of
two pipes was written first; so before Python writes to one, the other must have been read empty.
`FIONREAD` on the writing end tells; where it has not, a barrier waits for the reader.
"""

from __future__ import annotations

import fcntl
import io
import sys
import termios
from collections.abc import Callable
from typing import Any

_NOTHING = b"\0\0\0\0"


class OrderedPipe(io.FileIO):
    """The writing end of one pipe, which waits until its twin has been read."""

    twin: int
    barrier: Callable[[], None]
    before: Callable[[], None] | None = None

    def write(self, data: Any) -> int | None:
        if self.before is not None:
            self.before()
        if fcntl.ioctl(self.twin, termios.FIONREAD, _NOTHING) != _NOTHING:
            self.barrier()
        written = super().write(data)
        if written is None or written == len(data):
            return written
        return self._write_rest(memoryview(data), written)

    def _write_rest(self, data: memoryview, written: int) -> int:
        while written < len(data):
            written += super().write(data[written:]) or 0
        return written


class KernelStream(io.TextIOWrapper):
    """`sys.stdout` or `sys.stderr` of a kernel."""

    def __init__(self, pipe: OrderedPipe, name: str, *, unbuffered: bool) -> None:
        super().__init__(
            pipe if unbuffered else io.BufferedWriter(pipe, 8192),  # type: ignore[arg-type]
            encoding="utf-8",
            errors="backslashreplace" if name == "stderr" else "surrogateescape",
            newline="\n",
            line_buffering=True,
            write_through=unbuffered,
        )
        self._label = name

    @property
    def name(self) -> str:  # type: ignore[override]
        return self._label

    def __repr__(self) -> str:
        return f"<kernel stream {self._label!r}>"


def install(barrier: Callable[[], None]) -> tuple[KernelStream, KernelStream]:
    """Replace `sys.stdout` and `sys.stderr` with streams over descriptors 1 and 2."""
    out_pipe = OrderedPipe(1, "w", closefd=False)
    err_pipe = OrderedPipe(2, "w", closefd=False)
    out_pipe.twin, err_pipe.twin = 2, 1
    out_pipe.barrier = err_pipe.barrier = barrier
    out = KernelStream(out_pipe, "stdout", unbuffered=False)
    err = KernelStream(err_pipe, "stderr", unbuffered=True)
    err_pipe.before = out.flush
    sys.stdout = sys.__stdout__ = out  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = err  # type: ignore[misc]
    return out, err
