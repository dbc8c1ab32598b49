"""What every view of a run has in common."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from octavo.events.types import Event
from octavo.runs.context import Happened, Said
from octavo.surfaces.cli.progress.state import RunState

if TYPE_CHECKING:
    from octavo.surfaces.cli.progress.cells import LiveCells
    from octavo.surfaces.cli.progress.outputs import LiveOutputs


class View:
    """Follows the runs of a command and shows nothing. Showing must never harm a run: a view that
    fails goes silent.
    """

    #: Whether lines of this view stand on a screen, so that what follows keeps a distance.
    drawn = False
    #: What of a session was shown while it was executed.
    outputs: LiveOutputs | None = None
    cells: LiveCells | None = None

    def __init__(self) -> None:
        self.states: dict[str, RunState] = {}
        self._broken = False

    @property
    def running(self) -> bool:
        """Whether a run has begun, so that stopping has something to finish."""
        return bool(self.states)

    def show(self, happened: Any) -> None:
        """Take what an operation emits."""
        try:
            if isinstance(happened, Happened):
                state = self._state(happened)
                state.apply(happened.event)
                self._guarded(self.on_event, state, happened.event)
            elif isinstance(happened, Said):
                self.say(happened.text)
        except Exception:
            self._fail()

    def say(self, text: str) -> None:
        """A line about something that takes a while."""
        self._guarded(self.on_said, text)

    def stopping(self, again: bool) -> None:
        """Somebody pressed Ctrl-C."""
        self.say("killing the kernel" if again else "stopping, Ctrl-C again to kill")

    def close(self) -> None:
        """Leave the screen in order."""
        self._guarded(self.on_close)

    def on_event(self, state: RunState, event: Event) -> None:
        """An event of a run, after its state has taken it."""

    def on_said(self, text: str) -> None:
        """A line for people."""

    def on_close(self) -> None:
        """Nothing more will come."""

    def _state(self, happened: Happened) -> RunState:
        state = self.states.get(happened.run_id)
        if state is None:
            state = self.states[happened.run_id] = RunState(happened.run_id, happened.path)
            state.started = getattr(happened.event, "time", 0.0)
        return state

    def _guarded(self, call: Callable[..., None], *arguments: Any) -> None:
        if self._broken:
            return
        try:
            call(*arguments)
        except Exception:
            self._fail()

    def _fail(self) -> None:
        self._broken = True
        if os.environ.get("OCTAVO_DEBUG"):
            import traceback

            traceback.print_exc()
