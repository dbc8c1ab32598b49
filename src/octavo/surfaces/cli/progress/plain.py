"""Runs as plain lines, for logs."""

from __future__ import annotations

from typing import Any

from octavo.events.types import (
    CellFinished,
    CellSkipped,
    CellStarted,
    Event,
    RunFinished,
    RunStarted,
)
from octavo.render.columns import one_line
from octavo.render.figures import counted, duration
from octavo.render.places import near_path
from octavo.surfaces.cli.progress.state import RunState
from octavo.surfaces.cli.progress.timers import Later, in_loop
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen

#: After so many seconds a log is told what is still running; then after twice as long, and so on.
FIRST_NOTICE = 30.0


class PlainView(View):
    """A line when a run starts, when a cell is done with, and when the run ends.

    With several notebooks every line begins with the path of its own. A cell that takes long is
    named while it runs, so that a log tells where a run hangs.
    """

    drawn = True

    def __init__(self, screen: Screen, cwd: str, notebooks: int, *, later: Later = in_loop) -> None:
        super().__init__()
        self._later = later
        self._notices: dict[str, Any] = {}
        self._screen = screen
        self._cwd = cwd
        self._notebooks = notebooks

    def on_event(self, state: RunState, event: Event) -> None:
        if isinstance(event, RunStarted):
            python, why = event.environment.get("python"), event.environment.get("why")
            self._print(state, f"run {state.run_id}")
            self._print(state, f"{python}, {why}")
        elif isinstance(event, CellStarted):
            self._expect(state, event.cell, FIRST_NOTICE)
        elif isinstance(event, CellSkipped):
            self._cell(state, event.cell, f"skipped: {event.why}")
        elif isinstance(event, CellFinished):
            self._forget_notice(state)
            took = duration(max(0.0, event.time - state.cell_started))
            self._cell(state, event.cell, f"{event.status} in {took}")
        elif isinstance(event, RunFinished) and self._notebooks > 1:
            took = duration(max(0.0, event.time - state.started))
            reason = f" ({event.reason})" if event.reason else ""
            cells = counted(state.done, "cell")
            self._print(state, f"{event.status}{reason} in {took}, {cells}")

    def on_said(self, text: str) -> None:
        self._screen.print(text)

    def on_close(self) -> None:
        for notice in self._notices.values():
            notice.cancel()

    def _forget_notice(self, state: RunState) -> None:
        notice = self._notices.pop(state.run_id, None)
        if notice is not None:
            notice.cancel()

    def _expect(self, state: RunState, cell: int, seconds: float) -> None:
        """Say that a cell still runs when so much time has passed, and again after as much."""

        def notice() -> None:
            self._guarded(self._cell, state, cell, f"running for {duration(seconds)}")
            self._expect(state, cell, seconds * 2)

        delay = seconds if seconds == FIRST_NOTICE else seconds / 2
        self._notices[state.run_id] = self._later(delay, notice)

    def _cell(self, state: RunState, index: int, words: str) -> None:
        title = one_line(state.title(index), 60)
        self._print(state, f"cell {state.number(index)} {title}: {words}")

    def _print(self, state: RunState, text: str) -> None:
        prefix = f"{near_path(state.path, self._cwd)}: " if self._notebooks > 1 else ""
        self._screen.print(prefix + text)
