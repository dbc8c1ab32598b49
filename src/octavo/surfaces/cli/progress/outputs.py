"""What code in a session shows, while it is executed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from octavo.render.columns import coloured, settled
from octavo.surfaces.cli.progress.open_line import Lines, OpenLine
from octavo.surfaces.cli.screen import Screen


class LiveOutputs:
    """Writes what comes; the answer then tells the rest.

    With `room`, only so many characters: the beginning of what the answer has room for. After an
    image nothing is written, because only the answer knows its file.
    """

    def __init__(self, out: Screen, room: int | None) -> None:
        self._out = out
        self._line = OpenLine(out)
        self._room = room
        self._stream = ""
        self._lines = Lines()
        self._silent = False
        #: What was written of the cell that is executed now.
        self.shown = ""

    def hear(self, event: Mapping[str, Any]) -> None:
        """Take an event of the session."""
        kind = event.get("type")
        if kind == "cell-bound":
            self._next_cell(again=event.get("role") == "again")
        elif kind == "stream":
            self._take(str(event.get("name")), str(event.get("text")))
        elif kind in ("display", "execute-result"):
            self._take_data(event.get("data") or {})

    def rest(self, lines: list[str]) -> list[str] | None:
        """Those of an answer's lines that were not written; None where all were, in other words."""
        self._guarded(self._line.wipe)
        told = "".join(f"{line}\n" for line in lines)
        if told.startswith(self.shown):
            return told[len(self.shown) :].splitlines()
        if self._silent:
            return lines
        self._end_line()
        return None

    def close(self) -> None:
        """Nothing more will come."""
        self._end_line()

    def _next_cell(self, *, again: bool) -> None:
        self._end_line()
        self.shown, self._silent = "", again

    def _take(self, stream: str, text: str) -> None:
        if stream != self._stream:
            self._end_line()
        self._stream = stream
        for line in self._lines.take(text):
            self._write(line)
        if not self._silent:
            self._guarded(self._line.draw, self._lines.open)

    def _take_data(self, data: Mapping[str, Any]) -> None:
        self._end_line()
        if any(mime.startswith("image/") for mime in data) or "text/plain" not in data:
            self._silent = True
        for line in str(data.get("text/plain")).splitlines():
            self._write(line)

    def _end_line(self) -> None:
        for line in self._lines.end():
            self._write(line)

    def _write(self, line: str) -> None:
        text = coloured(settled(line)) + "\n"
        if self._room is not None:
            self._room -= len(text)
            self._silent = self._silent or self._room < 0
        if self._silent:
            self._guarded(self._line.wipe)
        elif self._guarded(self._line.wipe) and self._guarded(self._out.write, text):
            self.shown += text

    def _guarded(self, write: Callable[..., None], *arguments: str) -> bool:
        """Where nobody reads, the session goes on all the same."""
        try:
            write(*arguments)
        except OSError:
            self._silent = True
            return False
        return True
