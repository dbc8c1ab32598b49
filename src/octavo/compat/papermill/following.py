"""Papermill's notebook, kept in step with a run of ours as its events arrive."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

from octavo.compat.papermill.log import Outlet, logger
from octavo.events.fold import OUTPUT_EVENTS, OutputFold
from octavo.events.types import (
    CellFinished,
    CellSkipped,
    CellStarted,
    Display,
    Event,
    KernelReady,
)
from octavo.records.result import RunResult
from octavo.records.times import iso
from octavo.runs.context import Happened


class Manager(Protocol):
    """The part of Papermill's execution manager that an engine drives.

    `moment` is when the thing happened that it is told of; without it, that is now.
    """

    nb: Any
    moment: float | None

    def cell_start(self, cell: Any, cell_index: int | None = None) -> Any: ...

    def cell_exception(self, cell: Any, cell_index: int | None = None) -> Any: ...

    def cell_complete(self, cell: Any, cell_index: int | None = None) -> Any: ...

    def autosave_cell(self) -> Any: ...


class Follower:
    """Takes what happens in a run, and drives Papermill's manager by it."""

    def __init__(self, manager: Manager, outlet: Outlet, kernel_name: str) -> None:
        self._manager = manager
        self._outlet = outlet
        self._kernel_name = kernel_name
        self._folds: dict[int, OutputFold] = {}
        self._newest: dict[str, Display] = {}
        self._stale: set[int] = set()
        self._started = 0.0
        self._next = 0

    def take(self, happened: Any) -> None:
        """Everything that an operation emits may be given."""
        if isinstance(happened, Happened):
            event = happened.event
            self._manager.moment = getattr(event, "time", None)
            try:
                self._event(event)
            finally:
                self._manager.moment = None

    def refresh(self) -> None:
        """Bring the outputs of cells up to date with what they have written."""
        for index in self._stale:
            cell = self._manager.nb.cells[index]
            cell.outputs = _nodes(self._folds[index].outputs(self._newest.get))
        self._stale.clear()

    def finish(self, result: RunResult) -> None:
        """Take from the record what only the end of a run can tell."""
        if result.reason is None:
            self._pass_until(len(self._manager.nb.cells))
        executed = json.loads(Path(result.notebook_path).read_text(encoding="utf-8"))
        metadata = executed["metadata"]
        notebook = self._manager.nb
        notebook.metadata["language_info"] = _nodes(metadata["language_info"])
        if "widgets" in metadata:
            notebook.metadata["widgets"] = _nodes(metadata["widgets"])
        if metadata["octavo"]["complete"]:
            for cell, ran in zip(notebook.cells, _read(executed).cells, strict=True):
                if cell.cell_type == "code":
                    cell.outputs = ran.outputs

    def _event(self, event: Event) -> None:
        if isinstance(event, OUTPUT_EVENTS):
            self._folds.setdefault(event.cell, OutputFold()).apply(event)
            self._stale.add(event.cell)
            if isinstance(event, Display) and event.display_id is not None:
                self._newest[event.display_id] = event
            self._manager.autosave_cell()
            self._outlet.take(event)
        elif isinstance(event, KernelReady):
            logger.info("Executing notebook with kernel: %s", self._kernel_name)
        elif isinstance(event, CellStarted):
            self._start(event.cell, event.time)
        elif isinstance(event, CellSkipped):
            self._start(event.cell, event.time)
            self._complete(event.cell)
        elif isinstance(event, CellFinished):
            self._finished(event)

    def _start(self, index: int, time: float) -> None:
        self._pass_until(index)
        self._started = time
        self._manager.cell_start(self._manager.nb.cells[index], index)

    def _finished(self, event: CellFinished) -> None:
        self.refresh()
        cell = self._manager.nb.cells[event.cell]
        cell.execution_count = event.execution_count
        if cell.source.strip():
            cell.metadata["execution"] = _times(self._started, event.time)
        if event.status != "succeeded":
            self._manager.cell_exception(cell, event.cell)
        self._complete(event.cell)

    def _complete(self, index: int) -> None:
        self._manager.cell_complete(self._manager.nb.cells[index], index)
        self._next = index + 1

    def _pass_until(self, index: int) -> None:
        """Cells that are not code are begun and completed when the run comes past them."""
        for passed in range(self._next, index):
            cell = self._manager.nb.cells[passed]
            if cell.cell_type != "code":
                self._manager.cell_start(cell, passed)
                self._manager.cell_complete(cell, passed)
        self._next = max(self._next, index)


def _times(started: float, finished: float) -> dict[str, str]:
    """The times of messages that nbclient would have noted, from those of the cell."""
    begun, ended = (str(iso(each)).replace("+00:00", "Z") for each in (started, finished))
    return {
        "iopub.status.busy": begun,
        "iopub.execute_input": begun,
        "iopub.status.idle": ended,
        "shell.execute_reply": ended,
    }


def _nodes(plain: Any) -> Any:
    from nbformat import from_dict

    return from_dict(plain)


def _read(executed: dict[str, Any]) -> Any:
    """A notebook with its lists of lines joined, as Papermill holds it."""
    from nbformat import reads

    return reads(json.dumps(executed), as_version=4)
