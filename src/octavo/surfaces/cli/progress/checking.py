"""A check under way: what runs now, and how many have their verdict. Verdicts come at the end."""

from __future__ import annotations

from typing import Any

from octavo.events.types import Event
from octavo.gate.context import Judged
from octavo.surfaces.cli.progress.live import INTERVAL, LiveView
from octavo.surfaces.cli.progress.state import RunState


class LiveCheckView(LiveView):
    """The notebooks that are running, drawn in their place on a terminal."""

    _done, _of, _failed = 0, 0, 0

    def show(self, happened: Any) -> None:
        if isinstance(happened, Judged):
            self._done, self._of = happened.done, happened.of
            self._failed += not happened.verdict.ok
        else:
            super().show(happened)

    def on_event(self, state: RunState, event: Event) -> None:
        if self._timer is None:
            self._timer = self._later(INTERVAL, self._tick)

    def _waiting(self) -> list[str]:
        style = self._screen.style
        told = style.paint(f"{self._done} of {self._of} checked" if self._of else "checking", "dim")
        failed = style.paint(f"{self._failed} failed", "red") if self._failed else ""
        return ["  ".join(filter(None, (told, failed)))]
