"""Charts that are data: Plotly by its traces, Vega and Vega-Lite by marks and encodings."""

from __future__ import annotations

import json
import re
from array import array
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import isfinite
from typing import Any

from octavo.render.compact_text import short
from octavo.render.compact_value import Compact
from octavo.render.figures import counted

MOST_TRACES, MOST_CHANNELS, MOST_DEPTH = 50, 20, 4
#: Ranges are those of at most so many values.
MOST_VALUES = 1_000_000

_SERIES = ("x", "y", "z", "values", "lat", "lon", "r", "theta", "open", "close")
_CODES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "f4": "f", "f8": "d",
          "i8": "q", "u8": "Q"}  # fmt: skip
#: What stands in every page that holds a chart of Vega.
VEGA_MARK = "vega.github.io/schema/vega"
#: Altair's page calls a function with the chart; what follows is JSON.
_CALLED = re.compile(r"\}\)\((?=\{)")


def plotly(figure: Any) -> Compact:
    """A figure: its title and axes, then a line for each trace."""
    traces = [trace for trace in _list(figure.get("data")) if isinstance(trace, Mapping)]
    layout = _mapping(figure.get("layout"))
    points = sum(map(_points, traces))
    title = _title(layout.get("title"))
    about = f"{counted(len(traces), 'trace')}, {counted(points, 'point')}"
    lines = [*_axes(layout), *map(_trace, traces[:MOST_TRACES])]
    if len(traces) > MOST_TRACES:
        lines.append(f"… {len(traces) - MOST_TRACES:,} more traces")
    kinds = sorted({short(trace.get("type") or "scatter", 30) for trace in traces[:MOST_TRACES]})
    facts = {"traces": len(traces), "points": points, "kinds": kinds, "title": title}
    return Compact("plotly", f"{about}, {title}" if title else about, tuple(lines), facts)


def _trace(trace: Mapping[str, Any]) -> str:
    words = [short(trace.get("type") or "scatter", 30)]
    if trace.get("mode"):
        words.append(short(trace["mode"], 30))
    if trace.get("name"):
        words.append(f'"{short(trace["name"], 40)}"')
    ranges = [
        f"{name} {told}" for name in _SERIES if name in trace and (told := _range(trace[name]))
    ]
    return f"{' '.join(words)}: {', '.join([counted(_points(trace), 'point'), *ranges])}"


def _points(trace: Mapping[str, Any]) -> int:
    shape = _mapping(trace.get("z")).get("shape")
    if isinstance(shape, str):
        sides = [int(side) for side in re.findall(r"\d{1,9}", shape)[:3]]
        return sides[0] * (sides[1] if len(sides) > 1 else 1) if sides else 0
    return max((_length(trace[name]) for name in _SERIES if name in trace), default=0)


def _length(values: Any) -> int:
    if isinstance(values, Mapping):
        size, encoded = _item_size(values), str(values.get("bdata", ""))
        return (len(encoded) * 3 // 4 - encoded[-2:].count("=")) // size if size else 0
    if isinstance(values, list) and values and isinstance(values[0], list):
        return sum(len(row) for row in values if isinstance(row, list))
    return len(values) if isinstance(values, list) else 0


def _item_size(values: Mapping[str, Any]) -> int:
    code = _CODES.get(str(values.get("dtype", "")).lstrip("<|="))
    return array(code).itemsize if code else 0


def _range(values: Any) -> str:
    """The least and the greatest number; of words, the first few."""
    numbers = _decoded(values) if isinstance(values, Mapping) else values
    if not isinstance(numbers, (list, array)) or not len(numbers):
        return ""
    if isinstance(numbers[0], list):
        numbers = list(islice((each for row in numbers for each in _list(row)), MOST_VALUES))
    found = [each for each in islice(numbers, MOST_VALUES) if _is_number(each)]
    if found:
        return f"{min(found):.6g}..{max(found):.6g}"
    return _words([each for each in islice(numbers, MOST_VALUES) if isinstance(each, str)])


def _words(texts: Sequence[str]) -> str:
    if not texts:
        return ""
    kinds = list(dict.fromkeys(islice(texts, 1000)))
    if len(kinds) <= 6:
        return ", ".join(short(text, 30) for text in kinds)
    return f"{short(texts[0], 30)}..{short(texts[-1], 30)}"


def _decoded(values: Mapping[str, Any]) -> Sequence[Any]:
    code = _CODES.get(str(values.get("dtype", "")).lstrip("<|="))
    if code is None:
        return ()
    raw = b64decode(str(values.get("bdata", ""))[: MOST_VALUES * 8])
    numbers = array(code)
    numbers.frombytes(raw[: len(raw) - len(raw) % numbers.itemsize])
    return numbers


def _is_number(value: Any) -> bool:
    return type(value) is int or (type(value) is float and isfinite(value))


def _axes(layout: Mapping[str, Any]) -> Iterator[str]:
    """The titles of the axes, and their ranges where the author has set them."""
    told = []
    for name in islice((key for key in layout if "axis" in str(key)), 8):
        axis = _mapping(layout[name])
        title, limits = _title(axis.get("title")), axis.get("range")
        words = [title] if title else []
        if isinstance(limits, list) and len(limits) == 2:
            words.append(f"{short(limits[0], 20)}..{short(limits[1], 20)}")
        if words:
            told.append(f"{short(name, 20)}: {' '.join(words)}")
    if told:
        yield ", ".join(told)


def _title(title: Any) -> str:
    text = title.get("text") if isinstance(title, Mapping) else title
    if isinstance(text, list):
        text = " ".join(map(str, text[:4]))
    return short(re.sub(r"<[^>]{0,200}>", " ", text[:1000]), 80) if isinstance(text, str) else ""


def vega_in_html(html: str) -> Compact | None:
    """The chart in a page that Altair wrote; None where there is none."""
    at = html.find(VEGA_MARK)
    found = next(
        (call for call in _CALLED.finditer(html) if call.end() < at), None
    )  # fmt: skip
    if at < 0 or found is None:
        return None
    try:
        chart, _ = json.JSONDecoder().raw_decode(html, found.end())
    except (ValueError, RecursionError):
        return None
    return vega(chart)


def vega(chart: Any) -> Compact:
    """A chart: title and data, then a line for each mark with its encodings."""
    lite = "vega-lite" in str(chart.get("$schema", "vega-lite"))
    rows = _rows(chart)
    title = _title(chart.get("title"))
    lines = list(_views(chart, 0)) if lite else list(_vega_marks(chart))
    about = [counted(len(lines), "mark"), *([counted(rows, "row")] if rows is not None else [])]
    facts = {"marks": len(lines), "rows": rows, "title": title}
    told = ", ".join([*about, *([title] if title else [])])
    fields = _fields(chart)
    if fields:
        lines.append(f"fields: {', '.join(fields)}")
    return Compact("vega-lite" if lite else "vega", told, tuple(lines[:MOST_TRACES]), facts)


def _views(view: Any, depth: int) -> Iterator[str]:
    if not isinstance(view, Mapping) or depth > MOST_DEPTH:
        return
    mark = view.get("mark")
    kind = mark.get("type") if isinstance(mark, Mapping) else mark
    if kind is not None:
        channels = _mapping(view.get("encoding"))
        told = [_channel(name, channels[name]) for name in islice(channels, MOST_CHANNELS)]
        yield " ".join([short(kind, 30), *filter(None, told)])
    for name in ("layer", "hconcat", "vconcat", "concat"):
        for part in _list(view.get(name))[:MOST_TRACES]:
            yield from _views(part, depth + 1)
    yield from _views(view.get("spec"), depth + 1)


_LETTERS = {"quantitative": "Q", "nominal": "N", "ordinal": "O", "temporal": "T", "geojson": "G"}


def _channel(name: str, how: Any) -> str:
    """As Altair abbreviates it: `y=mean(price):Q`."""
    first = how[0] if isinstance(how, list) and how else how
    if not isinstance(first, Mapping):
        return ""
    field = first.get("field", first.get("value", first.get("datum", "")))
    told = short(field if isinstance(field, (str, int, float)) else json.dumps(field), 40)
    function = (
        first.get("aggregate") or first.get("timeUnit") or ("bin" if first.get("bin") else "")
    )
    told = f"{short(function, 30)}({told})" if function else told
    kind = _LETTERS.get(str(first.get("type")), "")
    label = _title(first.get("title"))
    return (
        f"{short(name, 20)}={told}"
        + (f":{kind}" if kind else "")
        + (f' "{label}"' if label else "")
    )


def _vega_marks(chart: Mapping[str, Any]) -> Iterator[str]:
    for mark in _list(chart.get("marks"))[:MOST_TRACES]:
        if isinstance(mark, Mapping):
            source = _mapping(mark.get("from")).get("data", "")
            yield f"{short(mark.get('type', '?'), 30)} {short(source, 40)}".rstrip()


def _tables(chart: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    """The rows that a chart brings with it, wherever they stand."""
    yield from (rows for rows in _mapping(chart.get("datasets")).values() if isinstance(rows, list))
    data = chart.get("data")
    for each in data if isinstance(data, list) else [data]:
        values = _mapping(each).get("values")
        if isinstance(values, list):
            yield values


def _rows(chart: Mapping[str, Any]) -> int | None:
    found = [len(rows) for rows in _tables(chart)]
    return sum(found) if found else None


def _fields(chart: Mapping[str, Any]) -> list[str]:
    """The names of the columns, and the range or the words in each."""
    rows = next((rows for rows in _tables(chart) if rows and isinstance(rows[0], Mapping)), None)
    if rows is None:
        return []
    told = []
    for name in islice(rows[0], MOST_CHANNELS):
        column = [row[name] for row in islice(rows, 10_000)
                  if isinstance(row, Mapping) and name in row]  # fmt: skip
        told.append(f"{short(name, 30)} {_range(column)}".rstrip())
    return told


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
