"""JSON that every reader accepts: no NaN, no lone surrogates."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

_ENCODER = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(", ", ": "), default=str
)


def compact(value: Any) -> str:
    """A value on one line. Numbers that JSON lacks become their names, as in `"nan"`."""
    try:
        return _ENCODER.encode(value)
    except ValueError:
        return _ENCODER.encode(finite(value))


def finite(value: Any) -> Any:
    """The same value with `nan` and `inf` as text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, Mapping):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value


def utf8(text: str) -> bytes:
    """Text as UTF-8; half a surrogate pair becomes a replacement character."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return whole.encode()
