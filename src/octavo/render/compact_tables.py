"""Tables and running text: data frames by their shape, columns and rows; HTML by what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from octavo.render.columns import pad, width
from octavo.render.compact_text import clean_lines, short, without_base64
from octavo.render.compact_value import Compact
from octavo.render.figures import size_text
from octavo.render.html import Grid, Text, html_blocks

WIDEST_CELL = 80
#: More of a document takes too long to read.
MOST_HTML = 1_000_000
#: Column names that programs are told; people see them above the rows.
MOST_NAMES = 50

_SHAPES = (
    re.compile(r"(\d[\d,]*) rows? [×x] (\d[\d,]*) columns?"),
    re.compile(r"shape: \((\d[\d_,]*), (\d[\d_]*)\)"),
)
_POLARS_TYPE = re.compile(
    r"(?:[iu](?:8|16|32|64|128)|f(?:32|64)|str|bool|date|time|cat|enum|binary|null|object"
    r"|datetime\[.*|duration\[.*|list\[.*|array\[.*|struct\[.*|decimal\[.*|extension\[.*)$"
)
_NUMBER = re.compile(r"[-+−]?[\d.,_]*\d[\d.,_]*(?:[eE][-+]?\d+)?%?$")
_MISSING = frozenset(("", "...", "…", "nan", "none", "null", "<na>", "nat", "---"))
#: A row of these stands for all that were left out.
_ELLIPSES = frozenset(("...", "…", "⋮", ""))
_BORDERS = frozenset("┌┐└┘├┤┬┴┼╞╡╪═─│ ╌┄┆-")


def frame_in_html(html: str) -> Compact | None:
    """The tables of a document, and what it says around them; None where there is no table."""
    blocks = html_blocks(html[:MOST_HTML])
    grids = [block for block in blocks if isinstance(block, Grid) and len(block.rows) > block.heads]
    if not grids:
        return None
    said = " ".join(block.text for block in blocks if isinstance(block, Text))
    if len(grids) == 1:
        return _partly(_frame(grids[0], said), html)
    lines = [line for block in blocks for line in _block_lines(block)]
    return _partly(Compact("table", f"{len(grids)} tables", tuple(lines)), html)


def _partly(form: Compact, html: str) -> Compact:
    """A document that is too long is read from its beginning, and that is told."""
    if len(html) <= MOST_HTML:
        return form
    told = f"the first {size_text(MOST_HTML)} of {size_text(len(html))}"
    return form.replace(about=f"{form.about}, from {told}")


def html_text(html: str) -> Compact:
    """What a document without a table says."""
    blocks = html_blocks(html[:MOST_HTML])
    lines = [line for block in blocks for line in _block_lines(block)]
    scripts = html.count("<script")
    about = size_text(len(html))
    if scripts:
        about += f", {scripts} script{'s' if scripts != 1 else ''}"
    return _partly(Compact("html", about if lines else f"{about}, no text", tuple(lines)), html)


def _block_lines(block: Text | Grid) -> Iterator[str]:
    if isinstance(block, Grid):
        yield from _grid_lines(block)
        return
    mark = {"heading": "# ", "item": "- "}.get(block.kind, "")
    for line in clean_lines(block.text).lines:
        yield mark + line
        mark = ""


def _frame(grid: Grid, said: str) -> Compact:
    body = grid.rows[grid.heads :]
    rows = sum(not set(row) <= _ELLIPSES for row in body)
    shape = _shape(said)
    types = _polars_types(grid)
    facts: dict[str, Any] = {"columns": _names(grid)}
    if types:
        facts["types"] = [short(each, 40) for each in types[:MOST_NAMES]]
    if shape is None:
        columns = max(map(len, grid.rows)) - _index_columns(grid)
        facts.update(rows=rows, column_count=columns)
        about = _told(rows, columns)
    else:
        facts.update(rows=shape[0], column_count=shape[1])
        about = _told(*shape)
        if rows < shape[0]:
            about += f", {rows:,} of them in the output"
    return Compact("table", about, tuple(_grid_lines(grid)), facts)


def _told(rows: int, columns: int) -> str:
    return (
        f"{rows:,} row{'s' if rows != 1 else ''} × {columns:,} column{'s' if columns != 1 else ''}"
    )


def _shape(text: str) -> tuple[int, int] | None:
    for pattern in _SHAPES:
        if found := pattern.search(text[-400:]) or pattern.search(text[:400]):
            return int(re.sub(r"\D", "", found[1])), int(re.sub(r"\D", "", found[2]))
    return None


def _names(grid: Grid) -> list[str]:
    head = grid.rows[0] if grid.heads else ()
    return [short(name, 60) for name in head[_index_columns(grid) :][:MOST_NAMES]]


def _index_columns(grid: Grid) -> int:
    """pandas leaves the head of an index without a name blank."""
    return 1 if grid.heads and grid.rows[0] and not grid.rows[0][0] else 0


def _polars_types(grid: Grid) -> Sequence[str]:
    if grid.heads != 2 or not all(map(_POLARS_TYPE.match, grid.rows[1])):
        return ()
    return grid.rows[1]


def _grid_lines(grid: Grid) -> Iterator[str]:
    count = max(map(len, grid.rows), default=0)
    rows = [[short(cell, WIDEST_CELL) for cell in row] + [""] * (count - len(row))
            for row in grid.rows]  # fmt: skip
    return aligned(rows, grid.heads)


def aligned(rows: Sequence[Sequence[str]], heads: int) -> Iterator[str]:
    """Rows in columns, numbers to the right."""
    sides = [_is_numeric([row[at] for row in rows[heads:]]) for at in range(len(rows[0]))]
    widths = [max(width(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        cells = [pad(cell, widths[at], right=sides[at]) for at, cell in enumerate(row)]
        yield "  ".join(cells).rstrip()


def _is_numeric(cells: Sequence[str]) -> bool:
    said = [cell for cell in cells if cell.lower() not in _MISSING]
    return bool(said) and all(map(_NUMBER.match, said))


def frame_in_text(text: str) -> Compact | None:
    """A data frame that was printed; None where a text does not end or begin as one does."""
    stripped = text.strip("\r\n").rstrip()
    if stripped.startswith("shape: (") and "\n┌" in stripped[:60]:
        return _polars_text(stripped)
    last = stripped[-60:].rpartition("\n")[2]
    if not re.fullmatch(r"\[\d+ rows x \d+ columns\]", last):
        return None
    shape = _shape(last)
    lines = clean_lines(stripped[: -len(last)].rstrip())
    if shape is None or not lines.lines:
        return None
    facts = {"rows": shape[0], "column_count": shape[1]}
    return Compact("table", _told(*shape), lines.lines, facts, lines.before, lines.gone)


def _polars_text(text: str) -> Compact | None:
    """The borders and the rule below the names say nothing that columns do not say."""
    shape = _shape(text[:100])
    cells = [
        [short(cell, WIDEST_CELL) for cell in re.split(r"[│┆]", line.strip()[1:-1])]
        for line in without_base64(text).split("\n")[1:]
        if line.strip()[:1] == "│" and not set(line) <= _BORDERS
    ]
    if shape is None or not cells or any(len(row) != len(cells[0]) for row in cells):
        return None
    head, types = cells[0], cells[1] if len(cells) > 1 else []
    heads = 2 if types and all(_POLARS_TYPE.match(each) or each == "…" for each in types) else 1
    facts: dict[str, Any] = {"columns": head[:MOST_NAMES], "rows": shape[0]}
    facts["column_count"] = shape[1]
    if heads == 2:
        facts["types"] = types[:MOST_NAMES]
    return Compact("table", _told(*shape), tuple(aligned(cells, heads)), facts)
