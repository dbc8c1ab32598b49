"""From events to what became of a run and of each of its cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from octavo.events.types import (
    BoundCell,
    CellBound,
    CellFinished,
    CellSkipped,
    CellStarted,
    CellStatus,
    ErrorRaised,
    Event,
    ExitRequested,
    FilesSeen,
    KernelDied,
    KernelReady,
    LimitExceeded,
    Provenance,
    Reason,
    RunFinished,
    RunStarted,
    ScrapsChecked,
    StateRestored,
)

RUNNER_DIED = "the program that drove this run ended before the run did"


@dataclass(slots=True)
class CellProgress:
    """How far a code cell has come; `why` says why it was skipped."""

    status: CellStatus = "pending"
    started: float | None = None
    finished: float | None = None
    execution_count: int | None = None
    memory_peak: int | None = None
    cpu_seconds: float | None = None
    why: str = ""

    @property
    def duration(self) -> float | None:
        if self.started is None or self.finished is None:
            return None
        return max(0.0, self.finished - self.started)


class RunFold:
    """What is known of a run after the events so far.

    `settle` ends it: what was running is interrupted, what was pending has not run.
    """

    def __init__(self) -> None:
        self._started: RunStarted | None = None
        self._bound: dict[int, CellBound] = {}
        #: The cells of a session's record that made its state, in this order.
        self.line: list[int] = []
        #: Of a session, the same when a cell raised an error.
        self.lines_at: dict[int, tuple[int, ...]] = {}
        self.provenance: Provenance | None = None
        self.kernel: KernelReady | None = None
        self.died: KernelDied | None = None
        self.checked: ScrapsChecked | None = None
        self.files: FilesSeen | None = None
        self.finished: RunFinished | None = None
        self.error: ErrorRaised | None = None
        #: The first cell that failed, and what it raised; a run may have gone on after it.
        self.first_failed: int | None = None
        self.first_error: ErrorRaised | None = None
        self.limit: LimitExceeded | None = None
        self.value: Any = None
        self.last_time: float | None = None
        self.cells: dict[int, CellProgress] = {}

    def apply(self, event: Event) -> None:
        """Take one event into account; outputs are no concern of this fold."""
        handler = _HANDLERS.get(type(event))
        if handler is not None:
            handler(self, event)
        time = getattr(event, "time", None)
        if time is not None:
            self.last_time = time

    def settle(self) -> None:
        """Say of every cell how it ended, for a run that will not go on."""
        for cell in self.cells.values():
            if cell.status == "running":
                cell.status = "interrupted" if self.died is None else "kernel-died"
            elif cell.status == "pending":
                cell.status = "not-run"

    @property
    def started(self) -> RunStarted | None:
        """The first event; that of a session has the cells that came while it lived."""
        if self._started is not None and len(self._started.cells) <= max(self._bound, default=-1):
            self._started = self._started.replace(cells=self._cells_bound(self._started))
        return self._started

    def _cells_bound(self, started: RunStarted) -> tuple[BoundCell, ...]:
        cells = dict(enumerate(started.cells))
        cells |= {index: _as_recorded(event) for index, event in self._bound.items()}
        return tuple(cells.get(index, _NEVER_BOUND) for index in range(max(cells) + 1))

    @property
    def bound(self) -> Mapping[int, CellBound]:
        """What a session said of each cell before it executed it."""
        return self._bound

    @property
    def reason(self) -> Reason | None:
        return self.finished.reason if self.finished else "runner-died"

    @property
    def message(self) -> str:
        return self.finished.message if self.finished else RUNNER_DIED

    @property
    def stopped_at(self) -> int | None:
        """The cell that a run ended in: the last one that was started and did not succeed."""
        bad = [
            index
            for index, cell in self.cells.items()
            if cell.status in ("failed", "timed-out", "interrupted", "kernel-died")
        ]
        return max(bad, key=lambda index: (self.cells[index].started or 0, index), default=None)

    def _cell(self, index: int) -> CellProgress:
        return self.cells.setdefault(index, CellProgress())

    def _run_started(self, event: RunStarted) -> None:
        self._started = event
        self.cells = {
            index: CellProgress() for index, cell in enumerate(event.cells) if cell.kind == "code"
        }

    def _provenance(self, event: Provenance) -> None:
        self.provenance = event

    def _kernel_ready(self, event: KernelReady) -> None:
        self.kernel = event

    def _cell_bound(self, event: CellBound) -> None:
        self._bound[event.cell] = event
        self._cell(event.cell)

    def _state_restored(self, event: StateRestored) -> None:
        self.line = list(event.line)

    def _cell_started(self, event: CellStarted) -> None:
        cell = self._cell(event.cell)
        cell.status = "running"
        cell.started = event.time
        if event.cell in self._bound and self._bound[event.cell].role != "scratch":
            self.line.append(event.cell)

    def _cell_skipped(self, event: CellSkipped) -> None:
        cell = self._cell(event.cell)
        cell.status = "skipped"
        cell.why = event.why

    def _cell_finished(self, event: CellFinished) -> None:
        cell = self._cell(event.cell)
        cell.status = event.status
        cell.finished = event.time
        cell.execution_count = event.execution_count
        cell.memory_peak = event.memory_peak
        cell.cpu_seconds = event.cpu_seconds
        if event.status == "failed" and self.first_failed is None:
            self.first_failed, self.first_error = event.cell, self.error

    def _error(self, event: ErrorRaised) -> None:
        self.error = event
        if event.cell in self._bound:
            self.lines_at[event.cell] = (*self.line, event.cell)

    def _exit(self, event: ExitRequested) -> None:
        self.value = event.value

    def _limit(self, event: LimitExceeded) -> None:
        self.limit = event

    def _kernel_died(self, event: KernelDied) -> None:
        self.died = event

    def _scraps_checked(self, event: ScrapsChecked) -> None:
        self.checked = event

    def _files_seen(self, event: FilesSeen) -> None:
        self.files = event if self.files is None else _together(self.files, event)

    def _run_finished(self, event: RunFinished) -> None:
        self.finished = event


#: Stands where a session was about to execute a cell, and ended before.
_NEVER_BOUND = BoundCell("raw", "", "")


def _as_recorded(event: CellBound) -> BoundCell:
    """The cell as the executed notebook has it: attempts that left no trace are tagged."""
    bound = event.bound
    if event.role != "scratch":
        return bound
    tags = [*(bound.metadata.get("tags") or ()), "scratch"]
    return bound.replace(metadata={**bound.metadata, "tags": tags})


def _together(one: FilesSeen, other: FilesSeen) -> FilesSeen:
    """What two processes of a kernel saw."""
    paths = ("read", "missing", "written", "listed", "modules", "facts")
    both = {name: (*getattr(one, name), *getattr(other, name)) for name in paths}
    # A kernel may say anything.
    once = {name: tuple(dict.fromkeys(map(str, each))) for name, each in both.items()}
    complete, final = one.complete and other.complete, one.final or other.final
    return one.replace(**once, complete=complete, final=final)


_HANDLERS: dict[type, Any] = {
    RunStarted: RunFold._run_started,
    Provenance: RunFold._provenance,
    KernelReady: RunFold._kernel_ready,
    CellBound: RunFold._cell_bound,
    StateRestored: RunFold._state_restored,
    CellStarted: RunFold._cell_started,
    CellSkipped: RunFold._cell_skipped,
    CellFinished: RunFold._cell_finished,
    ErrorRaised: RunFold._error,
    ExitRequested: RunFold._exit,
    LimitExceeded: RunFold._limit,
    KernelDied: RunFold._kernel_died,
    ScrapsChecked: RunFold._scraps_checked,
    FilesSeen: RunFold._files_seen,
    RunFinished: RunFold._run_finished,
}
