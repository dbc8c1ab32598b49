"""Durations as a line of bars, one for each notebook."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Protocol

from octavo.render.columns import clip_start
from octavo.render.figures import duration
from octavo.render.places import near_path
from octavo.render.style import Style
from octavo.render.tables import table

BARS, ASCII_BARS = "▁▂▃▄▅▆▇█", "_.-=+*%#"
#: No more notebooks than this have a line, and no more runs a bar.
MOST_LINES, MOST_BARS = 5, 40


class Timed(Protocol):
    """A run, and how long it took."""

    @property
    def status(self) -> str: ...
    @property
    def notebook(self) -> str | None: ...
    @property
    def started(self) -> float: ...
    @property
    def duration_seconds(self) -> float | None: ...


def bars(values: Sequence[float], style: Style) -> str:
    """A bar for each value, its height in proportion to the largest."""
    signs = style.pick(BARS, ASCII_BARS)
    most = max(values, default=0.0)
    return "".join(signs[_height(value, most, len(signs))] for value in values)


def _height(value: float, most: float, steps: int) -> int:
    return max(0, ceil(value / most * steps) - 1) if most > 0 else 0


def duration_lines(rows: Sequence[Timed], *, style: Style, columns: int, cwd: str) -> list[str]:
    """How the durations of each notebook went, from the oldest run to the newest."""
    by_notebook: dict[str, list[Timed]] = {}
    for row in sorted(rows, key=lambda each: each.started):
        if row.notebook is not None and row.duration_seconds is not None:
            by_notebook.setdefault(row.notebook, []).append(row)
    often = sorted(by_notebook.items(), key=lambda item: -len(item[1]))[:MOST_LINES]
    name = max(12, columns // 3)
    told = [
        _line(clip_start(near_path(path, cwd), name), runs, style, columns - name)
        for path, runs in often
        if len(runs) > 1
    ]
    return table(told)


def _line(name: str, rows: Sequence[Timed], style: Style, columns: int) -> tuple[str, str, str]:
    taken = [row.duration_seconds or 0.0 for row in rows]
    least, most = duration(min(taken)), duration(max(taken))
    between = least if least == most else f"{least} {style.pick('…', '...')} {most}"
    told = f"{between}, last {duration(taken[-1])}"
    room = max(8, min(MOST_BARS, columns - len(told) - 4))
    line = bars(taken[-room:], style)
    painted = "".join(
        style.paint(sign, "cyan" if row.status == "success" else "red")
        for sign, row in zip(line, rows[-room:], strict=True)
    )
    return name, painted, style.paint(told, "dim")
