"""A terminal that understands as much as the live view uses, and remembers what it shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from octavo.render.columns import width
from octavo.render.style import Style

#: The second column of a wide character.
FILLER = "\0"

_SEQUENCE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")


class FakeTerminal:
    """Stands in for a `Screen`. Lines that are too long wrap, as on a real one."""

    is_terminal = True
    live = True

    def __init__(self, columns: int = 80, rows: int = 24, *, colour: bool = False) -> None:
        self.columns = columns
        self.rows = rows
        self.style = Style(colour=colour)
        self.lines: list[str] = [""]
        self.writes: list[str] = []
        self._row = 0
        self._column = 0

    def print(self, *lines: str) -> None:
        self.write("".join(f"{line}\n" for line in lines))

    def write(self, text: str) -> None:
        self.writes.append(text)
        at = 0
        while at < len(text):
            found = _SEQUENCE.match(text, at)
            if found:
                self._obey(found[1], found[2], found[3])
                at = found.end()
            else:
                self._put(text[at])
                at += 1

    @property
    def text(self) -> str:
        shown = "\n".join(line.rstrip() for line in self.lines).rstrip("\n")
        return shown.replace(FILLER, "")

    def _obey(self, private: str, number: str, command: str) -> None:
        if command == "A":
            self._row -= int(number or 1)
            assert self._row >= 0, "the cursor left the screen"
        elif command == "K":
            assert number == "2"
            self.lines[self._row] = ""
        elif command == "J":
            self.lines[self._row :] = [""]
        else:
            assert command in "mhl", f"unknown sequence {command}"
            assert command == "m" or (private, number) == ("?", "2026")

    def _put(self, character: str) -> None:
        assert character != "\x1b", "an escape sequence that is not understood"
        if character == "\r":
            self._column = 0
        elif character == "\n":
            self._down()
        else:
            self._show(character, width(character))

    def _show(self, character: str, columns: int) -> None:
        """Put a character into its columns; one that takes none changes nothing here."""
        if not columns:
            return
        if self._column + columns > self.columns:
            self._down()
        line = self.lines[self._row].ljust(self._column)
        shown = character + FILLER * (columns - 1)
        self.lines[self._row] = line[: self._column] + shown + line[self._column + columns :]
        self._column += columns

    def _down(self) -> None:
        self._row += 1
        self._column = 0
        if self._row == len(self.lines):
            self.lines.append("")


class FakeTime:
    """A clock and a timer that tests move by hand."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._due: list[tuple[float, Callable[[], None]]] = []

    def clock(self) -> float:
        return self.now

    def later(self, delay: float, call: Callable[[], None]) -> Any:
        entry = (self.now + delay, call)
        self._due.append(entry)
        return _Handle(self._due, entry)

    def pass_(self, seconds: float) -> None:
        """Let time go by; timers fire in their order."""
        end = self.now + seconds
        while due := [entry for entry in self._due if entry[0] <= end]:
            entry = min(due, key=lambda each: each[0])
            self._due.remove(entry)
            self.now = entry[0]
            entry[1]()
        self.now = end


class _Handle:
    def __init__(self, due: list[Any], entry: Any) -> None:
        self._due, self._entry = due, entry

    def cancel(self) -> None:
        if self._entry in self._due:
            self._due.remove(self._entry)
