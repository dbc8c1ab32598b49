"""Whether a JSON value is of a declared type as it stands, where `coercion` would make it fit.

The outcome is that of the JSON Schema of the type, except that dates and times are looked at and
repetition in a set is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from octavo.notebook.coercion import Misfit, coerce, shown
from octavo.notebook.parameter_types import Kind, ParameterType, type_name
from octavo.value import Value

_SHAPES: dict[Kind, tuple[tuple[type, ...], str]] = {
    "none": ((type(None),), "None"),
    "bool": ((bool,), "true or false"),
    "int": ((int, float), "an integer"),
    "float": ((int, float), "a number"),
    "number": ((int, float), "a number"),
    "str": ((str,), "text"),
    "list": ((list, tuple), "a list"),
    "tuple": ((list, tuple), "a list"),
    "set": ((list, tuple), "a list"),
    "dict": ((Mapping,), "a mapping"),
    "path": ((str,), "a path"),
    "date": ((str,), "a date such as 2026-01-31"),
    "datetime": ((str,), "a date and time such as 2026-01-31T12:00"),
    "time": ((str,), "a time such as 12:00"),
}
#: Numbers that JSON lacks, as kernels and records spell them.
_BEYOND_JSON = ("nan", "inf", "-inf")
_KEYS: dict[Kind, re.Pattern[str]] = {"int": re.compile(r"-?\d+"), "bool": re.compile("true|false")}


class Unfit(Value):
    """A value, or one at `path` within it (`[2]`, `['a']`), that is not what was expected."""

    path: str
    value: Any
    expected: str

    def __str__(self) -> str:
        colon = ":" if self.path else ""
        return f"{self.path}{colon} {shown(self.value)} is not {self.expected}".strip()


def unfit(declared: ParameterType, value: Any, path: str = "") -> Unfit | None:
    """What keeps a value from being of a type; None when it is."""
    if declared.kind == "any":
        return None
    if declared.kind == "literal":
        is_choice = any(_is_same(choice, value) for choice in declared.choices)
        return None if is_choice else Unfit(path, value, type_name(declared))
    if declared.kind == "union":
        return _unfit_for_all(declared, value, path)
    kinds, expected = _SHAPES[declared.kind]
    if declared.kind in ("float", "number") and number_of(value) is not None:
        return None
    if not isinstance(value, kinds) or (isinstance(value, bool) and declared.kind != "bool"):
        return Unfit(path, value, expected)
    if isinstance(value, (list, tuple)) and declared.fixed and len(value) != len(declared.items):
        return Unfit(path, value, f"a list of {len(declared.items)}")
    if not _is_whole(declared, value):
        return Unfit(path, value, expected)
    return next(_unfit_within(declared, value, path), None)


def number_of(value: Any) -> float | None:
    """A value as a number; `nan`, `inf` and `-inf` also where they were made text for JSON."""
    if isinstance(value, str) and value in _BEYOND_JSON:
        return float(value)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _unfit_for_all(declared: ParameterType, value: Any, path: str) -> Unfit | None:
    """The complaint of the one member that has the value's shape, else of all together."""
    found = [unfit(member, value, path) for member in declared.items]
    if None in found:
        return None
    deeper = [each for each in found if each is not None and each.path != path]
    return deeper[0] if len(deeper) == 1 else Unfit(path, value, type_name(declared))


def _is_whole(declared: ParameterType, value: Any) -> bool:
    """What a type asks of a value beyond its shape, items apart."""
    if declared.kind == "int":
        return isinstance(value, int) or value.is_integer()
    if declared.kind in ("date", "datetime", "time"):
        try:
            coerce(declared, value)
        except Misfit:
            return False
    return True


def _unfit_within(declared: ParameterType, value: Any, path: str) -> Iterator[Unfit]:
    if declared.kind == "dict" and declared.items:
        keys, items = declared.items
        pattern = _KEYS.get(keys.kind)
        for key, item in value.items():
            if pattern is not None and not pattern.fullmatch(str(key)):
                yield Unfit(path, key, f"a key of the type {type_name(keys)}")
            elif found := unfit(items, item, f"{path}[{key!r}]"):
                yield found
    elif declared.kind in ("list", "set", "tuple") and declared.items:
        for place, item in enumerate(value):
            kind = declared.items[place] if declared.fixed else declared.items[0]
            if found := unfit(kind, item, f"{path}[{place}]"):
                yield found


def _is_same(choice: Any, value: Any) -> bool:
    """Equality as in JSON: `true` is not 1, but 1.0 is."""
    return isinstance(choice, bool) == isinstance(value, bool) and bool(choice == value)
