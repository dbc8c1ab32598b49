"""Tracebacks that name the lines of the author's file.

A kernel knows a cell by its number, `Cell In[3], line 1`. The author knows `report.py:15`; both
are said.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from octavo.events.statuses import RunFold

_COLOUR = r"(?:\x1b\[[\d;]*m)*"
_FRAME = re.compile(rf"In ?\[(\d+)\]{_COLOUR}, line (\d+){_COLOUR}")


def located(traceback: tuple[str, ...], fold: RunFold, cell: int) -> tuple[str, ...]:
    """The traceback of a cell with the author's line behind each frame that is in a cell."""
    path = str(fold.started.source.get("path") or "") if fold.started else ""
    if not path.endswith((".py", ".md")):
        return traceback
    name = os.path.basename(path)
    begins = first_lines(fold, cell)

    def with_place(frame: re.Match[str]) -> str:
        first = begins.get(int(frame[1]))
        return frame[0] if first is None else f"{frame[0]} ({name}:{first + int(frame[2]) - 1})"

    return tuple(_FRAME.sub(with_place, line) for line in traceback)


def first_lines(fold: RunFold, cell: int) -> Mapping[int, int]:
    """Where executed cells begin in the author's file, by their execution counts, as a cell saw it.

    In a session counts repeat, and sources change: only what made the state then is looked at.
    """
    cells = fold.started.cells if fold.started else ()
    begins: dict[int, int] = {}
    for index in fold.lines_at.get(cell, fold.cells):
        count = fold.cells[index].execution_count
        if count is None or index >= len(cells):
            continue
        if cells[index].origin is None or not cells[index].line:
            begins.pop(count, None)
        else:
            begins[count] = cells[index].line
    return begins
