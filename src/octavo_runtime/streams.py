"""Standard output and error of a kernel, in order with everything else it emits.

Both are plain pipes, so that C code and subprocesses share them. The reader cannot see which of
two pipes was written first; so before Python writes to one, the other must have been read empty.
`FIONREAD` on the writing end tells; where it has not, a barrier waits for the reader.

Python writes through descriptors of its own: code that closes or redirects descriptor 1 does to
C code and subprocesses what it wants, and `print` goes on, as in any notebook.

An interrupt may be raised between any two steps of Python. So what waits comes before the step
that writes, and that step is one call into C: text is written once, never twice.
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

from octavo_runtime.emitter import Emitter

PRIVATE_FROM = 64
BUFFER_BYTES = 1 << 16

_ioctl = fcntl.ioctl
_FIONREAD = termios.FIONREAD
_buffer_write = io.BufferedWriter.write
_buffer_flush = io.BufferedWriter.flush


class Pipe(io.FileIO):
    """The writing end of one pipe; `fileno` is the number by which others know it."""

    def __init__(self, public: int, leads_to: int) -> None:
        self.public = public
        self.private = _private(leads_to)
        super().__init__(self.private, "w", closefd=False)

    def fileno(self) -> int:
        return self.public


class Turn:
    """Waits until the other pipe has been read empty, and what was held back has been sent."""

    def __init__(self, own: Pipe, twin: Pipe, emitter: Emitter) -> None:
        self.own = own.private
        self.twin = twin.private
        self.emitter = emitter
        self.waiting = array.array("i", [0])

    def settle(self) -> None:
        _ioctl(self.twin, _FIONREAD, self.waiting)
        if self.waiting[0] or self.emitter.held:
            self.emitter.barrier()


class OutBuffer(io.BufferedWriter):
    """Between `sys.stdout` and its pipe: flushed once for every printed line, so it is quick."""

    turn: Turn
    _full = False

    def write(self, data: Any, /) -> int:
        if len(data) >= BUFFER_BYTES:
            self.turn.settle()
        self._full = True
        return _buffer_write(self, data)

    def flush(self) -> None:
        if self._full:
            turn = self.turn
            _ioctl(turn.twin, _FIONREAD, turn.waiting)
            if turn.waiting[0] or turn.emitter.held:
                turn.emitter.barrier()
            _buffer_flush(self)
            self._full = False


class ErrPipe(Pipe):
    """Standard error: what was printed before comes first, also a piece of a line."""

    turn: Turn
    before: Callable[[], None]

    def write(self, data: Any, /) -> int:
        self.before()
        self.turn.settle()
        view = memoryview(data)
        while view:
            view = view[super().write(view) or 0 :]
        return len(data)


class KernelStream(io.TextIOWrapper):
    """`sys.stdout` or `sys.stderr` of a kernel."""

    def __init__(self, buffer: Any, name: str, turn: Turn) -> None:
        super().__init__(
            buffer,
            encoding="utf-8",
            errors="backslashreplace",
            newline="\n",
            line_buffering=True,
            write_through=name == "stderr",
        )
        self._label = name
        self.turn = turn

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


def create(emitter: Emitter, out: int, err: int) -> tuple[KernelStream, KernelStream]:
    """Streams into two pipes that others know, or will know, as descriptors 1 and 2."""
    out_pipe, err_pipe = Pipe(1, out), ErrPipe(2, err)
    buffer = OutBuffer(out_pipe, BUFFER_BYTES)
    buffer.turn = Turn(out_pipe, err_pipe, emitter)
    err_pipe.turn = Turn(err_pipe, out_pipe, emitter)
    stdout = KernelStream(buffer, "stdout", buffer.turn)
    stderr = KernelStream(err_pipe, "stderr", err_pipe.turn)
    err_pipe.before = stdout.flush
    return stdout, stderr


def install(out: KernelStream, err: KernelStream) -> None:
    """Let Python write to them."""
    sys.stdout = sys.__stdout__ = out  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = err  # type: ignore[misc]
