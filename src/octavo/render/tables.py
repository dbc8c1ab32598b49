"""Rows in aligned columns."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.render.columns import pad, width
from octavo.render.style import PLAIN, Style

GAP = "  "


def table(
    rows: Sequence[Sequence[str]],
    *,
    head: Sequence[str] = (),
    right: frozenset[int] = frozenset(),
    style: Style = PLAIN,
) -> list[str]:
    """Lines with one row each; the columns in `right` are flush right."""
    if not rows:
        return []
    everything = [*([head] if head else []), *rows]
    widths = [max(width(row[column]) for row in everything) for column in range(len(rows[0]))]
    lines = [_line(row, widths, right) for row in rows]
    if head:
        lines.insert(0, style.paint(_line(head, widths, right), "dim"))
    return lines


def _line(row: Sequence[str], widths: Sequence[int], right: frozenset[int]) -> str:
    cells = [pad(cell, widths[column], right=column in right) for column, cell in enumerate(row)]
    return GAP.join(cells).rstrip()
