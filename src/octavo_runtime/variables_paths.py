"""Which value a path like `config["paths"][0]` or `frame["price"]` means; nothing is evaluated."""

from __future__ import annotations

import ast
from difflib import get_close_matches
from itertools import islice
from typing import Any

from octavo_runtime import variables_arrays as arrays
from octavo_runtime import variables_classes as classes

LONGEST = 1000
_MOST_KEYS = 1_000_000

Step = tuple[str, Any]


class Unresolved(Exception):
    """A path that means nothing here; `near` are names that could have been meant."""

    def __init__(self, message: str, near: list[str] | None = None) -> None:
        super().__init__(message)
        self.near = near or []


def resolve(namespace: dict[str, Any], path: str) -> Any:
    """The value that a path means: names, items of containers, attributes that an object holds."""
    name, steps = _parsed(path)
    if name not in namespace:
        names = [each for each in namespace if type(each) is str and not each.startswith("_")]
        raise Unresolved(f"there is no variable {name!r}", get_close_matches(name, names, 3))
    value = namespace[name]
    for kind, key in steps:
        value = _attribute(value, key) if kind == "attribute" else _item(value, key)
    return value


def _parsed(path: str) -> tuple[str, list[Step]]:
    wrong = Unresolved(
        f"{path[:80]!r} is no path: names, items and attributes are, as in config['paths'][0]"
    )
    if len(path) > LONGEST:
        raise wrong
    try:
        node = ast.parse(path.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise wrong from None
    steps: list[Step] = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            steps.append(("attribute", node.attr))
        elif isinstance(node, ast.Subscript):
            steps.append(("item", _constant(node.slice, wrong)))
        else:
            raise wrong
        node = node.value
    return node.id, steps[::-1]


def _constant(node: ast.expr, wrong: Unresolved) -> Any:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise wrong from None
    if type(value) not in (str, int, float, bool, bytes, type(None)):
        raise wrong
    return value


def _attribute(value: Any, name: str) -> Any:
    held = classes.attributes(value)
    if name in held:
        return held[name]
    found = arrays.known(value)
    if found is not None and found.kind == "table":
        return _item(value, name)
    kind = classes.name_of(type(value))
    raise Unresolved(
        f"a {kind} holds no attribute {name!r}; methods and properties are not called",
        get_close_matches(name, [each for each in held if type(each) is str], 3),
    )


def _item(value: Any, key: Any) -> Any:
    if classes.is_a(value, dict):
        return _entry(value, key)
    for kind in (list, tuple):
        if classes.is_a(value, kind):
            return _element(kind, value, key)
    found = arrays.known(value)
    if found is not None and found.kind == "table":
        return _column(found, key)
    raise Unresolved(f"items of a {classes.name_of(type(value))} cannot be had without its code")


def _entry(value: Any, key: Any) -> Any:
    """By looking at all keys: a lookup would call code of keys that are not plain."""
    near: list[str] = []
    for each, item in islice(list(dict.items(value)), _MOST_KEYS):
        if type(each) is type(key) and each == key:
            return item
        if type(each) is str and len(near) < 1000:
            near.append(each)
    close = get_close_matches(key, near, 3) if type(key) is str else []
    raise Unresolved(f"there is no key {key!r}", close)


def _element(kind: Any, value: Any, key: Any) -> Any:
    length = kind.__len__(value)
    if type(key) is not int or not -length <= key < length:
        raise Unresolved(f"there is no item {key!r} among {length:,}")
    return kind.__getitem__(value, key)


def _column(found: arrays.Known, key: Any) -> Any:
    value = found.value
    names = list(value.column_names if found.library == "pyarrow" else value.columns)
    for at, name in enumerate(names):
        if type(name) is type(key) and name == key:
            if found.library == "pandas":
                return value.iloc[:, at]
            return value.to_series(at) if found.library == "polars" else value.column(at)
    close = [name for name in names if type(name) is str]
    matches = get_close_matches(key, close[:1000], 3) if type(key) is str else []
    raise Unresolved(f"there is no column {key!r}", matches)
