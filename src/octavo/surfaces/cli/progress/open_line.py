"""A line that has not ended yet: a progress bar, or words that are still being written."""

from __future__ import annotations

from octavo.render.columns import clip_start, coloured, plain, settled, width
from octavo.surfaces.cli.screen import Screen

_BACK = "\r\x1b[K"


class OpenLine:
    """Draws the last line of an output again and again, where the screen can do that."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._drawn = ""

    def draw(self, text: str) -> None:
        """Show what the line is now; one that is too long is shown from its end."""
        if not self._screen.live:
            return
        line, room = coloured(settled(text)), self._screen.columns - 1
        if width(line) > room:
            line = clip_start(plain(line), room)
        if line == self._drawn:
            return
        goes_on = line.startswith(self._drawn) and "\x1b" not in line
        self._screen.write(line[len(self._drawn) :] if goes_on else f"{_BACK}{line}")
        self._drawn = line

    def wipe(self) -> None:
        """Leave the line empty for what is to stand there."""
        if self._drawn:
            self._drawn = ""
            self._screen.write(_BACK)


class Lines:
    """Text that arrives in pieces; what a line has been before is settled, so that none grows."""

    def __init__(self) -> None:
        self.open = ""

    def take(self, text: str) -> list[str]:
        """The lines that are complete now."""
        *lines, last = (self.open + text).split("\n")
        before, back, now = last.rpartition("\r")
        self.open = settled(before) + back + now
        return lines

    def end(self) -> list[str]:
        """The line that was open, if there is one."""
        line, self.open = self.open, ""
        return [line] if line else []
