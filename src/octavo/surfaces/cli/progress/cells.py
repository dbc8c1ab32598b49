"""Several cells of a session while they are executed: each as it ends, its output as it comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from octavo.render.columns import one_line
from octavo.surfaces.cli.progress.outputs import LiveOutputs
from octavo.surfaces.cli.screen import Screen

_WIDTH = 60


class LiveCells:
    """A line for every cell. The name of one that shows something stands above its output."""

    def __init__(self, out: Screen, outputs: Callable[[], LiveOutputs]) -> None:
        self._out = out
        self._make = outputs
        self._outputs: dict[int, LiveOutputs] = {}
        self._bound: Mapping[str, Any] = {}
        self._named = False
        self._started = 0.0
        #: Cells of the record whose line stands on the screen.
        self.told: set[int] = set()

    def hear(self, event: Mapping[str, Any]) -> None:
        """Take an event of the session."""
        kind = event.get("type")
        if kind == "cell-bound":
            self._begin(event)
        elif kind == "cell-started":
            self._started = float(event.get("time") or 0.0)
        elif kind == "cell-finished":
            self._finish(event)
        elif (outputs := self._current) is not None:
            if kind in ("stream", "display", "execute-result") and not self._is_again:
                self._name_it()
            outputs.hear(event)

    def of(self, record_cell: int) -> LiveOutputs | None:
        """What was shown of a cell."""
        return self._outputs.get(record_cell)

    def close(self) -> None:
        """Nothing more will come."""
        if self._current is not None:
            self._current.close()

    @property
    def _current(self) -> LiveOutputs | None:
        return self._outputs.get(int(self._bound.get("cell", -1)))

    @property
    def _is_again(self) -> bool:
        return self._bound.get("role") == "again"

    def _begin(self, event: Mapping[str, Any]) -> None:
        self._bound, self._named = event, False
        self._outputs[int(event["cell"])] = outputs = self._make()
        outputs.hear(event)

    def _name_it(self) -> None:
        if not self._named:
            self._named = True
            self._print(f"  {self._title}")

    def _finish(self, event: Mapping[str, Any]) -> None:
        self.close()
        style, good = self._out.style, event.get("status") == "succeeded"
        took = max(0.0, float(event.get("time") or 0.0) - self._started)
        again = "  executed again" if self._is_again else ""
        title = self._called if self._named else self._title
        said = style.paint(f"{took:.2f} s{again}", "dim")
        self._print(f"{style.sign('success' if good else 'error')} {title}  {said}")
        self.told.add(int(event["cell"]))

    @property
    def _called(self) -> str:
        return f"cell {self._bound.get('index', '')}".rstrip()

    @property
    def _title(self) -> str:
        source = str((self._bound.get("bound") or {}).get("source") or "")
        first = next((line for line in source.splitlines() if line.strip()), "")
        return f"{self._called}  {one_line(first, _WIDTH)}"

    def _print(self, line: str) -> None:
        try:
            self._out.print(line)
        except OSError:  # nobody reads; the session goes on all the same
            self._named = True
