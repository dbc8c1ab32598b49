"""Edits from JSON: a list of objects with an `op` each.

[
  {"op": "replace", "cell": "a1b2c3d4", "source": "x = 2"},
  {"op": "substitute", "cell": "load", "old": "0.9", "new": "0.8"},
  {"op": "insert", "after": 3, "source": "# Notes", "kind": "markdown"},
  {"op": "move", "cell": 5, "before": 0},
  {"op": "delete", "cell": -1}
]
"""

from __future__ import annotations

import json
from typing import Any

from octavo.authoring.editing.sources import clean, clean_part
from octavo.errors import UsageError
from octavo.notebook.edits import Edit
from octavo.notebook.model import CellKind

KINDS: tuple[CellKind, ...] = ("code", "markdown", "raw")
_ADDRESS: tuple[type, ...] = (int, str)
_TEXT: tuple[type, ...] = (str,)
_NAMES: tuple[type, ...] = (list,)
_FLAG: tuple[type, ...] = (bool,)
_TYPES: dict[str, tuple[type, ...]] = {
    "cell": _ADDRESS, "before": _ADDRESS, "after": _ADDRESS, "source": _TEXT, "old": _TEXT,
    "new": _TEXT, "kind": _TEXT, "name": _TEXT, "expect": _TEXT, "tags": _NAMES, "all": _FLAG,
}  # fmt: skip
_WORDS = {_ADDRESS: "a number or text", _TEXT: "text", _NAMES: "a list", _FLAG: "true or false"}

#: The keys that each operation needs, and those that it may have.
OPERATIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "replace": (("cell", "source"), ("kind", "expect")),
    "substitute": (("cell", "old", "new"), ("all", "expect")),
    "insert": (("source",), ("before", "after", "kind", "name", "tags", "expect")),
    "delete": (("cell",), ("expect",)),
    "move": (("cell",), ("before", "after", "expect")),
    "rename": (("cell", "name"), ("expect",)),
    "tag": (("cell", "tags"), ("expect",)),
    "untag": (("cell", "tags"), ("expect",)),
    "kind": (("cell", "kind"), ("expect",)),
}


def read_edits(text: str) -> tuple[Edit, ...]:
    """The edits in a JSON text; UsageError names the one that makes no sense."""
    try:
        items = json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        message = f"the edits are not JSON: {error}"
        raise UsageError("wrong-argument", message, hint=_EXAMPLE) from None
    if not isinstance(items, list) or not items:
        message = "the edits are not a list of objects in [ ]"
        raise UsageError("wrong-argument", message, hint=_EXAMPLE)
    return tuple(read_edit(item, at) for at, item in enumerate(items))


_EXAMPLE = 'for example [{"op": "replace", "cell": 3, "source": "x = 2"}]'


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object as JSON has it; of two values for one key nobody knows which is meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for at, (key, _) in enumerate(pairs) if key in dict(pairs[:at]))
        raise UsageError("wrong-argument", f"`{twice}` is twice in one edit", hint=_EXAMPLE)
    return found


def read_edit(item: Any, at: int) -> Edit:
    """One edit. `at` is its place in the list."""
    op = item.get("op") if isinstance(item, dict) else None
    if not isinstance(op, str) or op not in OPERATIONS:
        message = f"edit {at}: `op` is none of {', '.join(OPERATIONS)}"
        raise UsageError("wrong-argument", message, hint=_EXAMPLE)
    needed, optional = OPERATIONS[op]
    for key, value in item.items():
        if key != "op" and key not in (*needed, *optional):
            raise _refused(at, op, f"{op} does not take `{key[:40]}`")
        _check(at, op, key, value)
    for key in needed:
        if item.get(key) is None and key != "name":
            raise _refused(at, op, f"{op} needs `{key}`")
    given = {key: value for key, value in item.items() if value is not None}
    return _edit(op, given, at)


def _check(at: int, op: str, key: str, value: Any) -> None:
    kinds = _TYPES.get(key, _TEXT)
    if value is None or (key == "op"):
        return
    if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not _FLAG):
        raise _refused(at, op, f"`{key}` is not {_WORDS[kinds]}")
    if key == "kind" and value not in KINDS:
        raise _refused(at, op, f"`kind` is none of {', '.join(KINDS)}")
    if key == "expect" and not str(value).strip():
        raise _refused(at, op, "`expect` is empty; leave it out to expect nothing")
    if isinstance(value, list):
        for tag in value:
            check_tag(tag)


def check_tag(tag: Any) -> None:
    """Tags are words: nbformat allows no commas in them."""
    if not isinstance(tag, str) or not tag.strip() or "," in tag or not tag.isprintable():
        message = f"{tag!r} is not a tag"
        hint = "a tag is a text on one line, without commas"
        raise UsageError("wrong-argument", message, hint=hint)


def check_name(name: str) -> None:
    """Names stand on one line."""
    if name and (not name.strip() or not name.isprintable()):
        message = f"{name!r} is not a name"
        raise UsageError("wrong-argument", message, hint="a name is a text on one line")


def _edit(op: Any, given: dict[str, Any], at: int) -> Edit:
    if "before" in given and "after" in given:
        raise _refused(at, op, "`before` and `after` are both given")
    if op == "move" and not ("before" in given or "after" in given):
        raise _refused(at, op, "move needs `before` or `after`")
    if op == "substitute" and not given["old"]:
        raise _refused(at, op, "`old` is empty")
    check_name(given.get("name", ""))
    source = given["new"] if op == "substitute" else given.get("source", "")
    return Edit(
        op=op,
        cell=given.get("cell"),
        source=clean_part(source) if op == "substitute" else clean(source),
        kind=given.get("kind"),
        name=given.get("name", ""),
        tags=tuple(given.get("tags", ())),
        old=clean_part(given.get("old", "")),
        every=given.get("all", False),
        side="before" if "before" in given else "after",
        anchor=given.get("before", given.get("after")),
        expect=given.get("expect", ""),
    )


def _refused(at: int, op: str, message: str) -> UsageError:
    needed, optional = OPERATIONS[op]
    hint = f"{op} has {', '.join(needed)}, and may have {', '.join(optional)}"
    return UsageError("wrong-argument", f"edit {at}: {message}", hint=hint)
