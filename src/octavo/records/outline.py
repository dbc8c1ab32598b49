"""The first reading of a journal: what happened, and where the outputs of each cell stand.

Outputs are not kept, only the byte ranges they lie in, so memory does not grow with them. Lines
begin with their type and cell, so most of them are placed without being decoded.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

from octavo.events.codec import UnknownEvent, decode
from octavo.events.fold import OUTPUT_EVENTS, OutputEvent
from octavo.events.statuses import RunFold
from octavo.events.types import CommMessage, Display, Event, ExecuteResult
from octavo.events.widgets import WidgetFold
from octavo.records.scraps import MARK, ScrapFold

Range = tuple[int, int]

_TYPE = b'{"type":"'
_CELL = b'","cell":'
_PLAIN_END = b',"display_id":null,"update":false}\n'
#: Lines that only pass 2 has to read, unless something special is in them.
_PLACED = frozenset((b"stream", b"spilled", b"display", b"execute-result", b"clear-output"))


class Outline:
    """What the first reading of a journal learns.

    `ranges` are the lines with the outputs of a cell, `newest` is the line with the newest
    content of a display. `unknown` and `damaged` count lines that could not be used.
    """

    def __init__(self) -> None:
        self.run = RunFold()
        self.widgets = WidgetFold()
        self.ranges: dict[int, list[Range]] = {}
        self.newest: dict[str, Range] = {}
        self._scraps = ScrapFold(light=True)
        self.unknown = 0
        self.damaged = 0

    @property
    def scraps(self) -> dict[str, Any]:
        """What was handed out: plain values, and descriptions of all others."""
        return self._scraps.summaries()

    def take(self, line: bytes, start: int) -> None:
        """Take in the line that begins at byte `start`."""
        cell = self._placeable(line)
        if cell is not None:
            self._place(cell, start, start + len(line))
            return
        try:
            event = decode(line)
        except UnknownEvent:
            self.unknown += 1
        except ValueError:
            self.damaged += 1
        else:
            self._take_event(event, start, start + len(line))

    def _placeable(self, line: bytes) -> int | None:
        """The cell of an output that needs no closer look now."""
        end = line.find(b'"', len(_TYPE))
        kind = line[len(_TYPE) : end]
        if kind not in _PLACED or not line.endswith(b"}\n") or not line.startswith(_TYPE):
            return None
        if kind == b"display" and not line.endswith(_PLAIN_END):
            return None
        if kind in (b"display", b"execute-result") and MARK in line:
            return None
        try:
            cell = int(line[end + len(_CELL) : line.index(b",", end + len(_CELL))])
        except ValueError:
            return None
        return None if self.widgets.captures(cell) else cell

    def _take_event(self, event: Event, start: int, end: int) -> None:
        if isinstance(event, OUTPUT_EVENTS):
            self._take_output(event, start, end)
        elif isinstance(event, CommMessage):
            self.widgets.apply(event)
        else:
            self.run.apply(event)

    def _take_output(self, event: OutputEvent, start: int, end: int) -> None:
        if isinstance(event, Display) and event.display_id is not None:
            self.newest[event.display_id] = (start, end)
        if isinstance(event, Display | ExecuteResult):
            self._scraps.take(event.data, event.metadata)
        if self.widgets.captures(event.cell):
            self.widgets.capture(event)
        else:
            # An error that an output widget showed did not end the cell.
            self.run.apply(event)
            self._place(event.cell, start, end)

    def _place(self, cell: int, start: int, end: int) -> None:
        ranges = self.ranges.setdefault(cell, [])
        if ranges and ranges[-1][1] == start:
            ranges[-1] = (ranges[-1][0], end)
        else:
            ranges.append((start, end))


def read_outline(journal: BinaryIO) -> Outline:
    """Read a journal once, from its beginning."""
    outline = Outline()
    start = 0
    for line in journal:
        outline.take(line, start)
        start += len(line)
    return outline


def outline_of(path: Path) -> Outline:
    """The outline of a journal file; an empty one where there is no file."""
    try:
        with path.open("rb", buffering=1024 * 1024) as journal:
            return read_outline(journal)
    except FileNotFoundError:
        return Outline()
