"""The variables of a kernel as lines: a list of them, or one of them in part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from octavo.render.columns import clip, one_line, plain
from octavo.render.figures import counted, size_text
from octavo.render.grids import GridDrawer
from octavo.render.html import Grid
from octavo.render.style import PLAIN, Style
from octavo.render.tables import table

_WIDEST_NAME = 40
_LEAST_GLANCE = 10


def listing_lines(
    variables: Sequence[Mapping[str, Any]], columns: int = 100, style: Style = PLAIN
) -> list[str]:
    """One line for each: name, type, extent, size, and as much of a glance as there is room."""
    rows = [
        (
            style.paint(one_line(str(each["name"]), _WIDEST_NAME), "bold"),
            one_line(_type(each), 30),
            extent(each),
            _size(each),
        )
        for each in variables
    ]
    aligned = table(rows, head=("name", "type", "extent", "size"), right=frozenset((3,)))
    if not aligned:
        return []
    from octavo.render.columns import width

    widest = max(map(width, aligned))
    room = columns - widest - 2
    lines = [style.paint(aligned[0], "dim")]
    for line, each in zip(aligned[1:], variables, strict=True):
        glance = one_line(str(each.get("preview") or ""), max(room, _LEAST_GLANCE))
        gap = " " * (widest - width(line) + 2)
        lines.append(f"{line}{gap}{style.paint(glance, 'dim')}".rstrip())
    return lines


def package_lines(packages: Sequence[Mapping[str, Any]], style: Style = PLAIN) -> list[str]:
    """One line for each: name, version, and whether it is imported."""
    rows = [
        (
            plain(str(each["name"])),
            plain(str(each["version"])),
            style.paint("imported", "green") if each.get("imported") else "",
        )
        for each in packages
    ]
    return table(rows)


def preview_lines(shown: Mapping[str, Any], columns: int = 100, style: Style = PLAIN) -> list[str]:
    """What is known of one variable, and a part of what it holds."""
    facts = [_type(shown), _long_extent(shown), *_range(shown), _size(shown)]
    name = style.paint(one_line(str(shown.get("name")), _WIDEST_NAME), "bold")
    head = f"{name}  {', '.join(each for each in facts if each)}"
    return [head, *_body(shown, columns, style)]


def extent(told: Mapping[str, Any]) -> str:
    """`3 × 4` for what has a shape, the length of other containers."""
    shape = told.get("shape")
    if shape is not None:
        return " × ".join(f"{each:,}" for each in shape) or "one value"
    return f"{told['length']:,}" if told.get("length") is not None else ""


def _long_extent(told: Mapping[str, Any]) -> str:
    if told.get("length") is None:
        return extent(told)
    noun = {"str": "character", "bytes": "byte", "bytearray": "byte"}.get(str(told.get("type")))
    return counted(told["length"], noun or "item")


def _type(told: Mapping[str, Any]) -> str:
    kind = f" {told['dtype']}" if told.get("dtype") else ""
    return plain(f"{told.get('type')}{kind}")


def _size(told: Mapping[str, Any]) -> str:
    return size_text(told["size"]) if told.get("size") is not None else ""


def _range(shown: Mapping[str, Any]) -> list[str]:
    if "min" not in shown:
        return []
    missing = f", {shown['missing']:,} missing" if shown.get("missing") else ""
    return [plain(f"{shown['min']} to {shown['max']}{missing}")]


def _body(shown: Mapping[str, Any], columns: int, style: Style) -> list[str]:
    if "columns" in shown:
        return _table(shown, columns, style)
    if "rows" in shown:
        return _grid(shown["rows"], 0, columns, style, shown)
    if "items" in shown:
        return _items(shown, columns, style)
    if "head" in shown:
        return _text(shown, style)
    text = [one_line(str(shown["text"]), columns * 20)] if shown.get("text") else []
    doc = [style.paint(one_line(str(shown["doc"]), columns), "dim")] if "doc" in shown else []
    return [*text, *doc, *_entries(shown, columns, style)]


def _table(shown: Mapping[str, Any], columns: int, style: Style) -> list[str]:
    """Names, types and missing counts above the rows."""
    described, total = shown["columns"], shown["rows_total"]
    rows = [list(map(str, row)) for row in shown["rows"]]
    first = shown.get("first", len(rows))
    last = range(total - len(rows) + first, total)
    labels = list(shown.get("labels") or [str(at) for at in (*range(first), *last)])
    if first < len(rows):
        rows.insert(first, ["…"] * len(described))
        labels.insert(first, "…")
    heads = [
        ("", *(str(each["name"]) for each in described)),
        ("type", *(str(each["type"]) for each in described)),
        ("missing", *map(_missing, described)),
    ]
    body = [(str(label), *row) for label, row in zip(labels, rows, strict=False)]
    left = shown["columns_total"] - len(described)
    more = [f"{counted(total, 'row')} in all"] if first < len(shown["rows"]) else []
    more += [f"{counted(left, 'column')} more"] if left > 0 else []
    note = [style.paint(", ".join(more), "dim")] if more else []
    drawn = GridDrawer(style, columns, full=True).lines(Grid((*heads, *body), len(heads)))
    return [*drawn, *note]


def _missing(column: Mapping[str, Any]) -> str:
    count = column.get("missing")
    if count is None:
        return "?"
    among = f" of {column['missing_of']:,}" if "missing_of" in column else ""
    return f"{count:,}{among}" if count or among else "-"


def _grid(
    rows: Sequence[Sequence[str]], heads: int, columns: int, style: Style, shown: Mapping[str, Any]
) -> list[str]:
    told = [tuple(map(str, row)) for row in rows]
    first = shown.get("first", len(told))
    if first < len(told):
        told.insert(first, tuple("…" for _ in told[0]))
    note = ["the first plane:"] if shown.get("plane") else []
    return [*note, *GridDrawer(style, columns, full=True).lines(Grid(tuple(told), heads))]


def _items(shown: Mapping[str, Any], columns: int, style: Style) -> list[str]:
    items = [one_line(str(each), columns) for each in shown["items"]]
    first = shown.get("first", len(items))
    total = shown.get("total")
    shape = shown.get("shape") or [len(items)]
    count = total if total is not None else shape[0] if shape else 1
    if len(items) < count:
        items.insert(first, style.paint(f"… {count - len(items):,} more", "dim"))
    return items


def _text(shown: Mapping[str, Any], style: Style) -> list[str]:
    lines = plain(str(shown["head"])).splitlines()
    if shown.get("omitted"):
        told = f"… {counted(shown['omitted'], 'character')} left out …"
        lines += [style.paint(told, "dim"), *plain(str(shown.get("tail", ""))).splitlines()]
    return lines


def _entries(shown: Mapping[str, Any], columns: int, style: Style) -> list[str]:
    entries = shown.get("entries") or shown.get("attributes") or ()
    rows = [
        (one_line(str(each["key"]), 60), style.paint(one_line(str(each["type"]), 30), "dim"),
         one_line(str(each["text"]), columns))
        for each in entries
    ]  # fmt: skip
    left = shown.get("total", len(rows)) - len(rows)
    note = [style.paint(f"… {left:,} more", "dim")] if left > 0 else []
    return [*(clip(line, columns * 2) for line in table(rows)), *note]
