"""Standard output and error of a kernel, read by the event loop and decoded as they come."""

from __future__ import annotations

import array
import asyncio
import codecs
import fcntl
import os
import termios
from collections.abc import Callable

from octavo.events.types import StreamName

COALESCE_SECONDS = 0.001
READ_BYTES = 1 << 18
PORTION_BYTES = 16 * READ_BYTES
PIPE_BYTES = 256 * 1024

Piece = tuple[StreamName, str]


def wide_pipe() -> tuple[int, int]:
    """A pipe that holds more than usual, where the system lets an ordinary user have that."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    try:
        fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except (OSError, AttributeError):
        pass
    return read, write


class Pipe:
    """The reading end of one pipe."""

    def __init__(self, descriptor: int, name: StreamName) -> None:
        self.descriptor = descriptor
        self.name = name
        self.open = True
        self._counter = array.array("i", [0])
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def waiting(self) -> int:
        """How many bytes have been written and not read."""
        if not self.open:
            return 0
        fcntl.ioctl(self.descriptor, termios.FIONREAD, self._counter)
        return self._counter[0]

    def read(self, most: int) -> tuple[str, bool]:
        """What is there, up to a number of bytes, and whether that was all."""
        parts: list[bytes] = []
        empty = not self.open
        while not empty and most > 0:
            try:
                data = os.read(self.descriptor, min(READ_BYTES, most))
            except BlockingIOError:
                empty = True
                break
            if not data:
                self.close()
                empty = True
                break
            parts.append(data)
            most -= len(data)
        return (self._decoder.decode(b"".join(parts)) if parts else ""), empty

    @property
    def unfinished(self) -> bool:
        """Whether the last character is not complete yet."""
        return bool(self._decoder.getstate()[0])

    def finish(self) -> str:
        """What an unfinished character at the very end becomes."""
        return self._decoder.decode(b"", final=True)

    def close(self) -> None:
        if self.open:
            self.open = False
            os.close(self.descriptor)


class Pipes:
    """Both pipes of a kernel; calls back when one of them has something to read.

    A loop of prints must not wake us for every line: what comes within a moment is read at once.
    """

    def __init__(self, out: int, err: int, on_text: Callable[[], None]) -> None:
        self._pipes = (Pipe(out, "stdout"), Pipe(err, "stderr"))
        self._loop = asyncio.get_running_loop()
        self._on_text = on_text
        self._listening: list[int] = []
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        self._listen()

    @property
    def descriptors(self) -> tuple[int, int]:
        out, err = self._pipes
        return out.descriptor, err.descriptor

    @property
    def at_rest(self) -> bool:
        """Whether both are open and all that came by them has been handed on."""
        listening = len(self._listening) == len(self._pipes)
        return listening and not any(pipe.unfinished for pipe in self._pipes)

    def written(self) -> list[Piece]:
        """What has been written until now, and no more: others may go on writing for ever."""
        pieces: list[Piece] = []
        for pipe in self._pipes:
            waiting = pipe.waiting()
            if waiting and (text := self._read(pipe, waiting)[0]):
                pieces.append((pipe.name, text))
        return pieces

    def some(self) -> list[Piece]:
        """What there is, in portions. The kernel empties one pipe before it uses the other."""
        pieces: list[Piece] = []
        for pipe in self._pipes:
            text, empty = self._read(pipe, PORTION_BYTES)
            if text:
                pieces.append((pipe.name, text))
            if not empty:
                break
        return pieces

    def rest(self) -> list[Piece]:
        """Everything to the end, when nobody will write any more."""
        texts = [(pipe.name, self._read(pipe, 1 << 40)[0] + pipe.finish()) for pipe in self._pipes]
        return [(name, text) for name, text in texts if text]

    def resume(self) -> None:
        """Listen again, after a callback."""
        if not self._closed:
            self._listen()

    def close(self) -> None:
        self._closed = True
        self._deafen()
        if self._timer is not None:
            self._timer.cancel()
        for pipe in self._pipes:
            pipe.close()

    def _read(self, pipe: Pipe, most: int) -> tuple[str, bool]:
        text, empty = pipe.read(most)
        if not pipe.open and pipe.descriptor in self._listening:
            self._listening.remove(pipe.descriptor)
            self._loop.remove_reader(pipe.descriptor)
        return text, empty

    def _listen(self) -> None:
        for pipe in self._pipes:
            if pipe.open and pipe.descriptor not in self._listening:
                self._listening.append(pipe.descriptor)
                self._loop.add_reader(pipe.descriptor, self._readable)

    def _deafen(self) -> None:
        for descriptor in self._listening:
            self._loop.remove_reader(descriptor)
        self._listening.clear()

    def _readable(self) -> None:
        self._deafen()
        self._timer = self._loop.call_later(COALESCE_SECONDS, self._on_text)
