"""Values as short texts, with bounds on everything and without calling code of theirs.

What is not known is told by its class and by the attributes that it holds.
"""

from __future__ import annotations

import datetime
import types
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from octavo_runtime import variables_arrays as arrays
from octavo_runtime import variables_classes as classes

#: How deep containers are looked into, and how many items of each are shown at most.
DEPTH, ITEMS = 3, 20
#: Whole numbers with more bits are told by their size: to spell them can take minutes.
MOST_BITS = 2000
#: The room for the default of a parameter.
_DEFAULT = 20
#: Flags of the code of functions that take any arguments.
_ANY_PLACED, _ANY_NAMED = 0x04, 0x08


def spell(value: Any, room: int = 80, depth: int = DEPTH) -> str:
    """A value in at most about `room` characters."""
    cls = type(value)
    for each in classes.mro(cls):
        speller = _SPELLERS.get(id(each))
        if speller is not None:
            return clip(_named(cls, each, speller(value, room, depth)), room)
    return clip(_other(value, room, depth), room)


def clip(text: str, room: int) -> str:
    """Text on one line, cut where it is too long."""
    text = classes.printable(text[: room + 1])
    text = " ".join(text.split("\n")) if "\n" in text else text
    return text if len(text) <= room else text[: max(0, room - 1)] + "…"


def _named(cls: type, known: type, spelled: str) -> str:
    """Of a class that inherits from a known one the name is told too."""
    if cls is known or cls is bool or known is type or known is BaseException:
        return spelled
    if classes.module_of(cls).partition(".")[0] in ("numpy", "pandas"):
        return spelled
    return f"{classes.name_of(cls)}({spelled})"


def _text(value: Any, room: int, depth: int) -> str:
    length = str.__len__(value)
    if length <= room:
        return str.__repr__(value)
    return repr(classes.text(str.__getitem__(value, slice(0, room))))[:room] + "…"


def _bytes(value: Any, room: int, depth: int) -> str:
    kind: Any = bytes if classes.is_a(value, bytes) else bytearray
    return repr(bytes(kind.__getitem__(value, slice(0, room))))[: room + 1]


def _integer(value: Any, room: int, depth: int) -> str:
    bits = int.bit_length(value)
    return int.__repr__(value) if bits <= MOST_BITS else f"whole number of {bits:,} bits"


def _sequence(value: Any, room: int, depth: int) -> str:
    kind, first, last = (list, "[", "]") if classes.is_a(value, list) else (tuple, "(", ")")
    length = kind.__len__(value)
    if depth <= 0 and length:
        return f"{first}… {length:,} in all{last}"
    shown = _joined(kind.__getitem__(value, slice(0, ITEMS)), length, room, depth)
    return f"{first}{shown}{',' if kind is tuple and length == 1 else ''}{last}"


def _set(value: Any, room: int, depth: int) -> str:
    kind: Any = set if classes.is_a(value, set) else frozenset
    length = kind.__len__(value)
    if depth <= 0 or not length:
        return f"{{… {length:,} in all}}" if length else f"{kind.__name__}()"
    return f"{{{_joined(first_items(kind.__iter__(value)), length, room, depth)}}}"


def _deque(value: Any, room: int, depth: int) -> str:
    length = deque.__len__(value)
    shown = _joined(first_items(deque.__iter__(value)), length, room, depth) if depth > 0 else "…"
    return f"deque([{shown}])"


def _mapping(value: Any, room: int, depth: int) -> str:
    length = dict.__len__(value)
    if depth <= 0 and length:
        return f"{{… {length:,} in all}}"
    pairs: list[str] = []
    left = room
    for key, item in first_items(dict.items(value)):
        pair = f"{spell(key, min(40, left), depth - 1)}: {spell(item, left, depth - 1)}"
        left -= len(pair) + 2
        if left < 0 and pairs:
            break
        pairs.append(pair)
    return f"{{{', '.join(pairs)}{_more(len(pairs), length)}}}"


def first_items(items: Iterable[Any], count: int = ITEMS) -> list[Any]:
    """The first of what a known container holds, also while somebody changes it."""
    found: list[Any] = []
    try:
        found.extend(islice(items, count))
    except RuntimeError:
        pass  # a thread of the notebook added to it meanwhile
    return found


def _joined(items: Iterable[Any], length: int, room: int, depth: int) -> str:
    spelled: list[str] = []
    left = room
    for item in items:
        shown = spell(item, max(8, left), depth - 1)
        left -= len(shown) + 2
        if left < 0 and spelled:
            break
        spelled.append(shown)
    return ", ".join(spelled) + _more(len(spelled), length)


def _more(shown: int, length: int) -> str:
    return f", … {length:,} in all" if shown < length else ""


def _moment(value: Any, room: int, depth: int) -> str:
    zone = _ZONE.__get__(value)
    known = zone is None or any(classes.comes_from(zone, each) for each in _ZONES)
    if known and classes.comes_from(value, "pandas"):
        return str(value)
    if known:
        return datetime.datetime.isoformat(value, " ")
    day, time = datetime.datetime.date(value), datetime.datetime.time(value)
    return f"{datetime.datetime.combine(day, time)} {classes.name_of(type(zone))}"


def _function(value: Any, room: int, depth: int) -> str:
    code = value.__code__
    return f"def {code.co_name}({', '.join(_parameters(value, code))})"


def _parameters(value: Any, code: types.CodeType) -> list[str]:
    """The parameters of a function as its author wrote them, without annotations."""
    placed, named = code.co_argcount, code.co_kwonlyargcount
    names = list(code.co_varnames)
    given = list(tuple.__iter__(value.__defaults__ or ()))
    defaults = dict(zip(names[:placed][::-1], given[::-1], strict=False))
    dict.update(defaults, dict.items(value.__kwdefaults__ or {}))
    spelled = [
        f"{name}={spell(defaults[name], _DEFAULT, 1)}" if name in defaults else name
        for name in names[: placed + named]
    ]
    rest = names[placed + named :]
    before, after = spelled[:placed], spelled[placed:]
    if code.co_posonlyargcount:
        before.insert(code.co_posonlyargcount, "/")
    if code.co_flags & _ANY_PLACED:
        before.append(f"*{rest.pop(0)}")
    elif named:
        before.append("*")
    if code.co_flags & _ANY_NAMED:
        after.append(f"**{rest.pop(0)}")
    return [*before, *after]


def _class(value: Any, room: int, depth: int) -> str:
    return f"class {classes.name_of(value)}"


def _module(value: Any, room: int, depth: int) -> str:
    return f"module {classes.text(classes.attributes(value).get('__name__'))}"


def _exception(value: Any, room: int, depth: int) -> str:
    arguments = _ARGUMENTS.__get__(value)
    inside = _joined(arguments[:ITEMS], len(arguments), room, depth) if depth > 0 else "…"
    return f"{classes.name_of(type(value))}({inside})"


def _other(value: Any, room: int, depth: int) -> str:
    """An array or a table in a word; else the class, and what an object holds."""
    told = arrays.in_a_word(value, room)
    if told is not None:
        return told
    if is_plain(value):
        return str(value)
    name = classes.name_of(type(value))
    held = classes.attributes(value)
    if "_name_" in held and "_value_" in held:
        return f"{name}.{classes.text(held['_name_'])}"
    if depth <= 0 or not held:
        return f"<{name}>"
    shown = [
        f"{classes.text(key)}={spell(item, 40, depth - 1)}"
        for key, item in first_items(held.items(), 6)
        if not classes.text(key).startswith("_")
    ]
    return f"<{' '.join([name, *shown])}>"


def is_plain(value: Any) -> bool:
    """Whether a class is one of those whose own text is short and harmless."""
    cls = type(value)
    for module, names in _PLAIN:
        if any(classes.library_class(module, name) is cls for name in names):
            return True
    number = classes.library_class("numpy", "generic")
    is_number = number is not None and classes.is_a(value, number)
    return is_number and classes.comes_from(value, "numpy") and value.dtype.kind not in "OV"


_PLAIN = (
    ("decimal", ("Decimal",)),
    ("fractions", ("Fraction",)),
    ("uuid", ("UUID",)),
    ("pathlib", ("PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath")),
    ("pandas", ("Timedelta", "Interval", "Period")),
)
_ZONE: Any = datetime.datetime.__dict__["tzinfo"]
_ARGUMENTS: Any = BaseException.__dict__["args"]
_ZONES = ("datetime", "zoneinfo", "pytz", "dateutil")
_WHOLE: dict[type, Callable[[Any], str]] = {
    float: float.__repr__,
    complex: complex.__repr__,
    type(None): repr,
    type(...): repr,
    range: repr,
    slice: lambda value: "slice",
    datetime.date: datetime.date.isoformat,
    datetime.timedelta: datetime.timedelta.__str__,
}
_SPELLERS: dict[int, Callable[[Any, int, int], str]] = {
    **{
        id(cls): (lambda value, room, depth, speller=speller: speller(value))  # type: ignore[misc]
        for cls, speller in _WHOLE.items()
    },
    id(str): _text,
    id(bytes): _bytes,
    id(bytearray): _bytes,
    id(bool): lambda value, room, depth: repr(bool(value)),
    id(int): _integer,
    id(list): _sequence,
    id(tuple): _sequence,
    id(set): _set,
    id(frozenset): _set,
    id(deque): _deque,
    id(dict): _mapping,
    id(datetime.datetime): _moment,
    id(types.FunctionType): _function,
    id(types.ModuleType): _module,
    id(type): _class,
    id(BaseException): _exception,
}
