"""Values, moments and links on the pages of the archive, safe against what a notebook says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from octavo.archive.entries import Entry
from octavo.records.times import iso
from octavo.render.columns import one_line
from octavo.render.figures import duration
from octavo.render.marks import code_span
from octavo.render.scraps import scrap_text

#: So many scraps have a column of their own.
MOST_COLUMNS = 8
_MOST_PARAMETERS = 6
_LONGEST = 60


def outcome(entry: Entry) -> str:
    """A sign, and what went wrong if anything did."""
    if entry.ok:
        return "✅"
    return f"❌ {code_span(entry.reason or entry.status, 40)}"


def when(entry: Entry) -> str:
    """To the minute, in UTC."""
    return (iso(entry.started) or "")[:16].replace("T", " ")


def took(entry: Entry) -> str:
    return "" if entry.duration_seconds is None else duration(entry.duration_seconds)


def value(told: Any) -> str:
    """A value in a cell of a table."""
    if isinstance(told, bool) or told is None:
        return code_span(scrap_text(told, _LONGEST))
    if isinstance(told, float):
        return f"{told:.6g}"
    if isinstance(told, int):
        return one_line(str(told), 40)
    return code_span(scrap_text(told, _LONGEST), _LONGEST)


def values(given: Mapping[str, Any]) -> str:
    """Parameters, one after the other."""
    shown = list(given.items())[:_MOST_PARAMETERS]
    told = ", ".join(f"{code_span(name, 40)} = {value(each)}" for name, each in shown)
    more = len(given) - len(shown)
    return f"{told} and {more} more" if more > 0 else told


def commit(entry: Entry) -> str:
    """As code, so that it is no link: looking for what to link to can take a forge long."""
    if not entry.commit:
        return ""
    return code_span(str(entry.commit)[:10]) + (" + changes" if entry.dirty else "")


def link(text: str, path: str) -> str:
    """A link to a file of the branch; the text is Markdown already."""
    return f"[{text}]({address(path)})"


def image(path: str, width: int) -> str:
    """A figure that leads to itself in full."""
    target = address(path)
    return f'<a href="{target}"><img src="{target}" width="{width}" alt="figure"></a>'


def address(path: str) -> str:
    return quote(path, safe="/", errors="replace")


def columns(entries: Iterable[Entry]) -> tuple[list[str], int]:
    """The scraps that have columns, and how many have none; those of the newest runs first."""
    names = list(dict.fromkeys(name for each in entries for name in each.scraps))
    return names[:MOST_COLUMNS], max(0, len(names) - MOST_COLUMNS)


def scrap_cells(entry: Entry, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(value(entry.scraps[each]) if each in entry.scraps else "" for each in names)
