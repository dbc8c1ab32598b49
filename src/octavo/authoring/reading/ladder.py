"""Long texts at several lengths: of each the beginning and the end, twice as much every time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from octavo.value import Value

FIRST_WIDTH = 160


class Folded(Value):
    """Lines with a gap: `gone` lines are left out between `head` and `tail`, `cut` lines are
    shorter than they were.
    """

    head: tuple[str, ...]
    tail: tuple[str, ...] = ()
    gone: int = 0
    cut: int = 0

    @property
    def whole(self) -> bool:
        return not self.gone and not self.cut


class Ladder:
    """A text with its rungs. `first` lines are on the first of them; `end_first` says that the
    end is worth more than the beginning. `gone` lines after `before` are not there to be had.
    """

    def __init__(
        self,
        lines: Sequence[str],
        first: int,
        *,
        end_first: bool = False,
        before: int = 0,
        gone: int = 0,
    ) -> None:
        self._lines = lines
        self._first = first
        self._end_first = end_first
        self._before = before
        self._gone = gone

    @cached_property
    def rungs(self) -> int:
        """How many lengths there are; the last one has all lines, whole."""
        longest = max(map(len, self._lines), default=0)
        rungs = 1
        while not (self._fits(rungs) and FIRST_WIDTH << (rungs - 1) >= longest):
            rungs += 1
        return rungs

    def _fits(self, rungs: int) -> bool:
        """A gap of one line would take as much room as the line."""
        return len(self._lines) <= (self._first << (rungs - 1)) + 1

    def at(self, rung: int) -> Folded:
        """The text on a rung, counted from 1."""
        width = FIRST_WIDTH << (rung - 1)
        if self._fits(rung):
            if self._gone:
                head, tail = self._lines[: self._before], self._lines[self._before :]
            else:
                head, tail = self._lines, ()
            gone = self._gone
        else:
            room = self._first << (rung - 1)
            above = room // 3 if self._end_first else room - room // 3
            head, tail = self._lines[:above], self._lines[len(self._lines) - (room - above) :]
            gone = len(self._lines) - room + self._gone
        cut = sum(len(line) > width for part in (head, tail) for line in part)
        return Folded(_clipped(head, width), _clipped(tail, width), gone, cut)


def _clipped(lines: Sequence[str], width: int) -> tuple[str, ...]:
    return tuple(line if len(line) <= width else f"{line[: width - 1]}…" for line in lines)
