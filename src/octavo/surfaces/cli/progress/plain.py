"""Runs as plain lines, for logs."""

from __future__ import annotations

from octavo.events.types import CellFinished, CellSkipped, Event, RunFinished, RunStarted
from octavo.render.columns import one_line
from octavo.render.figures import counted, duration
from octavo.render.places import near_path
from octavo.surfaces.cli.progress.state import RunState
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


class PlainView(View):
    """A line when a run starts, when a cell is done with, and when the run ends.

    With several notebooks every line begins with the path of its own.
    """

    drawn = True

    def __init__(self, screen: Screen, cwd: str, notebooks: int) -> None:
        super().__init__()
        self._screen = screen
        self._cwd = cwd
        self._notebooks = notebooks

    def on_event(self, state: RunState, event: Event) -> None:
        if isinstance(event, RunStarted):
            python, why = event.environment.get("python"), event.environment.get("why")
            self._print(state, f"run {state.run_id}")
            self._print(state, f"{python}, {why}")
        elif isinstance(event, CellSkipped):
            self._cell(state, event.cell, f"skipped: {event.why}")
        elif isinstance(event, CellFinished):
            took = duration(max(0.0, event.time - state.cell_started))
            self._cell(state, event.cell, f"{event.status} in {took}")
        elif isinstance(event, RunFinished) and self._notebooks > 1:
            took = duration(max(0.0, event.time - state.started))
            reason = f" ({event.reason})" if event.reason else ""
            cells = counted(state.done, "cell")
            self._print(state, f"{event.status}{reason} in {took}, {cells}")

    def on_said(self, text: str) -> None:
        self._screen.print(text)

    def _cell(self, state: RunState, index: int, words: str) -> None:
        title = one_line(state.title(index), 60)
        self._print(state, f"cell {state.number(index)} {title}: {words}")

    def _print(self, state: RunState, text: str) -> None:
        prefix = f"{near_path(state.path, self._cwd)}: " if self._notebooks > 1 else ""
        self._screen.print(prefix + text)
