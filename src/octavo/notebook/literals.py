"""Values as Python source text, spelled as Papermill spells them, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.value import Value


class Spelled(Value):
    """A value that is built from text in the notebook: `text` in a record, `source` in the cell."""

    text: str
    source: str


def python_literal(value: Any) -> str:
    """The Python expression that Papermill would inject for a value.

    Tuples, sets and keys that are not strings keep their type, where Papermill makes strings.
    """
    if isinstance(value, str):
        return _quoted(value)
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, Spelled):
        return value.source
    if isinstance(value, Mapping):
        pairs = (f"{python_literal(key)}: {python_literal(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(python_literal, value))}]"
    return _beyond_json(value)


def json_value(value: Any) -> Any:
    """A value as a record keeps it: only what JSON knows."""
    if isinstance(value, Spelled):
        return value.text
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return [json_value(item) for item in sorted(value, key=python_literal)]
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return str(value)


def _quoted(text: str) -> str:
    escaped = text.encode("unicode_escape").decode("ascii").replace('"', '\\"')
    return f'"{escaped}"'


def _integer(value: int) -> str:
    try:
        return f"{value}"
    except ValueError:  # more digits than Python converts to decimal
        return hex(value)


def _float(value: float) -> str:
    text = f"{value}"
    return f"float('{text}')" if text in ("nan", "inf", "-inf") else text


def _beyond_json(value: Any) -> str:
    if isinstance(value, tuple):
        inner = ", ".join(map(python_literal, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, (set, frozenset)):
        inner = ", ".join(sorted(map(python_literal, value)))
        return f"{{{inner}}}" if inner else "set()"
    if isinstance(value, bytes):
        return repr(value)
    return _quoted(str(value))
