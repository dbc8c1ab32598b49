"""`--log-output`: what cells write, as it comes, between the lines of the plain view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.events.types import (
    Display,
    ErrorRaised,
    Event,
    ExecuteResult,
    Stream,
)
from octavo.records.scraps import is_scrap
from octavo.render.columns import coloured, plain
from octavo.surfaces.cli.progress.plain import PlainView
from octavo.surfaces.cli.progress.state import RunState
from octavo.surfaces.cli.progress.timers import Later, in_loop
from octavo.surfaces.cli.screen import Screen


class LogView(PlainView):
    """The output of one notebook is passed on as it is; that of several, line by line."""

    def __init__(self, screen: Screen, cwd: str, notebooks: int, *, later: Later = in_loop) -> None:
        super().__init__(screen, cwd, notebooks, later=later)
        self._mid_line = False
        self._partial: dict[str, str] = {}

    def on_event(self, state: RunState, event: Event) -> None:
        text = _output(event)
        if text:
            self._pass_on(state, self._safe(text))
        super().on_event(state, event)

    def _pass_on(self, state: RunState, text: str) -> None:
        if self._notebooks == 1:
            self._screen.write(text)
            self._mid_line = not text.endswith("\n")
            return
        waiting = self._partial.get(state.run_id, "") + text
        *lines, self._partial[state.run_id] = waiting.split("\n")
        for line in lines:
            self._print(state, f"| {line}")

    def _cell(self, state: RunState, index: int, words: str) -> None:
        self._end_line(state)
        super()._cell(state, index, words)

    def _end_line(self, state: RunState) -> None:
        if self._mid_line:
            self._screen.write("\n")
            self._mid_line = False
        rest = self._partial.pop(state.run_id, "")
        if rest:
            self._print(state, f"| {rest}")

    def _safe(self, text: str) -> str:
        clean = coloured if self._screen.style.colour else plain
        return "\r".join(map(clean, text.split("\r")))


def _output(event: Event) -> str:
    """What an event adds to the output of its cell, as text."""
    if isinstance(event, Stream):
        return event.text
    if isinstance(event, Display | ExecuteResult):
        return _bundle(event.data)
    if isinstance(event, ErrorRaised):
        return "\n".join(event.traceback) + "\n"
    return ""


def _bundle(data: Mapping[str, Any]) -> str:
    if is_scrap(data) and "text/plain" not in data:
        return ""
    text = data.get("text/plain")
    return f"{text}\n" if isinstance(text, str) else f"[{', '.join(data)}]\n"
