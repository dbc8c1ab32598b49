"""How long a cell, a run and a silence may last."""

from __future__ import annotations

import time
from collections.abc import Callable

from octavo.events.types import Reason
from octavo.value import Value


class Timeouts(Value):
    """Bounds in seconds; None means no bound. `grace` is the time to react to an interrupt."""

    cell: float | None = None
    run: float | None = None
    silence: float | None = None
    grace: float = 3.0


class Expiry(Value):
    """The bound that is reached first, and how far away that is."""

    left: float
    reason: Reason
    message: str


class Deadlines:
    """Clocks of one run."""

    def __init__(self, timeouts: Timeouts, heard: Callable[[], float]) -> None:
        self._timeouts = timeouts
        self._heard = heard
        self._run_started = time.monotonic()
        self._cell_started = self._run_started

    def start_cell(self) -> None:
        self._cell_started = time.monotonic()

    def next(self) -> Expiry | None:
        """The bound that will be reached first unless the cell ends; None where there is none."""
        now = time.monotonic()
        limits = self._timeouts
        candidates: list[Expiry] = []
        if limits.cell is not None:
            left = self._cell_started + limits.cell - now
            candidates.append(Expiry(left, "cell-timeout", f"the cell ran for {limits.cell:g} s"))
        if limits.run is not None:
            left = self._run_started + limits.run - now
            candidates.append(Expiry(left, "run-timeout", f"the run took {limits.run:g} s"))
        if limits.silence is not None:
            left = max(self._heard(), self._cell_started) + limits.silence - now
            candidates.append(
                Expiry(left, "silence-timeout", f"no output for {limits.silence:g} s")
            )
        return min(candidates, key=lambda expiry: expiry.left, default=None)
