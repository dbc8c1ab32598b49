"""Lines at the bottom of a terminal that are drawn again in their place."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.render.columns import width
from octavo.surfaces.cli.screen import Screen

# Terminals that know it show everything between the two at once; others ignore it.
_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"


class Canvas:
    """Lasting lines scroll up; the live ones below them are replaced by the next drawing.

    Lines must fit the screen. The cursor rests at the start of the line below the live ones, so
    that whatever else is written begins on a line of its own.
    """

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._live: Sequence[str] = ()

    def draw(self, lasting: Sequence[str], live: Sequence[str]) -> None:
        """One write: no state in between is ever seen."""
        if not lasting and not live and not self._live:
            return
        up = self._rows()
        back = f"\r\x1b[{up}A" if up else "\r"
        lines = "".join(f"\x1b[2K{line}\n" for line in (*lasting, *live))
        self._live = tuple(live)
        self._screen.write(f"{_BEGIN}{back}{lines}\x1b[J{_END}")

    def _rows(self) -> int:
        """How many rows the live lines take now; a narrower terminal has broken them."""
        columns = self._screen.columns
        return sum(max(1, -(-width(line) // columns)) for line in self._live)
