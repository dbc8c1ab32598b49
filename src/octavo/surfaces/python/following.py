"""What a caller is told of a run while it goes on: progress, and what cells write."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from octavo.events.types import (
    CellFinished,
    CellSkipped,
    CellStarted,
    CellStatus,
    Display,
    ErrorRaised,
    Event,
    ExecuteResult,
    RunStarted,
    Spilled,
    Stream,
)
from octavo.records.scraps import is_scrap
from octavo.render.columns import plain, settled
from octavo.runs.context import Happened, Said
from octavo.value import Value

LOGGER = logging.getLogger("octavo")
# A program that has set up no logging must not see ours on its standard error.
LOGGER.addHandler(logging.NullHandler())

_LEVELS = {"stdout": logging.INFO, "stderr": logging.WARNING}


class Progress(Value):
    """A cell of a run has been started, skipped, or has ended.

    `cell` is its index in the author's notebook, None for the injected parameters. Of `total` code
    cells `done` have ended.
    """

    notebook: str
    run_id: str
    cell: int | None
    status: CellStatus
    done: int
    total: int

    def __str__(self) -> str:
        name = "parameters" if self.cell is None else f"cell {self.cell}"
        return f"{self.notebook}: {name} {self.status}, {self.done} of {self.total} done"


OnProgress = Callable[[Progress], None]


def log_progress(progress: Progress) -> None:
    """A line in the log for each cell."""
    LOGGER.info("%s", progress, extra={"run_id": progress.run_id, "cell": progress.cell})


class Follower:
    """Takes the events of one run. `output_path` is where its executed notebook goes."""

    def __init__(self, on_progress: OnProgress | None, *, log_output: bool) -> None:
        self.output_path: str | None = None
        self._on_progress = on_progress
        self._log_output = log_output
        self._origins: list[int | None] = []
        self._done = self._total = 0
        self._partial: dict[tuple[int, str], str] = {}
        self._spilled: set[str] = set()

    def take(self, happened: Happened | Said) -> None:
        """Pass on what one event means to the caller."""
        if isinstance(happened, Said):
            LOGGER.info("%s", plain(happened.text))
            return
        event = happened.event
        if isinstance(event, RunStarted):
            self.output_path = event.output_path
            self._origins = [cell.origin for cell in event.cells]
            self._total = sum(cell.kind == "code" for cell in event.cells)
        elif isinstance(event, CellStarted | CellSkipped | CellFinished):
            self._tell(happened, event)
        elif self._log_output:
            self._log(happened, event)

    def _tell(self, happened: Happened, event: CellStarted | CellSkipped | CellFinished) -> None:
        status: CellStatus = "running"
        if not isinstance(event, CellStarted):
            status = "skipped" if isinstance(event, CellSkipped) else event.status
            self._done += 1
            self._end_lines(happened)
        if self._on_progress is not None:
            cell = self._origins[event.cell]
            self._on_progress(
                Progress(happened.path, happened.run_id, cell, status, self._done, self._total)
            )

    def _log(self, happened: Happened, event: Event) -> None:
        if isinstance(event, Stream):
            begun = self._partial.pop((event.cell, event.name), "")
            *lines, rest = (begun + event.text).split("\n")
            self._partial[event.cell, event.name] = rest
            for line in lines:
                self._write(happened, event.cell, _LEVELS[event.name], line)
            return
        self._end_lines(happened)
        if isinstance(event, Spilled) and event.file not in self._spilled:
            self._spilled.add(event.file)
            self._write(happened, event.cell, logging.INFO, f"… more output is in {event.file}")
        elif isinstance(event, Display | ExecuteResult):
            self._write(happened, event.cell, logging.INFO, _shown(event.data))
        elif isinstance(event, ErrorRaised):
            self._write(happened, event.cell, logging.ERROR, "\n".join(event.traceback))

    def _end_lines(self, happened: Happened) -> None:
        """Write what was left without a line end."""
        for (cell, name), rest in self._partial.items():
            self._write(happened, cell, _LEVELS[name], rest)
        self._partial = {}

    def _write(self, happened: Happened, cell: int, level: int, text: str) -> None:
        shown = plain(settled(text)).rstrip("\n")
        if shown:
            about = {"run_id": happened.run_id, "cell": self._origins[cell]}
            LOGGER.log(level, "%s", shown, extra=about)


def _shown(data: Mapping[str, Any]) -> str:
    """The text of an output; a value that is only handed out has none."""
    text = data.get("text/plain")
    if isinstance(text, str):
        return text
    return "" if is_scrap(data) else f"[{', '.join(data)}]"
