"""Scraps of one run, and of many: a row for each, a column for every name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from octavo.render.columns import one_line, width
from octavo.render.figures import counted, size_text, value_text
from octavo.render.style import Style
from octavo.render.tables import GAP, table

#: How wide a column may be; the narrow one where not all columns fit.
WIDE, NARROW = 28, 16
WIDEST_LABEL = 48
#: More bytes than there are anywhere: a value that looks like a description, and is none.
_LARGEST = 2**63

Rows = Sequence[tuple[str, Mapping[str, Any]]]


def scrap_text(value: Any, columns: int = 60) -> str:
    """A scrap in one line; what is only described is told in words."""
    described = _described(value, _in_words) if isinstance(value, Mapping) else ""
    return one_line(described, columns) if described else value_text(value, columns)


def _described(value: Mapping[str, Any], tell: Any) -> str:
    """What a record says in place of a display, a table or a value that is too large."""
    encoder, size, media = value.get("encoder"), value.get("bytes"), value.get("media")
    if isinstance(media, list):
        return str(tell(value, "display", ", ".join(map(str, media))))
    if not isinstance(encoder, str) or not isinstance(size, int) or size >= _LARGEST:
        return ""
    return str(tell(value, "table" if encoder == "pandas" else encoder, size_text(size)))


def _in_words(value: Mapping[str, Any], kind: str, about: str) -> str:
    if kind == "display":
        return f"display: {about}"
    rows, names = value.get("rows"), value.get("columns")
    shape = ""
    if isinstance(rows, int) and isinstance(names, list):
        shape = f", {counted(rows, 'row')} × {counted(len(names), 'column')}"
    where = f", in {value['file']}" if "file" in value else ""
    return f"{kind}{shape}, {about}{where}"


def _in_brief(value: Mapping[str, Any], kind: str, about: str) -> str:
    rows, names = value.get("rows"), value.get("columns")
    if isinstance(rows, int) and isinstance(names, list):
        return f"{kind} {rows:,} × {len(names)}"
    return kind if kind == "display" else f"{kind}, {about}"


def scrap_table(
    rows: Rows, *, style: Style, columns: int | None, first: str = "notebook"
) -> list[str]:
    """A line for each notebook, with its scraps in columns of the same name.

    Columns that do not fit are left out, and that is told; None is as wide as it takes.
    """
    labels = [one_line(label, WIDEST_LABEL) for label, _ in rows]
    room = None if columns is None else columns - max(map(width, [first, *labels]))
    names = list(dict.fromkeys(name for _, scraps in rows for name in scraps))
    cells = _columns(rows, names, WIDE)
    shown = _fitting(cells, room)
    if len(shown) < len(names):
        cells = _columns(rows, names, NARROW)
        shown = _fitting(cells, room)
    lines = table(
        [[label, *(cells[name][at] for name in shown)] for at, label in enumerate(labels, 1)],
        head=[first, *(cells[name][0] for name in shown)],
        right=frozenset(at for at, name in enumerate(shown, 1) if _are_numbers(rows, name)),
        style=style,
    )
    return [*lines, *_left_out(names[len(shown) :], style, columns)]


def _columns(rows: Rows, names: list[str], widest: int) -> dict[str, list[str]]:
    """The texts of every column, its name first."""
    return {
        name: [one_line(name, widest), *(_cell(scraps, name, widest) for _, scraps in rows)]
        for name in names
    }


def _cell(scraps: Mapping[str, Any], name: str, widest: int) -> str:
    if name not in scraps:
        return ""
    value = scraps[name]
    described = _described(value, _in_brief) if isinstance(value, Mapping) else ""
    return one_line(described, widest) if described else value_text(value, widest)


def _fitting(cells: Mapping[str, list[str]], room: int | None) -> list[str]:
    if room is None:
        return list(cells)
    shown: list[str] = []
    for name, texts in cells.items():
        room -= len(GAP) + max(map(width, texts))
        if room < 0 and shown:
            break
        shown.append(name)
    return shown


def _are_numbers(rows: Rows, name: str) -> bool:
    given = [scraps[name] for _, scraps in rows if scraps.get(name) is not None]
    return bool(given) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in given
    )


def _left_out(names: list[str], style: Style, columns: int | None) -> list[str]:
    if not names or columns is None:
        return []
    left = f"… {counted(len(names), 'more column')}, --csv has all: {', '.join(names)}"
    return [style.paint(one_line(left, columns), "dim")]
