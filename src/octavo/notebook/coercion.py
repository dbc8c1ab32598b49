"""Makes a given value fit a declared type, or says why it does not.

A value from a command line comes with the text it was typed as: `-p version 1.10` is a number to
Papermill, and exactly `1.10` to a parameter that is declared as a string.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any

from octavo.notebook.literals import Spelled, python_literal
from octavo.notebook.parameter_types import Kind, ParameterType, type_name

_TRUE = frozenset(("true", "yes", "on", "1"))
_FALSE = frozenset(("false", "no", "off", "0"))
_NONE = frozenset(("none", "null"))
_WRITTEN_AS_TEXT = frozenset(("datetime", "pathlib", "uuid", "decimal", "fractions"))


class Misfit(ValueError):
    """A value that does not fit; its text ends the sentence "the value ..."."""


def coerce(declared: ParameterType, value: Any, text: str | None = None) -> Any:
    """The value as the declared type wants it. Raises Misfit."""
    return _COERCIONS[declared.kind](declared, plain(value), text)


def plain(value: Any) -> Any:
    """A value made of Python's own types, such as can be written into a cell. Raises Misfit."""
    if value is None or type(value) in (bool, int, float, str, bytes, Spelled):
        return value
    if isinstance(value, Mapping):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        kind = next(kind for kind in (list, tuple, set, frozenset) if isinstance(value, kind))
        return kind(map(plain, value))
    return _plain_object(value)


def _plain_object(value: Any) -> Any:
    if callable(getattr(value, "tolist", None)):  # numpy, pandas
        return plain(value.tolist())
    if isinstance(value, Enum):
        return plain(value.value)
    for kind in (int, float, str):
        if isinstance(value, kind):
            return kind(value)
    if type(value).__module__.partition(".")[0] in _WRITTEN_AS_TEXT:
        return str(value)
    if hasattr(value, "__fspath__"):
        return str(value)
    raise Misfit(f"is of type {type(value).__name__}, which cannot be written into a cell")


def _any(_declared: ParameterType, value: Any, _text: str | None) -> Any:
    return value


def _none(_declared: ParameterType, value: Any, text: str | None) -> None:
    word = value if text is None else text
    if value is None or (isinstance(word, str) and word.strip().lower() in _NONE):
        return
    raise _misfit("None", value)


def _bool(_declared: ParameterType, value: Any, _text: str | None) -> bool:
    word = str(value).strip().lower() if isinstance(value, (bool, int, str)) else ""
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise _misfit("true or false", value)


def _int(_declared: ParameterType, value: Any, _text: str | None) -> int:
    if isinstance(value, str):
        value = _number_in(value, value, "an integer")
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _misfit("an integer", value)


def _float(_declared: ParameterType, value: Any, _text: str | None) -> float:
    if isinstance(value, str):
        value = _number_in(value, value, "a number")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _misfit("a number", value)
    try:
        return float(value)
    except OverflowError:
        raise Misfit("is too large for a float") from None


def _number(_declared: ParameterType, value: Any, _text: str | None) -> int | float:
    if isinstance(value, str):
        return _number_in(value, value, "a number")
    if isinstance(value, (int, float)):
        return value
    raise _misfit("a number", value)


def _str(_declared: ParameterType, value: Any, text: str | None) -> str:
    if text is not None:
        return text
    if isinstance(value, str):
        return value
    if isinstance(value, Spelled):
        return value.text
    raise Misfit(f"is {shown(value)}, not text: write it in quotes")


def _list(declared: ParameterType, value: Any, _text: str | None) -> list[Any]:
    return _items_of(declared, _members(value, "a list"))


def _tuple(declared: ParameterType, value: Any, _text: str | None) -> tuple[Any, ...]:
    members = _members(value, "a tuple")
    if not declared.fixed:
        return tuple(_items_of(declared, members))
    if len(members) != len(declared.items):
        raise Misfit(f"has {len(members)} items, not {len(declared.items)}")
    return tuple(_item(kind, item) for kind, item in zip(declared.items, members, strict=True))


def _set(declared: ParameterType, value: Any, _text: str | None) -> set[Any]:
    try:
        return set(_items_of(declared, _members(value, "a set")))
    except TypeError:
        raise Misfit("has items that a set cannot hold") from None


def _dict(declared: ParameterType, value: Any, _text: str | None) -> dict[Any, Any]:
    if isinstance(value, str):
        value = _structure_in(value, "a mapping")
    if not isinstance(value, dict):
        raise _misfit("a mapping", value)
    if not declared.items:
        return value
    keys, items = declared.items
    return {_item(keys, key): _item(items, item) for key, item in value.items()}


def _path(declared: ParameterType, value: Any, text: str | None) -> Any:
    written = _written(value, text, "a path")
    return _built(declared, written, f"{declared.constructor}({python_literal(written)})")


def _moment(declared: ParameterType, value: Any, text: str | None) -> Any:
    import datetime

    written = _written(value, text, f"a {declared.kind}")
    kind: Any = getattr(datetime, declared.kind)
    try:
        iso = kind.fromisoformat(written.strip()).isoformat()
    except ValueError:
        example = {"date": "2026-01-31", "datetime": "2026-01-31T12:00", "time": "12:00"}
        expected = f"a {declared.kind} such as {example[declared.kind]}"
        raise _misfit(expected, written) from None
    return _built(declared, iso, f"{declared.constructor}.fromisoformat({python_literal(iso)})")


def _literal(declared: ParameterType, value: Any, text: str | None) -> Any:
    for choice in declared.choices:
        if _is_same(choice, value):
            return choice
    word = text if text is not None else value
    if isinstance(word, str):
        for choice in declared.choices:
            if _says(choice, word):
                return choice
    raise _misfit(type_name(declared), value)


def _union(declared: ParameterType, value: Any, text: str | None) -> Any:
    if text is None:
        for member in declared.items:
            fitted = _attempt(member, value, None)
            if fitted and type(fitted[0]) is type(value) and fitted[0] == value:
                return fitted[0]
    # Typed text fits a string always, so every other member is asked first.
    for member in sorted(declared.items, key=_preference):
        fitted = _attempt(member, value, text)
        if fitted:
            return fitted[0]
    raise _misfit(type_name(declared), value)


_COERCIONS: dict[Kind, Callable[[ParameterType, Any, str | None], Any]] = {
    "any": _any,
    "none": _none,
    "bool": _bool,
    "int": _int,
    "float": _float,
    "number": _number,
    "str": _str,
    "list": _list,
    "tuple": _tuple,
    "set": _set,
    "dict": _dict,
    "path": _path,
    "date": _moment,
    "datetime": _moment,
    "time": _moment,
    "literal": _literal,
    "union": _union,
}


def _preference(member: ParameterType) -> int:
    return {"none": 0, "literal": 1, "path": 3, "str": 4}.get(member.kind, 2)


def _attempt(member: ParameterType, value: Any, text: str | None) -> tuple[Any] | None:
    try:
        return (coerce(member, value, text),)
    except Misfit:
        return None


def _is_same(choice: Any, value: Any) -> bool:
    """Equality to which `True` is not 1, but 1.0 is, as in JSON."""
    return isinstance(choice, bool) == isinstance(value, bool) and bool(choice == value)


def _says(choice: Any, word: str) -> bool:
    if choice is None:
        return word.lower() in _NONE
    if isinstance(choice, bool):
        return word.lower() in (_TRUE if choice else _FALSE)
    return str(choice) == word


def _items_of(declared: ParameterType, members: Iterable[Any]) -> list[Any]:
    if not declared.items:
        return list(members)
    return [_item(declared.items[0], member) for member in members]


def _item(declared: ParameterType, value: Any) -> Any:
    try:
        return coerce(declared, value)
    except Misfit as misfit:
        raise Misfit(f"has an item that {misfit}") from None


def _members(value: Any, expected: str) -> list[Any]:
    if isinstance(value, str):
        value = _structure_in(value, expected)
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=python_literal)
    raise _misfit(expected, value)


def _structure_in(text: str, expected: str) -> Any:
    from octavo.notebook.structured_text import parse_structure

    try:
        return parse_structure(text)
    except ValueError:
        raise _misfit(expected, text) from None


def _number_in(text: str, value: Any, expected: str) -> int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise _misfit(expected, value)


def _written(value: Any, text: str | None, expected: str) -> str:
    word = text if text is not None else value
    if isinstance(word, Spelled):
        return word.text
    if not isinstance(word, str):
        raise _misfit(expected, value)
    return word


def _built(declared: ParameterType, text: str, source: str) -> Any:
    return Spelled(text, source) if declared.constructor else text


def _misfit(expected: str, value: Any) -> Misfit:
    return Misfit(f"is {shown(value)}, not {expected}")


def shown(value: Any) -> str:
    """A value as a message quotes it, cut where it is long."""
    try:
        text = repr(value)
    except ValueError:  # more digits than Python converts to decimal
        text = f"a large {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."
