"""Tables within a width: numbers to the right, what does not fit left out and told."""

from __future__ import annotations

import re
from collections.abc import Sequence

from octavo.render.columns import clip, one_line, pad, width
from octavo.render.figures import counted
from octavo.render.html import Grid
from octavo.render.style import Style

GAP = 2
#: Longer cells are cut, and where columns are many, to as much as is left for each.
WIDEST_CELL, NARROWEST_CELL = 60, 12
#: More lines than this are folded to the first and the last of them.
LONGEST, HEAD, TAIL = 24, 14, 6

_NUMBER = re.compile(r"[-+−]?[\d.,_]*\d[\d.,_]*(?:[eE][-+]?\d+)?\s?%?$|[-+]?(?:nan|inf)$", re.I)
_MISSING = frozenset(("", "-", "–", "—", "...", "…", "nan", "none", "null", "<na>", "nat"))

Align = str


class GridDrawer:
    """Draws tables in a style and a width. `full` leaves no row and no column out."""

    def __init__(self, style: Style, columns: int, *, full: bool = False) -> None:
        self._style = style
        self._columns = columns
        self._full = full

    def lines(self, grid: Grid, aligns: Sequence[Align | None] = ()) -> list[str]:
        """A table; `aligns` are `left`, `right` or `centre` where somebody has said so."""
        count = max(map(len, grid.rows), default=0)
        if not count:
            return []
        rows = [[one_line(cell, 10_000) for cell in row] + [""] * (count - len(row))
                for row in grid.rows]  # fmt: skip
        body = rows[grid.heads :]
        sides = [
            (aligns[at] if at < len(aligns) else None) or _align([row[at] for row in body])
            for at in range(count)
        ]
        rows, gone = self._folded(rows, grid.heads)
        widths = self._widths(rows)
        drawn = _Drawn(rows, grid.heads, widths, sides, gone)
        if self._full:
            return [line for block in _blocks(widths, self._columns)
                    for line in [*self._draw(drawn, block), ""]][:-1]  # fmt: skip
        kept = _kept(widths, self._columns)
        return [*self._draw(drawn, kept), *self._notes(count - len(kept), gone)]

    def _folded(self, rows: list[list[str]], heads: int) -> tuple[list[list[str]], int]:
        """The rows that are shown, and how many of them are not."""
        body = len(rows) - heads
        if self._full or body <= LONGEST:
            return rows, 0
        return rows[: heads + HEAD] + rows[-TAIL:], body - HEAD - TAIL

    def _widths(self, rows: Sequence[Sequence[str]]) -> list[int]:
        """As wide as the cells, unless one of them is very long."""
        wanted = [max(map(width, column)) for column in zip(*rows, strict=True)]
        most = min(WIDEST_CELL, max(NARROWEST_CELL, self._columns))
        if sum(wanted) + GAP * (len(wanted) - 1) > self._columns:
            most = min(most, max(NARROWEST_CELL, self._fair(wanted)))
        return [max(1, min(each, most)) for each in wanted]

    def _fair(self, wanted: Sequence[int]) -> int:
        """How wide a cell may be so that all columns fit, if narrow ones give what they spare."""
        room = self._columns - GAP * (len(wanted) - 1)
        for at, each in enumerate(rising := sorted(wanted)):
            if each * (len(rising) - at) > room:
                return room // (len(rising) - at)
            room -= each
        return WIDEST_CELL

    def _draw(self, drawn: _Drawn, columns: Sequence[int]) -> list[str]:
        lines = [self._row(drawn, at, columns) for at in range(len(drawn.rows))]
        heads = [self._style.paint(line, "bold") for line in lines[: drawn.heads]]
        if drawn.heads and len(lines) > drawn.heads:
            across = min(self._columns, max(map(width, lines)))
            heads.append(self._style.paint(self._style.pick("─", "-") * across, "dim"))
        body = lines[drawn.heads :]
        if drawn.gone:
            body.insert(HEAD, self._style.paint(self._style.pick("⋮", ":"), "dim"))
        return [*heads, *body]

    def _row(self, drawn: _Drawn, at: int, columns: Sequence[int]) -> str:
        cells, last = [], -1
        mark = self._style.pick("…", "...")
        for column in columns:
            if column != last + 1 and not self._full:
                cells.append(mark)
            text = clip(drawn.rows[at][column], drawn.widths[column], mark)
            cells.append(_placed(text, drawn.widths[column], drawn.sides[column]))
            last = column
        if last != len(drawn.widths) - 1 and not self._full:
            cells.append(mark)
        return (" " * GAP).join(cells).rstrip()

    def _notes(self, columns: int, rows: int) -> list[str]:
        if not columns and not rows:
            return []
        told = [counted(rows, "row")] if rows else []
        told += [counted(columns, "column")] if columns else []
        mark = self._style.pick("…", "...")
        text = f"{mark} {' and '.join(told)} left out, --full shows them {mark}"
        return [self._style.paint(clip(text, self._columns), "dim")]


class _Drawn:
    """What every block of a table is drawn from."""

    def __init__(
        self,
        rows: Sequence[Sequence[str]],
        heads: int,
        widths: Sequence[int],
        sides: Sequence[Align],
        gone: int,
    ) -> None:
        self.rows = rows
        self.heads = heads
        self.widths = widths
        self.sides = sides
        self.gone = gone


def _align(cells: Sequence[str]) -> Align:
    """To the right where a column holds numbers and nothing else."""
    said = [cell for cell in cells if cell.lower() not in _MISSING]
    return "right" if said and all(map(_NUMBER.match, said)) else "left"


def _placed(text: str, columns: int, side: Align) -> str:
    if side == "centre":
        text = " " * ((columns - width(text)) // 2) + text
    return pad(text, columns, right=side == "right")


def _kept(widths: Sequence[int], columns: int) -> list[int]:
    """The columns that fit, taken in turns from both ends."""
    if sum(widths) + GAP * (len(widths) - 1) <= columns:
        return list(range(len(widths)))
    room = columns - 3 - GAP - widths[0]
    first, last, kept = 1, len(widths) - 1, [0]
    while first <= last:
        at = first if len(kept) % 2 else last
        room -= widths[at] + GAP
        if room < 0:
            break
        kept.append(at)
        first, last = (first + 1, last) if at == first else (first, last - 1)
    return sorted(kept)


def _blocks(widths: Sequence[int], columns: int) -> list[list[int]]:
    """All columns in as many blocks as they need; each begins with the first column if it can."""
    blocks, used = [[0]], widths[0]
    for at, each in enumerate(widths[1:], 1):
        if used + GAP + each > columns:
            with_first = widths[0] + GAP + each <= columns
            blocks.append([0] if with_first else [])
            used = widths[0] if with_first else -GAP
        blocks[-1].append(at)
        used += GAP + each
    return blocks
