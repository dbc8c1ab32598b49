"""JSON as its shape: keys, types, lengths, and samples of the values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from octavo.render.compact_text import clean_lines, short, without_base64
from octavo.render.compact_value import Compact

#: What has no more values than this is given as it is.
FEW_VALUES = 60
MOST_KEYS, MOST_DEPTH, MOST_LOOKED_AT = 40, 4, 1000


def json_shape(value: Any, about: str = "") -> Compact:
    """A value with few parts as it is, a larger one by its shape."""
    told = _type(value)
    about = f"{about} {told}".strip()
    if _count(value, FEW_VALUES + 1) <= FEW_VALUES:
        text = json.dumps(_readable(value), ensure_ascii=False, indent=1, default=str)
        return Compact("json", about, clean_lines(_joined_short(text)).lines)
    return Compact("json", about, tuple(_lines(value, 0)))


def _joined_short(text: str) -> str:
    """On one line where that is short."""
    flat = " ".join(line.strip() for line in text.split("\n"))
    return flat if len(flat) <= 160 else text


def _readable(value: Any) -> Any:
    """A small value in which long texts are cut, and what is encoded is told."""
    if isinstance(value, Mapping):
        return {short(key, 80): _readable(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_readable(each) for each in value]
    if isinstance(value, str):
        text = without_base64(value[:4000])
        return text if len(text) <= 400 else f"{text[:400]}… ({len(value):,} characters)"
    return value


def _count(value: Any, most: int) -> int:
    """How many values there are in a value; counting ends at `most`."""
    waiting, count = [value], 0
    while waiting and count < most:
        each = waiting.pop()
        count += 1
        if isinstance(each, Mapping):
            count += max(0, len(each) - most)
            waiting.extend(list(each.values())[:most])
        elif isinstance(each, (list, tuple)):
            count += max(0, len(each) - most)
            waiting.extend(each[:most])
    return count


def _type(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"object, {len(value):,} key{'s' if len(value) != 1 else ''}"
    if isinstance(value, (list, tuple)):
        return f"list of {len(value):,}{_items(value)}"
    return _leaf_type(value)


def _leaf_type(value: Any) -> str:
    if value is None:
        return "null"
    names: dict[type, str] = {bool: "bool", int: "int", float: "float", str: "text"}
    return names.get(type(value), type(value).__name__)


def _items(values: Sequence[Any]) -> str:
    """What kinds of values a list has, as far as it is looked at."""
    kinds = {
        "object" if isinstance(each, Mapping) else "list" if isinstance(each, (list, tuple))
        else _leaf_type(each)
        for each in values[:MOST_LOOKED_AT]
    }  # fmt: skip
    return f" ({', '.join(sorted(kinds))})" if kinds else ""


def _lines(value: Any, depth: int) -> Iterator[str]:
    pad = "  " * depth
    if depth >= MOST_DEPTH:
        return
    if isinstance(value, Mapping):
        for key in list(value)[:MOST_KEYS]:
            yield from _member(short(key, 60), value[key], depth)
        if len(value) > MOST_KEYS:
            yield f"{pad}… {len(value) - MOST_KEYS:,} more keys"
    elif isinstance(value, (list, tuple)):
        yield from _list(value, depth)


def _member(name: str, value: Any, depth: int) -> Iterator[str]:
    pad = "  " * depth
    if isinstance(value, (Mapping, list, tuple)):
        yield f"{pad}{name}: {_type(value)}"
        yield from _lines(value, depth + 1)
    else:
        yield f"{pad}{name}: {_leaf_type(value)} {_sample(value)}"


def _list(values: Sequence[Any], depth: int) -> Iterator[str]:
    """Numbers by their range, others by the first of them and the last."""
    pad = "  " * depth
    looked_at = values[:MOST_LOOKED_AT]
    if looked_at and all(isinstance(each, (int, float)) for each in looked_at):
        yield f"{pad}{', '.join(_sample(each) for each in values[:5])}{', …' * (len(values) > 5)}"
        return
    if values and isinstance(values[0], (Mapping, list, tuple)):
        yield f"{pad}first:"
        yield from _lines(values[0], depth + 1)
    else:
        shown = ", ".join(_sample(each) for each in values[:5])
        yield f"{pad}{shown}{', …' * (len(values) > 5)}"


def _sample(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(short(value, 60), ensure_ascii=False)
    return short(json.dumps(value, default=str)[:200], 60)
