"""What code in a session shows, line by line while it is executed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.render.columns import coloured, settled
from octavo.surfaces.cli.screen import Screen


class LiveOutputs:
    """Writes what comes; the answer then tells the rest.

    With `room`, only so many characters: the beginning of what the answer has room for. After an
    image nothing is written, because only the answer knows its file.
    """

    def __init__(self, out: Screen, room: int | None) -> None:
        self._out = out
        self._room = room
        self._stream = ""
        self._open = ""
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
        told = "".join(f"{line}\n" for line in lines)
        if told.startswith(self.shown):
            return told[len(self.shown) :].splitlines()
        if self._silent:
            return lines
        self._end_line()
        return None

    def _next_cell(self, *, again: bool) -> None:
        self._end_line()
        self.shown, self._silent = "", again

    def _take(self, stream: str, text: str) -> None:
        if stream != self._stream:
            self._end_line()
        self._stream = stream
        *lines, self._open = (self._open + text).split("\n")
        for line in lines:
            self._write(line)

    def _take_data(self, data: Mapping[str, Any]) -> None:
        self._end_line()
        if any(mime.startswith("image/") for mime in data) or "text/plain" not in data:
            self._silent = True
        for line in str(data.get("text/plain")).splitlines():
            self._write(line)

    def _end_line(self) -> None:
        line, self._open = self._open, ""
        if line:
            self._write(line)

    def _write(self, line: str) -> None:
        text = coloured(settled(line)) + "\n"
        if self._room is not None:
            self._room -= len(text)
            self._silent = self._silent or self._room < 0
        if self._silent:
            return
        try:
            self._out.write(text)
            self.shown += text
        except OSError:  # nobody reads; the session goes on all the same
            self._silent = True
