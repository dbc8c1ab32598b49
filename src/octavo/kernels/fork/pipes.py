"""Standard output and error of a kernel, read by the event loop and decoded as they come."""

from __future__ import annotations

import asyncio
import codecs
import os
from collections.abc import Callable

from octavo.events.types import StreamName

COALESCE_SECONDS = 0.001
READ_BYTES = 1 << 18
READS_AT_ONCE = 16

Piece = tuple[StreamName, str]


class Pipe:
    """The reading end of one pipe."""

    def __init__(self, descriptor: int, name: StreamName) -> None:
        self.descriptor = descriptor
        self.name = name
        self.open = True
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self, reads: int) -> tuple[str, bool]:
        """What is there, up to a number of reads, and whether that was all."""
        parts: list[bytes] = []
        empty = not self.open
        while not empty and len(parts) < reads:
            try:
                data = os.read(self.descriptor, READ_BYTES)
            except BlockingIOError:
                empty = True
                break
            if not data:
                self.close()
                empty = True
                break
            parts.append(data)
        return (self._decoder.decode(b"".join(parts)) if parts else ""), empty

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

    def drain(self, reads: int = 1 << 30) -> list[Piece]:
        """All that was written until now. The kernel empties one pipe before it uses the other."""
        pieces: list[Piece] = []
        for pipe in self._pipes:
            text, empty = self._read(pipe, reads)
            if text:
                pieces.append((pipe.name, text))
            if not empty:
                break
        return pieces

    def finish(self) -> list[Piece]:
        """The end of both, when nobody will write any more."""
        return [(pipe.name, text) for pipe in self._pipes if (text := pipe.finish())]

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

    def _read(self, pipe: Pipe, reads: int) -> tuple[str, bool]:
        text, empty = pipe.read(reads)
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
