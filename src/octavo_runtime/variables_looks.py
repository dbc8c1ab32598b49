"""A look into one value, by what kind it is."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import Any

from octavo_runtime import variables_arrays as arrays
from octavo_runtime import variables_classes as classes
from octavo_runtime import variables_tables as tables
from octavo_runtime.variables_spelling import clip, first_items, spell

_ITEM = 120
#: What the own text of an object may cost beyond what the copy holds already.
_MEMORY = 512 * 1024 * 1024


def look(
    value: Any, told: dict[str, Any], rows: int, columns: int, characters: int, safe: bool
) -> dict[str, Any]:
    """The part of a value that can be shown within the bounds. `told` is what is known of it."""
    found = arrays.known(value)
    if found is not None and found.kind in ("table", "series"):
        return tables.table(found, rows, columns, characters * 4)
    if found is not None and found.kind == "array":
        return tables.array(found.value, rows, columns, characters * 4)
    kind = told["kind"]
    if kind == "text":
        return _text(value, characters)
    if kind == "mapping":
        return _entries(dict.items(value), told["length"], rows, "entries")
    if kind == "sequence":
        return _items(value, told["length"], rows)
    if kind in ("value", "function", "class"):
        return {**_documented(value, kind), "text": spell(value, characters)}
    return _object(value, rows, characters, safe)


def _text(value: Any, characters: int) -> dict[str, Any]:
    """Head and tail of a text, as it is written."""
    if classes.is_a(value, str):
        length = str.__len__(value)
        head, tail = _ends(length, characters)
        first = classes.text(str.__getitem__(value, slice(0, head)))
        last = classes.text(str.__getitem__(value, slice(length - tail, length)))
        return {
            "head": classes.printable(first),
            "tail": classes.printable(last),
            "omitted": length - head - tail,
            "lines": str.count(value, "\n") + 1,
        }
    kind: Any = bytes if classes.is_a(value, bytes) else bytearray
    length = kind.__len__(value)
    head, tail = _ends(length, characters // 4)
    return {
        "head": repr(bytes(kind.__getitem__(value, slice(0, head)))),
        "tail": repr(bytes(kind.__getitem__(value, slice(length - tail, length)))) if tail else "",
        "omitted": length - head - tail,
    }


def _ends(length: int, characters: int) -> tuple[int, int]:
    if length <= characters:
        return length, 0
    return characters * 2 // 3, characters - characters * 2 // 3


def _entries(pairs: Any, total: int, rows: int, key: str) -> dict[str, Any]:
    shown = [
        {
            "key": clip(name, 60) if key == "attributes" else spell(name, 60),
            "type": classes.name_of(type(item)),
            "text": spell(item, _ITEM),
        }
        for name, item in first_items(pairs, rows)
    ]
    return {key: shown, "total": total}


def _items(value: Any, total: int, rows: int) -> dict[str, Any]:
    for kind in (list, tuple):
        if classes.is_a(value, kind):
            at = tables.positions(total, rows)
            items = [kind.__getitem__(value, each) for each in at]
            return {"items": [spell(each, _ITEM) for each in items], "total": total,
                    "first": tables.head_of(total, rows)}  # fmt: skip
    members: Any = set if classes.is_a(value, set) else frozenset
    shown = first_items(members.__iter__(value), rows)
    return {"items": [spell(each, _ITEM) for each in shown], "total": total, "first": len(shown)}


def _documented(value: Any, kind: str) -> dict[str, Any]:
    doc = None
    if kind == "function":
        doc = value.__doc__
    elif kind == "class":
        doc = type.__dict__["__dict__"].__get__(value).get("__doc__")
    first = classes.text(doc).strip().partition("\n")[0]
    return {"doc": classes.printable(first[:200])} if first else {}


def _object(value: Any, rows: int, characters: int, safe: bool) -> dict[str, Any]:
    """What an object holds; and in a copy, what it says of itself."""
    held = classes.attributes(value)
    pairs = [(name, item) for name, item in first_items(held.items(), 1000) if type(name) is str]
    shown = _entries([each for each in pairs if not each[0].startswith("__")], len(held), rows,
                     "attributes")  # fmt: skip
    told = {key: each for key, each in shown.items() if held}
    if safe or not _speaks(value):
        return {**told, "text": spell(value, characters)}
    return {**told, **_own_text(value, characters)}


def _speaks(value: Any) -> bool:
    """Whether the class of an object has a text of its own to give."""
    names = (type.__dict__["__dict__"].__get__(each) for each in classes.mro(type(value))[:-1])
    return any("__repr__" in each for each in names)


def _own_text(value: Any, characters: int) -> dict[str, Any]:
    """What `repr` gives. This process is a copy; what it prints or changes is nobody's."""
    _bound_memory()
    sink = io.StringIO()
    try:
        with redirect_stdout(sink), redirect_stderr(sink):
            said = repr(value)
        length = str.__len__(said)
        head, tail = _ends(length, characters)
        text = classes.text(str.__getitem__(said, slice(0, head)))
        if tail:
            end = classes.text(str.__getitem__(said, slice(length - tail, length)))
            text += f" … {length - head - tail:,} characters left out … {end}"
        return {"text": classes.printable(text)}
    except BaseException as error:
        name = classes.name_of(type(error))
        return {"text": spell(value, characters), "notes": [f"its repr raised {name}"]}


def _bound_memory() -> None:
    """More than so much is refused to this copy, so that a text cannot fill the machine."""
    if sys.platform != "linux":
        return
    import resource

    with suppress(OSError, ValueError):
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + _MEMORY, resource.RLIM_INFINITY))
