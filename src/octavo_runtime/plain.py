"""Values of numpy, pandas and the like as JSON holds them."""

from __future__ import annotations

import json
import sys
from datetime import date, datetime, time
from typing import Any


class NotPlain(TypeError):
    """Something in a value has no JSON form; the message says what and where."""

    def __init__(self, what: str, where: str = "") -> None:
        super().__init__(f"{what} at {where}" if where else what)
        self.what = what
        self.where = where

    def within(self, place: Any) -> NotPlain:
        """The same, seen from the container that has it at a place."""
        return NotPlain(self.what, f"[{place!r}]{self.where}")


def plain(value: Any) -> Any:
    """The same value in Python's own types. Numbers that JSON lacks become their names."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return float(value) if value - value == 0 else repr(float(value))
    if isinstance(value, dict):
        return _of_dict(value)
    if isinstance(value, (list, tuple)):
        return [_within(at, item) for at, item in enumerate(value)]
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return _of_library(value)


def _within(place: Any, item: Any) -> Any:
    try:
        return plain(item)
    except NotPlain as error:
        raise error.within(place) from None


def _of_dict(value: Any) -> dict[str, Any]:
    converted: dict[str, Any] = {}
    for key, item in value.items():
        spelled = _key(key)
        if spelled in converted:
            raise NotPlain(f"{key!r} is one of two keys that are both {spelled!r} in JSON")
        converted[spelled] = _within(key, item)
    return converted


def _key(key: Any) -> str:
    """A key as JSON spells it."""
    converted = plain(key)
    if isinstance(converted, (list, dict)):
        raise NotPlain(f"a {type(key).__name__} is a key, and JSON has text as keys")
    if converted is None or isinstance(converted, bool):
        return {None: "null", True: "true", False: "false"}[converted]
    return str.__str__(converted) if isinstance(converted, str) else json.dumps(converted)


def _of_library(value: Any) -> Any:
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, (numpy.generic, numpy.ndarray)):
        return _of_numpy(value)
    module = type(value).__module__.partition(".")[0]
    for package, convert in (("pandas", "tolist"), ("pyarrow", "to_pylist"), ("pyarrow", "as_py")):
        if module == package and hasattr(value, convert):
            return plain(getattr(value, convert)())
    raise NotPlain(f"{_typename(value)} is not JSON")


def _of_numpy(value: Any) -> Any:
    if value.dtype.kind in "mM":  # moments: as whole numbers they would say nothing
        return value.astype(str).tolist()
    if value.dtype.kind in "cV":
        raise NotPlain(f"numpy's {value.dtype} is not JSON")
    if value.dtype.kind == "f":  # also those that Python has no type for
        value = value.astype("float64")
    return plain(value.tolist())


def _typename(value: Any) -> str:
    module, name = type(value).__module__, type(value).__qualname__
    return name if module in ("builtins", "__main__") else f"{module}.{name}"
