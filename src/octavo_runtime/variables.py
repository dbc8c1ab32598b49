"""What is in a kernel: its variables by name, type, shape and size, and a look into one of them.

In the kernel itself no code of the notebook's own classes is called. Only in a copy that is thrown
away is an object asked for its own text, unless `safe` says that it must not.
"""

from __future__ import annotations

import re
import sys
import types
from fnmatch import translate
from typing import Any

from octavo_runtime import variables_arrays as arrays
from octavo_runtime import variables_classes as classes
from octavo_runtime.variables_looks import look
from octavo_runtime.variables_paths import Unresolved, resolve
from octavo_runtime.variables_spelling import spell
from octavo_runtime.variables_tables import glance

#: How long the text is that a listing gives for each variable.
GLANCE = 100
MOST = 2000
#: More cells of a table are not shown at once, however many rows and columns are asked for.
MOST_CELLS = 20_000
_SHELLS_OWN = frozenset(("In", "Out", "exit", "quit", "get_ipython", "open"))


def listing(
    namespace: dict[str, Any],
    pattern: str = "",
    limit: int = 200,
    digest: bool = False,
) -> dict[str, Any]:
    """The variables whose names match, in the order in which they were made.

    `variables` have name, type, module, kind and preview, and where they are known shape or length,
    dtype and size; `total` is how many there are. With `digest` each has one of its content too,
    None where that is not cheap to have.
    """
    wanted = re.compile(translate(pattern)) if pattern else None
    names = [
        name
        for name, value in list(namespace.items())
        if is_shown(name, value) and (wanted is None or wanted.match(name))
    ]
    shown = names[: max(0, min(limit, MOST))]
    variables = [_told(name, namespace[name], digest) for name in shown if name in namespace]
    return {"variables": variables, "total": len(names)}


def preview(
    namespace: dict[str, Any],
    name: str,
    rows: int = 10,
    columns: int = 20,
    characters: int = 2000,
    safe: bool | None = None,
) -> dict[str, Any]:
    """One variable, or what a path of items and attributes leads to, in part.

    What comes depends on its `kind`; `problem` says why there is nothing, `near` what could have
    been meant.
    """
    try:
        value = resolve(namespace, name)
    except Unresolved as error:
        return {"name": name, "problem": str(error), "near": error.near}
    told = {key: each for key, each in _told(name, value, False).items() if key != "preview"}
    safe = not _in_a_copy() if safe is None else safe
    rows = _within(rows, 1000)
    columns = _within(columns, min(500, MOST_CELLS // max(1, rows)))
    bounds = (rows, columns, max(20, _within(characters, 100_000)))
    try:
        told.update(look(value, told, *bounds, safe))
    except Exception as error:  # a library's object that is broken inside
        told["notes"] = [f"it cannot be looked into: {classes.name_of(type(error))}"]
    return told


def _in_a_copy() -> bool:
    asking = sys.modules.get("octavo_runtime.asking")
    return bool(getattr(asking, "copied", False))


def _within(number: int, most: int) -> int:
    return max(0, min(int(number), most))


def is_shown(name: Any, value: Any) -> bool:
    """Whether a name is the notebook's own, and not one of the shell or of a module."""
    if type(name) is not str or name.startswith("_") or name in _SHELLS_OWN:
        return False
    return not classes.is_a(value, types.ModuleType) and not _is_imported(value)


def _is_imported(value: Any) -> bool:
    """Whether a function or a class comes from a module, as the module itself does."""
    if type(value) is types.BuiltinFunctionType:
        return True
    if type(value) is types.FunctionType:
        return classes.text(value.__module__) != "__main__"
    return classes.is_a(value, type) and classes.module_of(value) != "__main__"


def _told(name: str, value: Any, digest: bool) -> dict[str, Any]:
    cls = type(value)
    told: dict[str, Any] = {
        "name": classes.printable(name[:200]),
        "type": classes.name_of(cls),
        "module": classes.module_of(cls),
        "kind": "object",
        "preview": "",
    }
    try:
        told.update(facts(value))
        told["preview"] = _glance(value)
        if digest:
            from octavo_runtime.variables_digest import digest_of

            told["digest"] = digest_of(value)
    except Exception as error:  # a library's object that is broken inside
        told["preview"] = f"cannot be looked at: {classes.name_of(type(error))}"
    return told


def _glance(value: Any) -> str:
    found = arrays.known(value)
    return spell(value, GLANCE) if found is None else glance(found, GLANCE)


def facts(value: Any) -> dict[str, Any]:
    """Kind, shape or length, and size of a value."""
    found = arrays.known(value)
    if found is not None:
        extent = arrays.shape(found)
        told = {
            "kind": found.kind,
            "shape": None if extent is None else list(extent),
            "dtype": arrays.type_name(found),
            "size": arrays.size(found),
        }
        return {name: each for name, each in told.items() if each is not None}
    for each in classes.mro(type(value)):
        kind = _KINDS.get(id(each))
        if kind is not None:
            sized = hasattr(each, "__len__")
            length = {"length": each.__len__(value)} if sized else {}  # type: ignore[attr-defined]
            return {"kind": kind, **length, "size": _size(each, value)}
    size = classes.own_size(value)
    return {"kind": "object"} if size is None else {"kind": "object", "size": size}


def _size(cls: Any, value: Any) -> int:
    """As `sys.getsizeof` counts, but never by a method of a class that inherits from this one."""
    if type(value) is cls:
        return sys.getsizeof(value)
    return int(cls.__sizeof__(value))


_KINDS = {
    **{id(cls): "value" for cls in (bool, int, float, complex, type(None), range)},
    **{id(cls): "text" for cls in (str, bytes, bytearray)},
    **{id(cls): "sequence" for cls in (list, tuple, set, frozenset)},
    id(dict): "mapping",
    id(types.FunctionType): "function",
    id(type): "class",
}
