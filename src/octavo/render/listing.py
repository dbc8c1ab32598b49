"""Lists of runs, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from octavo.render.columns import clip_start, one_line
from octavo.render.figures import ago, duration, value_text
from octavo.render.places import near_path
from octavo.render.style import Style
from octavo.render.summary import short_id
from octavo.render.tables import table

HEAD = ("", "run", "when", "took", "cells", "notebook", "")


class Row(Protocol):
    """A run in a list."""

    @property
    def run_id(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def notebook(self) -> str | None: ...
    @property
    def started(self) -> float: ...
    @property
    def duration_seconds(self) -> float | None: ...
    @property
    def cells_executed(self) -> int: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...


def run_lines(
    rows: Sequence[Row], *, now: float, style: Style, columns: int, cwd: str
) -> list[str]:
    """A table with a line a run; what does not fit is cut from parameters first."""
    name = max(16, min(48, columns - 60))
    told = [_row(row, now, style, name, cwd) for row in rows]
    lines = table(told, head=HEAD, right=frozenset((3, 4)), style=style)
    return lines


def _row(row: Row, now: float, style: Style, name: int, cwd: str) -> tuple[str, ...]:
    took = row.duration_seconds
    notebook = near_path(row.notebook, cwd) if row.notebook else "?"
    status = "interrupted" if row.reason == "interrupted" else row.status
    why = row.reason or ("running" if row.status == "running" else "")
    given = " ".join(f"{key}={value_text(value, 20)}" for key, value in row.parameters.items())
    about = style.paint(one_line(f"{why} {given}", 40), "dim")
    return (
        style.sign(status),
        style.paint(short_id(row.run_id), "cyan"),
        ago(now - row.started),
        "" if took is None else duration(took),
        str(row.cells_executed),
        clip_start(notebook, name),
        about,
    )
