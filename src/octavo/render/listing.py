"""Lists of runs, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from octavo.render.columns import clip_start, one_line, width
from octavo.render.figures import ago, duration, value_text
from octavo.render.places import near_path
from octavo.render.sparklines import Timed
from octavo.render.style import Style
from octavo.render.summary import short_id
from octavo.render.tables import GAP, table

HEAD = ("", "run", "when", "took", "cells", "notebook")
#: Columns for what is known of a run besides; less is not worth showing.
LEAST_ABOUT, MOST_ABOUT = 10, 60
MOST_VALUE = 16


class Row(Timed, Protocol):
    """A run in a list."""

    @property
    def run_id(self) -> str: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def cells_executed(self) -> int: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...
    @property
    def defaults(self) -> Mapping[str, Any]: ...
    @property
    def scraps(self) -> Mapping[str, Any]: ...


def run_lines(
    rows: Sequence[Row],
    *,
    now: float,
    style: Style,
    columns: int,
    cwd: str,
    value: str | None = None,
) -> list[str]:
    """A table with a line a run; `value` names a parameter or scrap that has a column of its own.

    What does not fit is cut from parameters first, then from the beginning of the path.
    """
    head = [*HEAD, *([one_line(value, MOST_VALUE)] if value else [])]
    name = max(12, columns - _room_for_others(rows, now, style, head))
    told = [_row(row, now, style, name, cwd, value) for row in rows]
    room = columns - _width([head, *told]) - GAP_WIDTH
    if room >= LEAST_ABOUT:
        about = [one_line(_about(row), min(room, MOST_ABOUT)) for row in rows]
        if any(about):
            told = [
                (*cells, style.paint(text, "dim")) for cells, text in zip(told, about, strict=True)
            ]
            head.append("")
    right = frozenset((3, 4, *([6] if value and _numeric(rows, value) else [])))
    return table(told, head=head, right=right, style=style)


GAP_WIDTH = len(GAP)


def _width(rows: Sequence[Sequence[str]]) -> int:
    return (
        sum(max(map(width, column)) + GAP_WIDTH for column in zip(*rows, strict=True)) - GAP_WIDTH
    )


def _room_for_others(rows: Sequence[Row], now: float, style: Style, head: Sequence[str]) -> int:
    """The columns that all but the path take."""
    bare = [_row(row, now, style, 0, "/", None) for row in rows]
    others = [head[:5], *(cells[:5] for cells in bare)]
    return _width(others) + GAP_WIDTH + (MOST_VALUE + GAP_WIDTH) * (len(head) - len(HEAD))


def _row(
    row: Row, now: float, style: Style, name: int, cwd: str, value: str | None
) -> tuple[str, ...]:
    took = row.duration_seconds
    notebook = near_path(row.notebook, cwd) if row.notebook else "?"
    status = "interrupted" if row.reason == "interrupted" else row.status
    cells = (
        style.sign(status),
        style.paint(short_id(row.run_id), "cyan"),
        ago(now - row.started),
        "" if took is None else duration(took),
        str(row.cells_executed),
        clip_start(notebook, name),
    )
    return cells if value is None else (*cells, _value(row, value))


def _about(row: Row) -> str:
    """Why a run ended as it did, and what it was given."""
    why = row.reason or ("running" if row.status == "running" else "")
    if row.status == "unreadable":
        why = "unreadable"
    given = [f"{key}={value_text(value, 20)}" for key, value in row.parameters.items()]
    return " ".join([why, *given]).strip()


def _found(row: Row, name: str) -> Any:
    for values in (row.parameters, row.defaults, row.scraps):
        inner: Any = values
        for part in [name] if name in values else name.split("."):
            inner = inner.get(part) if isinstance(inner, Mapping) else None
        if inner is not None:
            return inner
    return None


def _value(row: Row, name: str) -> str:
    value = _found(row, name)
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else value_text(value, MOST_VALUE)


def _numeric(rows: Sequence[Row], name: str) -> bool:
    found = [value for row in rows if (value := _found(row, name)) is not None]
    return all(isinstance(value, (int, float)) for value in found)
