"""Events of a run as the driver of one emits them."""

from __future__ import annotations

from typing import Any

from octavo.events.types import (
    BoundCell,
    CellFinished,
    CellSkipped,
    CellStarted,
    ErrorRaised,
    Event,
    KernelReady,
    RunFinished,
    RunStarted,
    Stream,
)
from octavo.runs.context import Happened

CELLS = (
    BoundCell("markdown", "# Report", "a", origin=0),
    BoundCell("code", "n = 1", "b", {"tags": ["parameters"]}, origin=1, line=4),
    BoundCell("code", "n = 2", "c", {"tags": ["injected-parameters"]}),
    BoundCell("code", "load()\nshow()", "d", {"title": "Load"}, origin=2, line=7),
    BoundCell("code", "never()", "e", {"tags": ["skip"]}, origin=3, line=10),
    BoundCell("code", "last()", "f", origin=4, line=12),
)


class Telling:
    """Tells a view what happens in one run; `at` is the clock of the events."""

    def __init__(self, view: Any, clock: Any, path: str = "/p/nb.py", run_id: str = "r1") -> None:
        self._view = view
        self._clock = clock
        self._path = path
        self._run_id = run_id

    def event(self, event: Event) -> None:
        self._view.show(Happened(self._run_id, self._path, event))

    def starts(self, cells: tuple[BoundCell, ...] = CELLS) -> None:
        self.event(
            RunStarted(
                schema=1,
                run_id=self._run_id,
                time=self._clock(),
                source={"path": self._path},
                cells=cells,
                metadata={},
                parameters={},
                defaults={},
                engine="fork",
                environment={"python": "/p/.venv/bin/python", "why": "the .venv in /p"},
                options={},
                host={},
            )
        )

    def is_ready(self) -> None:
        self.event(KernelReady(self._clock(), 1))

    def cell_starts(self, cell: int) -> None:
        self.event(CellStarted(cell, self._clock()))

    def cell_ends(self, cell: int, status: Any = "succeeded") -> None:
        self.event(CellFinished(cell, self._clock(), status))

    def cell_is_skipped(self, cell: int) -> None:
        self.event(CellSkipped(cell, self._clock(), "tagged `skip`"))

    def prints(self, cell: int, text: str, name: Any = "stdout") -> None:
        self.event(Stream(cell, name, text))

    def raises(self, cell: int, ename: str, evalue: str, line: int = 1) -> None:
        self.event(ErrorRaised(cell, ename, evalue, (f"{ename}: {evalue}",), line))

    def ends(self, status: Any = "success", reason: Any = None, message: str = "") -> None:
        self.event(RunFinished(self._clock(), status, reason, message))
