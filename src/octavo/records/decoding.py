"""From the payload of a scrap to its value. Nothing in it is ever executed."""

from __future__ import annotations

import json
from typing import Any

from octavo.errors import InfrastructureError, UsageError
from octavo.events.spilled import size_text


def decoded(name: str, encoder: str, payload: Any, place: str) -> Any:
    """The value of a scrap; UsageError `scrap-unreadable` where there is no telling."""
    if encoder == "json":
        return _json(payload)
    if encoder == "text":
        return payload if isinstance(payload, str) else str(payload)
    if encoder == "pandas":
        return _table(name, payload, place)
    hint = "read `.payload`, which is as the notebook has it"
    raise unreadable(name, f"its encoder {encoder!r} is not known here", place, hint)


def unreadable(name: str, why: str, place: str, hint: str) -> UsageError:
    """The error about a scrap that is there, but not as it should be."""
    return UsageError("scrap-unreadable", f"scrap {name!r}: {why}", place=place, hint=hint)


def pandas_for(what: str) -> Any:
    """The pandas package; InfrastructureError `extra-missing` where it or pyarrow is not there."""
    try:
        import pandas  # type: ignore[import-untyped,unused-ignore]
        import pyarrow  # type: ignore[import-untyped,unused-ignore]  # noqa: F401
    except ImportError as error:
        raise InfrastructureError(
            "extra-missing",
            f"{what} needs pandas and pyarrow: {error}",
            hint="pip install 'octavo[tables]'",
        ) from error
    return pandas


def _json(payload: Any) -> Any:
    """Text is read as JSON where it is, as scrapbook does."""
    if not isinstance(payload, str):
        return payload
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        return payload


def _table(name: str, payload: Any, place: str) -> Any:
    from base64 import b64decode
    from io import BytesIO

    pandas = pandas_for(f"the table {name!r}")
    try:
        content = b64decode(payload)
        _check_size(name, content, place)
        return pandas.read_parquet(BytesIO(content), engine="pyarrow")
    except UsageError:
        raise
    except MemoryError as error:
        raise unreadable(name, "the table is too large", place, "free some memory") from error
    except Exception as error:
        # pyarrow has many kinds of errors, and any of them means the same here.
        why = f"it is not a table in Parquet: {str(error).splitlines()[0] if str(error) else error}"
        raise unreadable(name, why, place, "run the notebook again") from error


def _check_size(name: str, content: bytes, place: str) -> None:
    from octavo.records.unpacking import extent

    found = extent(content)
    if found.is_too_much:
        size = f"{found.cells:,} values, {size_text(found.size)}"
        why = f"the table is too large to unpack: {size}"
        raise unreadable(name, why, place, "hand out a summary of it, or a path to it")
