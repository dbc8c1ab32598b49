"""Entries put into and taken out of YAML text, which otherwise stays as it is written."""

from __future__ import annotations

import json
from typing import Any


def read(text: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(str(error)) from error


def put(text: str, section: str, name: str, entry: dict[str, Any]) -> str:
    """The text with an entry in a section, which is made where it is missing."""
    pair = _pair(_root(text), section)
    if pair is None:
        ended = text if not text or text.endswith("\n") else f"{text}\n"
        return f"{ended}{section}:\n" + _block(name, entry, 2)
    key, value = pair
    if value.start_mark.index < value.end_mark.index and text[value.start_mark.index] == "{":
        return _in_braces(text, value, name, entry)
    if hasattr(value, "value") and isinstance(value.value, list) and value.value:
        first = value.value[0][0].start_mark
        at = first.index - first.column
        return text[:at] + _block(name, entry, first.column) + text[at:]
    at = _next_line(text, key.end_mark.index)
    ended = text[:at] if text[:at].endswith("\n") else f"{text[:at]}\n"
    return ended + _block(name, entry, 2) + text[at:]


def take(text: str, section: str, name: str) -> str:
    """The text without an entry of a section; the section goes with its last one."""
    pair = _pair(_root(text), section)
    held = pair and _pair(pair[1], name)
    if pair is None or held is None:
        return text
    key, value = held
    if text[pair[1].start_mark.index] == "{":
        return _out_of_braces(text, pair[1], key, value)
    only = len(pair[1].value) == 1
    start = pair[0].start_mark if only else key.start_mark
    first = start.index - start.column
    return text[:first] + text[_end_of_lines(text, value) :]


def _in_braces(text: str, value: Any, name: str, entry: dict[str, Any]) -> str:
    at = value.start_mark.index + 1
    more = ", " if value.value else ""
    return (
        f"{text[:at]}{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}{more}{text[at:]}"
    )


def _out_of_braces(text: str, mapping: Any, key: Any, value: Any) -> str:
    pairs = mapping.value
    at = next(at for at, pair in enumerate(pairs) if pair[0] is key)
    if at + 1 < len(pairs):
        return text[: key.start_mark.index] + text[pairs[at + 1][0].start_mark.index :]
    start = pairs[at - 1][1].end_mark.index if at else key.start_mark.index
    return text[:start] + text[value.end_mark.index :]


def _block(name: str, entry: dict[str, Any], column: int) -> str:
    # JSON is YAML, and a text in quotes is never mistaken for something else.
    inner = "".join(
        f"{' ' * (column + 2)}{key}: {json.dumps(each, ensure_ascii=False)}\n"
        for key, each in entry.items()
    )
    return f"{' ' * column}{name}:\n{inner}"


def _root(text: str) -> Any:
    import yaml

    return yaml.compose(text, Loader=yaml.SafeLoader)


def _pair(mapping: Any, name: str) -> tuple[Any, Any] | None:
    pairs = mapping.value if mapping is not None and isinstance(mapping.value, list) else []
    for pair in pairs:
        if isinstance(pair, tuple) and pair[0].value == name:
            return pair
    return None


def _next_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _end_of_lines(text: str, value: Any) -> int:
    """Behind the last line of a value; what a block is followed by is not its own."""
    while (
        isinstance(value.value, list) and value.value and text[value.start_mark.index] not in "{["
    ):
        last = value.value[-1]
        value = last[1] if isinstance(last, tuple) else last
    return _next_line(text, value.end_mark.index)
