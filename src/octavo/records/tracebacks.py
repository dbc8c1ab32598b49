"""Tracebacks that name the lines of the author's file.

A kernel knows a cell by its number, `Cell In[3], line 1`. The author knows `report.py:15`; both
are said.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from octavo.events.statuses import RunFold
from octavo.events.types import RunStarted

_COLOUR = r"(?:\x1b\[[\d;]*m)*"
_FRAME = re.compile(rf"In ?\[(\d+)\]{_COLOUR}, line (\d+){_COLOUR}")


def located(traceback: tuple[str, ...], run: RunStarted, fold: RunFold) -> tuple[str, ...]:
    """The traceback with the author's line behind each frame that is in a cell."""
    path = str(run.source.get("path") or "")
    if not path.endswith((".py", ".md")):
        return traceback
    name = os.path.basename(path)
    first_lines = _first_lines(run, fold)

    def with_place(frame: re.Match[str]) -> str:
        first = first_lines.get(int(frame[1]))
        return frame[0] if first is None else f"{frame[0]} ({name}:{first + int(frame[2]) - 1})"

    return tuple(_FRAME.sub(with_place, line) for line in traceback)


def _first_lines(run: RunStarted, fold: RunFold) -> Mapping[int, int]:
    """Where each executed cell begins in the author's file, by its execution count."""
    return {
        progress.execution_count: run.cells[index].line
        for index, progress in fold.cells.items()
        if progress.execution_count is not None
        and index < len(run.cells)
        and run.cells[index].origin is not None
    }
