"""Applying a diff, whoever made it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from octavo.errors import ConflictError

Json = Mapping[str, Any]
Patch = Callable[[Any, Sequence[Json], str], Any]
_RANGES = ("addrange", "removerange", "patch")


def patch(old: Any, diff: Sequence[Json], place: str = "notebook") -> Any:
    """What a diff makes of a notebook, or of a part of it; `old` stays as it is.

    A diff that was made for something else is refused with a ConflictError that names the place.
    """
    if isinstance(old, str):
        return _patch_text(old, diff, place)
    if isinstance(old, Mapping):
        return _patch_mapping(old, diff, place)
    if isinstance(old, list | tuple):
        return _patch_list([*map(_copy, old)], diff, place, patch)
    raise _misfit(place, "nothing in it can be changed")


def _copy(value: Any) -> Any:
    """A plain copy, so that neither side of a patch is changed through the other."""
    if isinstance(value, Mapping):
        return {key: _copy(item) for key, item in value.items()}
    return [*map(_copy, value)] if isinstance(value, list | tuple) else value


def _misfit(place: str, why: str) -> ConflictError:
    hint = "it was made for another version of the notebook: compare again"
    return ConflictError("conflict", f"the change does not fit: {why}", place=place, hint=hint)


def _patch_mapping(old: Json, diff: Sequence[Json], place: str) -> dict[str, Any]:
    new = _copy(old)
    for entry in diff:
        op, key = entry["op"], entry["key"]
        inner = f"{place}/{key}"
        if (op == "add") == (key in old):
            raise _misfit(inner, "it is there already" if op == "add" else "it is not there")
        if op == "remove":
            del new[key]
        elif op in ("add", "replace"):
            new[key] = _copy(entry["value"])
        elif op == "patch":
            new[key] = patch(old[key], entry["diff"], inner)
        else:
            raise _misfit(inner, f"an object knows no {op!r}")
    assert isinstance(new, dict)
    return new


def _patch_list(old: Sequence[Any], diff: Sequence[Json], place: str, within: Patch) -> list[Any]:
    new: list[Any] = []
    done = 0
    for entry in diff:
        op, at = entry["op"], entry["key"]
        if op not in _RANGES:
            raise _misfit(f"{place}/{at}", f"a list knows no {op!r}")
        taken = int(entry["length"]) if op == "removerange" else int(op == "patch")
        if not isinstance(at, int) or not done <= at <= at + taken <= len(old):
            raise _misfit(f"{place}/{at}", "it is not there, or was changed already")
        new += old[done:at]
        if op == "addrange":
            new += map(_copy, entry["valuelist"])
        elif op == "patch":
            new.append(within(old[at], entry["diff"], f"{place}/{at}"))
        done = at + taken
    return [*new, *old[done:]]


def _patch_text(old: str, diff: Sequence[Json], place: str) -> str:
    return "".join(_patch_list(old.splitlines(True), diff, place, _patch_line))


def _patch_line(old: str, diff: Sequence[Json], place: str) -> str:
    return "".join(_patch_list(old, diff, place, _patch_line))
