"""Runs on a terminal: finished cells scroll up, the running one is drawn in its place."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from octavo.events.types import CellFinished, CellSkipped, Event, RunFinished, RunStarted
from octavo.render.columns import fit, plain
from octavo.surfaces.cli.progress.canvas import Canvas
from octavo.surfaces.cli.progress.lines import Lines
from octavo.surfaces.cli.progress.state import RunState
from octavo.surfaces.cli.progress.timers import Later, in_loop
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen

#: At most ten drawings a second; what is over before the first is never drawn.
INTERVAL = 0.1

Expected = Callable[[str], Mapping[str, float]]


class LiveView(View):
    """One notebook cell by cell, or several notebooks with a line each.

    `expected` tells how long each cell of a path took last time; it is asked when the first
    drawing is due, so that a short run never pays for it.
    """

    drawn = True

    def __init__(
        self,
        screen: Screen,
        cwd: str,
        notebooks: int,
        expected: Expected,
        *,
        clock: Callable[[], float] = time.time,
        later: Later = in_loop,
    ) -> None:
        super().__init__()
        self._screen = screen
        self._cwd = cwd
        self._notebooks = notebooks
        self._expected = expected
        self._clock = clock
        self._later = later
        self._canvas = Canvas(screen)
        self._lasting: list[str] = []
        self._timer: Any = None
        self._turn = 0

    def on_event(self, state: RunState, event: Event) -> None:
        lines = self._lines()
        if self._notebooks > 1:
            if isinstance(event, RunFinished):
                self._lasting.append(lines.run(state, event))
        elif isinstance(event, RunStarted):
            self._lasting += lines.header(state, event)
        elif isinstance(event, CellFinished | CellSkipped):
            self._lasting.append(lines.cell(state, event))
        if self._timer is None:
            self._timer = self._later(INTERVAL, self._tick)

    def on_said(self, text: str) -> None:
        """Drawn at once: what it is about may keep the event loop busy."""
        style = self._screen.style
        for line in plain(text).splitlines():
            self._lasting += [
                style.paint(part, "dim") for part in fit(line, self._screen.columns - 1)
            ]
        self._draw()

    def on_close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._canvas.draw(self._lasting, ())
        self._lasting.clear()

    def _tick(self) -> None:
        self._timer = None
        self._turn += 1
        for state in self._under_way():
            if state.expected is None:
                state.expected = self._expected(state.path)
        self._guarded(self._draw)
        if self._under_way() and not self._broken:
            self._timer = self._later(INTERVAL, self._tick)

    def _draw(self) -> None:
        live = self._live_lines()[: max(1, self._screen.rows - 2)]
        self._canvas.draw(self._lasting, live)
        self._lasting.clear()

    def _live_lines(self) -> list[str]:
        lines, now = self._lines(), self._clock()
        if self._notebooks > 1:
            each = [lines.run_under_way(state, now, self._turn) for state in self._under_way()]
            return [*each, *self._waiting()]
        return [
            line
            for state in self._under_way()
            for line in (*lines.running(state, now, self._turn), *lines.rest(state, now))
        ]

    def _waiting(self) -> list[str]:
        done = sum(state.finished is not None for state in self.states.values())
        text = f"{done} of {self._notebooks} notebooks done"
        return [self._screen.style.paint(text, "dim")]

    def _under_way(self) -> list[RunState]:
        return [state for state in self.states.values() if state.finished is None]

    def _lines(self) -> Lines:
        return Lines(self._screen.style, self._screen.columns, self._cwd)
