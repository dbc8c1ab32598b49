"""Handing out named values from a notebook, in the spelling of scrapbook 0.5.

A value and its display under one name are one output: scrapbook's reader drops the value where
they are two.
"""

from __future__ import annotations

import json
import sys
from typing import Any

# What encodes is imported when something is glued: every kernel loads this module.

PREFIX = "application/scrapbook.scrap."
#: scrapbook's readers refuse a whole notebook for one null, so that has a type of its own.
NULL = "application/vnd.octavo.scrapbook.null+json"
VERSION = 1
ENCODERS = ("json", "text", "pandas", "display")

#: The code of the cell that glued a name, and the names that were warned of.
_glued_in: dict[str, str] = {}
_warned: set[str] = set()


def glue(name: str, data: Any, encoder: str | None = None, display: Any = None) -> None:
    """Hand out `data` under a name, and show it too where `display` is true.

    The encoder is chosen from the value unless it is given: "text" for text, "pandas" for tables
    (pandas, polars, arrow), "display" for what can only be shown, else "json". `display` may also
    be a list of media types, a dict with `include` and `exclude`, or another object to show.
    Nothing is handed out when this raises.
    """
    if not isinstance(name, str) or not name:
        raise TypeError("glue(name, data): name must be a non-empty string")
    chosen = encoder or _encoder_for(data, display)
    if chosen not in ENCODERS:
        known = ", ".join(map(repr, ENCODERS))
        raise ValueError(f"glue({name!r}): unknown encoder {chosen!r}; known are {known}")
    shown = chosen == "display" if display is None else display
    has_data = chosen != "display"
    if not has_data and not _wanted(shown):
        raise ValueError(f"glue({name!r}): a display that is not shown hands out nothing")
    bundle, metadata = _encoded(name, data, chosen) if has_data else ({}, {})
    if _wanted(shown):
        media, described = _formatted(data, shown)
        bundle, metadata = {**bundle, **media}, {**metadata, **described}
    metadata["scrapbook"] = {"name": name, "data": has_data, "display": _wanted(shown)}
    _publish(name, bundle, metadata, has_data)


def _wanted(display: Any) -> bool:
    """Whether a display was asked for; an object that is to be shown may have no truth value."""
    if display is None or isinstance(display, (bool, int, str, list, tuple, dict)):
        return bool(display)
    return True


def _encoder_for(data: Any, display: Any) -> str:
    from octavo_runtime import tables

    if isinstance(data, str):
        return "text"
    if tables.is_table(data):
        return "pandas"
    if _is_display(data) or (_wanted(display) and not _is_json(data)):
        return "display"
    return "json"


def _is_display(data: Any) -> bool:
    module = sys.modules.get("IPython.core.display")
    return module is not None and isinstance(data, module.DisplayObject)


def _is_json(data: Any) -> bool:
    from octavo_runtime.plain import plain

    try:
        json.dumps(plain(data))
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _encoded(name: str, data: Any, encoder: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The bundle that holds the value, and what is said about it."""
    described: dict[str, Any] = {}
    if encoder == "text":
        payload: Any = data if isinstance(data, str) else str(data)
    elif encoder == "pandas":
        from base64 import b64encode

        from octavo_runtime.tables import parquet

        table = parquet(name, data)
        payload = b64encode(table.content).decode("ascii")
        described["octavo"] = {"rows": table.rows, "columns": table.columns}
    else:
        payload = _json(name, data)
    media = NULL if payload is None else f"{PREFIX}{encoder}+json"
    record = {"name": name, "data": payload, "encoder": encoder, "version": VERSION}
    return {media: record}, described


def _json(name: str, data: Any) -> Any:
    """The value as JSON holds it; text is read as JSON, as scrapbook does."""
    from octavo_runtime.plain import plain

    try:
        value = json.loads(data) if isinstance(data, str) else plain(data)
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise TypeError(
            f"glue({name!r}): this {type(data).__name__} cannot be handed out as JSON: {why}. "
            f"Convert it to numbers, text, lists and dicts, hand out its text with encoder='text', "
            f"or only show it with encoder='display'"
        ) from error


def _formatted(data: Any, display: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is shown: the data in the wanted media types, or another object."""
    if sys.modules.get("IPython") is None:
        return {}, {}  # nobody is there to show it to
    from IPython.core.formatters import format_display_data

    if isinstance(display, (list, tuple)):
        media, described = format_display_data(data, include=list(display))
    elif isinstance(display, dict):
        media, described = format_display_data(data, **display)
    else:
        is_mark = isinstance(display, (bool, int, str))
        media, described = format_display_data(data if is_mark else display)
    return dict(media), dict(described)


def _publish(name: str, bundle: dict[str, Any], metadata: dict[str, Any], has_data: bool) -> None:
    shell = _shell()
    if shell is None or getattr(shell, "kernel", None) is None:
        import warnings

        warnings.warn(f"glue({name!r}): there is no kernel here, so nothing keeps it", stacklevel=3)
    if shell is None:
        return
    if has_data:
        _tell_of_second(name, shell)
    from IPython.display import display as publish

    publish(bundle, metadata=metadata, raw=True)


def _shell() -> Any:
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()


def _tell_of_second(name: str, shell: Any) -> None:
    """A name from two cells is probably a mistake; a loop, or a cell run again, is not."""
    entered = shell.user_ns.get("In") or [""]
    code = str(entered[-1])
    if name in _glued_in and _glued_in[name] != code and name not in _warned:
        _warned.add(name)
        sys.stderr.write(f"octavo: two cells glue {name!r}; the last value counts\n")
    _glued_in[name] = code
