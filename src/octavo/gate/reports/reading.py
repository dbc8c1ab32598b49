"""The report that `octavo check --report` wrote, read back.

Notebooks ran where it lay: it is believed no more than any file that is handed in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, get_args

from octavo.errors import UsageError
from octavo.gate.verdicts import (
    Cause,
    CellVerdict,
    CheckReport,
    Difference,
    Finding,
    NotebookVerdict,
    Outcome,
    Severity,
)
from octavo.value import Value

#: In characters; a report that is longer is none of ours.
LARGEST = 200_000_000
_T = TypeVar("_T", bound=Value)
Read = Callable[[Any], Any]


class _Unreadable(ValueError):
    pass


def read_report(text: str, place: str) -> CheckReport:
    """The report in a text; UsageError when it is none."""
    try:
        found: CheckReport = _value(CheckReport)(json.loads(text))
    except (ValueError, RecursionError) as error:
        told = str(error) if isinstance(error, _Unreadable) else "it is not JSON"
        raise UsageError(
            "check-report",
            f"this is not the report of a check: {told}",
            place=place,
            hint="octavo check --report PATH writes one",
        ) from error
    return found


def _value(cls: type[_T]) -> Callable[[Any], _T]:
    """Reads the fields of a value, each by the type that it is declared with."""

    def read(plain: Any) -> _T:
        if not isinstance(plain, Mapping):
            raise _Unreadable(f"{cls.__name__} is not an object")
        given = {}
        for name, kind in cls.__annotations__.items():
            if name in plain:
                given[name] = _field(cls, name, str(kind), plain[name])
        try:
            return cls(**given)
        except TypeError as error:
            raise _Unreadable(str(error)) from error

    return read


def _field(cls: type[Value], name: str, kind: str, value: Any) -> Any:
    try:
        return _READERS[kind](value)
    except _Unreadable:
        raise
    except (TypeError, ValueError) as error:
        raise _Unreadable(f"{cls.__name__} has a wrong {name}") from error


def _of(*types: type) -> Read:
    def read(value: Any) -> Any:
        if isinstance(value, bool) and bool not in types:
            raise TypeError
        if not isinstance(value, types):
            raise TypeError
        return value

    return read


def _one_of(*names: str) -> Read:
    def read(value: Any) -> Any:
        if value not in names:
            raise ValueError
        return value

    return read


def _all(each: Read) -> Read:
    def read(value: Any) -> Any:
        if not isinstance(value, list):
            raise TypeError
        return tuple(map(each, value))

    return read


_NONE = type(None)
#: How a field of each declared type is read; a test holds that there is one for every field.
_READERS: dict[str, Read] = {
    "str": _of(str),
    "str | None": _of(str, _NONE),
    "int": _of(int),
    "int | None": _of(int, _NONE),
    "float": _of(float, int),
    "float | None": _of(float, int, _NONE),
    "bool": _of(bool),
    "Mapping[str, Any]": _of(dict),
    "tuple[str, ...]": _all(_of(str)),
    "tuple[int, ...]": _all(_of(int)),
    "Severity": _one_of(*get_args(Severity)),
    "Outcome": _one_of(*get_args(Outcome)),
    "Cause": _one_of(*get_args(Cause)),
    "Literal['lax', 'strict']": _one_of("lax", "strict"),
    'Literal["lax", "strict"]': _one_of("lax", "strict"),
    "tuple[Difference, ...]": _all(_value(Difference)),
    "tuple[Finding, ...]": _all(_value(Finding)),
    "tuple[CellVerdict, ...]": _all(_value(CellVerdict)),
    "tuple[NotebookVerdict, ...]": _all(_value(NotebookVerdict)),
}
