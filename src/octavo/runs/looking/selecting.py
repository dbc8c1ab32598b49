"""Which runs are meant, and in which order: conditions on values, and keys to sort by."""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from octavo.errors import UsageError

#: What runs can be sorted by besides their values.
ORDERS = ("started", "duration", "notebook", "status")

_CONDITION = re.compile(r"(?P<name>.*?)\s*(?P<sign>!=|<=|>=|==|=|<|>)\s*(?P<value>.*)", re.DOTALL)
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: bool(a < b),
    "<=": lambda a, b: bool(a <= b),
    ">": lambda a, b: bool(a > b),
    ">=": lambda a, b: bool(a >= b),
}


class Row(Protocol):
    """A run, as far as it is chosen and sorted by."""

    @property
    def status(self) -> str: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def notebook(self) -> str | None: ...
    @property
    def started(self) -> float: ...
    @property
    def duration_seconds(self) -> float | None: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...
    @property
    def defaults(self) -> Mapping[str, Any]: ...
    @property
    def scraps(self) -> Mapping[str, Any]: ...


R = TypeVar("R", bound=Row)


def values_of(row: Row, name: str) -> Iterator[Any]:
    """What a run has under a name: a parameter and a scrap; `a.b` looks into a mapping."""
    for values in ({**row.defaults, **row.parameters}, row.scraps):
        yield from _looked_up(values, name)


def _looked_up(values: Any, name: str) -> Iterator[Any]:
    if not isinstance(values, Mapping):
        return
    if name in values:
        yield values[name]
        return
    first, dot, rest = name.partition(".")
    if dot and first in values:
        yield from _looked_up(values[first], rest)


def condition(text: str) -> Callable[[Row], bool]:
    """What `threshold=0.9`, `score>0.8` or `score` (there is one) asks of a run."""
    found = _CONDITION.fullmatch(text.strip())
    name = (found["name"] if found else text).strip()
    if not name:
        raise UsageError(
            "wrong-argument",
            f"--where {text!r} names nothing",
            hint="--where threshold=0.9, --where 'score>0.8', --where score",
        )
    if found is None:
        return lambda row: any(True for _ in values_of(row, name))
    _refuse_misspelled(text, found["sign"], found["value"])
    fits = _test(found["sign"], found["value"])
    return lambda row: any(fits(value) for value in values_of(row, name))


def _refuse_misspelled(text: str, sign: str, value: str) -> None:
    """`=>` and `<>` would compare with a text that begins with `>`, and find nothing."""
    meant = {"=>": ">=", "=<": "<=", "<>": "!="}.get(sign + value[:1])
    if meant is not None and _is_number(_read(value[1:])):
        hint = f"did you mean {meant}? A text that begins so is written in double quotes"
        message = f"--where {text!r}: {sign}{value[:1]} is no comparison"
        raise UsageError("wrong-argument", message, hint=hint)


def _test(sign: str, text: str) -> Callable[[Any], bool]:
    wanted = _read(text)
    if sign in ("=", "=="):
        return lambda value: _same(value, wanted, text)
    if sign == "!=":
        return lambda value: not _same(value, wanted, text)
    compare = _COMPARE[sign]

    def fits(value: Any) -> bool:
        if _is_number(value) and _is_number(wanted):
            return compare(value, wanted)
        return isinstance(value, str) and not _is_number(wanted) and compare(value, text)

    return fits


def _same(value: Any, wanted: Any, text: str) -> bool:
    if isinstance(value, str):
        return value in (text, wanted)
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def _read(text: str) -> Any:
    """A value as it is typed: JSON where it is that, Python's words for it, else text."""
    words = {"True": True, "False": False, "None": None}
    if text in words:
        return words[text]
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def in_order(rows: Iterable[R], key: str, *, reverse: bool, most: int) -> list[R]:
    """The first rows of an order; those without the value come last, whichever way round.

    Rows come the newest first. No more than twice as many as are wanted are held at a time.
    """
    unknown: list[R] = []
    pick = heapq.nlargest if reverse else heapq.nsmallest
    known = pick(most, _ranked(rows, key, unknown, most), key=lambda each: each[0])
    return [row for _, row in known][:most] + unknown[: max(0, most - len(known))]


def _ranked(rows: Iterable[R], key: str, unknown: list[R], most: int) -> Iterator[tuple[Any, R]]:
    for row in rows:
        rank = _rank(row, key)
        if rank is not None:
            yield rank, row
        elif len(unknown) < most:
            unknown.append(row)


def _rank(row: Row, key: str) -> tuple[Any, ...] | None:
    """Where a row stands: large numbers and late times first, text from A to Z."""
    if key == "started":
        return (-row.started,)
    if key == "duration":
        return None if row.duration_seconds is None else (-row.duration_seconds,)
    if key == "notebook":
        return None if row.notebook is None else (row.notebook.casefold(),)
    if key == "status":
        return (row.status, row.reason or "")
    value = next(values_of(row, key), None)
    if value is None:
        return None
    return (0, -value) if _is_number(value) else (1, _text(value))


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text.casefold()


def refuse_unknown_key(key: str, rows: Sequence[Row]) -> None:
    """UsageError where no run has what it should be sorted by."""
    if key in ORDERS or not rows or any(True for row in rows for _ in values_of(row, key)):
        return
    from difflib import get_close_matches

    names = {name for row in rows for name in (*row.defaults, *row.parameters, *row.scraps)}
    close = get_close_matches(key, [*ORDERS, *names], 1)
    raise UsageError(
        "wrong-argument",
        f"--sort {key}: no run has a parameter or a scrap of that name",
        hint=f"did you mean {close[0]}?"
        if close
        else f"sort by {', '.join(ORDERS)}, or by the name of a parameter or scrap",
    )
