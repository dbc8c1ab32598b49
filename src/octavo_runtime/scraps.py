"""Handing out named values from a notebook."""

from __future__ import annotations

import json
from typing import Any

PREFIX = "application/scrapbook.scrap."
VERSION = 1


def glue(name: str, data: Any, encoder: str | None = None, display: Any = None) -> None:
    """Hand out `data` under a name, and show it too where `display` is true.

    JSON values and text are kept as they are; the encoder is chosen from the value unless it is
    given ("json" or "text").
    """
    if not isinstance(name, str) or not name:
        raise TypeError("glue(name, data): name must be a non-empty string")
    chosen = encoder or ("text" if isinstance(data, str) else "json")
    payload = _encode(name, data, chosen)
    from IPython.display import display as show

    media = f"{PREFIX}{chosen}+json"
    record = {"name": name, "data": payload, "encoder": chosen, "version": VERSION}
    show(
        {media: record},
        metadata={"scrapbook": {"name": name, "data": True, "display": False}},
        raw=True,
    )
    if display:
        show(data if display is True else display)


def _encode(name: str, data: Any, encoder: str) -> Any:
    if encoder == "text":
        return data if isinstance(data, str) else str(data)
    if encoder != "json":
        raise ValueError(f"glue({name!r}): unknown encoder {encoder!r}; use 'json' or 'text'")
    plain = _plain(data)
    try:
        return json.loads(json.dumps(plain, allow_nan=True))
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"glue({name!r}): {type(data).__name__} is not JSON ({error}); "
            "convert it, or pass encoder='text'"
        ) from error


def _plain(value: Any) -> Any:
    """Numbers of numpy and pandas as Python's own; containers likewise."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if type(value).__module__.partition(".")[0] in ("numpy", "pandas") and hasattr(value, "tolist"):
        return value.tolist()
    if type(value).__module__.partition(".")[0] == "numpy" and hasattr(value, "item"):
        return value.item()
    return value
