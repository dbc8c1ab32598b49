"""What is known of a run that is under way, for whoever shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from octavo.events.types import (
    BoundCell,
    CellFinished,
    CellSkipped,
    CellStarted,
    ErrorRaised,
    Event,
    KernelReady,
    OutputCleared,
    RunFinished,
    RunStarted,
    Spilled,
    Stream,
)
from octavo.render.columns import plain, settled
from octavo.render.places import failed_place
from octavo.render.titles import title

#: So much of the end of a cell's output is kept to show its last lines.
TAIL = 4000


class RunState:
    """A run as its events told it so far. Times of events are those of the wall clock."""

    def __init__(self, run_id: str, path: str) -> None:
        self.run_id = run_id
        self.path = path
        self.cells: Sequence[BoundCell] = ()
        self.environment: Mapping[str, object] = {}
        self.started = 0.0
        self.ready = False
        self.cell: int | None = None
        self.cell_started = 0.0
        self.done = 0
        self.total = 0
        self.finished: RunFinished | None = None
        self.error: ErrorRaised | None = None
        self.expected: Mapping[str, float] | None = None
        self._tail = ""

    def apply(self, event: Event) -> None:
        """Take one event into account."""
        if isinstance(event, Stream):
            self._tail = (self._tail + event.text[-TAIL:])[-TAIL:]
        elif isinstance(event, RunStarted):
            self.cells = event.cells
            self.environment = event.environment
            self.started = event.time
            self.total = sum(cell.kind == "code" for cell in event.cells)
        elif isinstance(event, KernelReady):
            self.ready = True
        elif isinstance(event, CellStarted):
            self.cell, self.cell_started, self._tail = event.cell, event.time, ""
        elif isinstance(event, CellFinished | CellSkipped):
            self.cell = None
            self.done += 1
        elif isinstance(event, Spilled):
            self._tail = f"… more output is in {event.file}"
        elif isinstance(event, OutputCleared):
            self._tail = ""
        elif isinstance(event, ErrorRaised):
            self.error = event
        elif isinstance(event, RunFinished):
            self.finished = event

    def title(self, index: int) -> str:
        return title(self.cells, index)

    def number(self, index: int) -> str:
        """The index of a cell in the author's file; an injected cell has none."""
        origin = self.cells[index].origin
        return "+" if origin is None else str(origin)

    def number_width(self) -> int:
        return len(str(max(0, len(self.cells) - 1)))

    def tail(self, lines: int) -> list[str]:
        """The last lines that the running cell has written."""
        shown = plain(settled(self._tail)).expandtabs().split("\n")
        return [line.rstrip() for line in shown if line.strip()][-lines:]

    def seconds_left(self, now: float) -> float | None:
        """How long the rest took last time; None where nothing is known of it."""
        if not self.expected or self.cell is None:
            return None
        this, *rest = (self.expected.get(cell.id, 0.0) for cell in self.cells[self.cell :])
        return max(0.0, this - (now - self.cell_started)) + sum(rest)

    def expected_of(self, index: int) -> float | None:
        """How long a cell took in the last successful run."""
        return (self.expected or {}).get(self.cells[index].id)

    def error_place(self) -> str:
        """`nb.py:42`, where the error of a cell was raised."""
        if self.error is None:
            return ""
        cell = self.cells[self.error.cell]
        line = None if self.error.line is None else cell.line + self.error.line - 1
        return failed_place(self.path, cell.origin, line)
