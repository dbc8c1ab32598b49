"""The difference of two states' variables as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from octavo.render.columns import plain
from octavo.render.style import Style

_WIDTH = 60
_LISTED = 12

Variable = Mapping[str, Any]


def difference_lines(found: Mapping[str, Any], style: Style) -> list[str]:
    """Added with +, removed with -, changed with both values one above the other."""
    return [
        f"{plain(str(found['before']))} {style.pick('→', '->')} {plain(str(found['after']))}",
        *_one_sided(found["added"], "after", style.paint("+", "green")),
        *_one_sided(found["removed"], "before", style.paint("-", "red")),
        *_changed(found["changed"], style),
        *_rest(found, style),
    ]


def _one_sided(found: Sequence[Mapping[str, Any]], side: str, sign: str) -> Iterator[str]:
    for each in found:
        yield f"{sign} {plain(str(each['name']))}  {described(each[side])}"


def _changed(found: Sequence[Mapping[str, Any]], style: Style) -> Iterator[str]:
    for each in found:
        name = plain(str(each["name"]))
        yield f"{style.paint('~', 'yellow')} {name}"
        yield f"    {style.paint('-', 'red')} {described(each['before'])}"
        yield f"    {style.paint('+', 'green')} {described(each['after'])}"


def _rest(found: Mapping[str, Any], style: Style) -> Iterator[str]:
    unsure = [plain(str(name)) for name in found["unsure"]]
    if unsure:
        more = f" and {len(unsure) - _LISTED} more" if len(unsure) > _LISTED else ""
        told = f"look the same, and cannot be compared: {', '.join(unsure[:_LISTED])}{more}"
        yield style.paint(told, "dim")
    if not (found["added"] or found["removed"] or found["changed"]):
        yield "no difference" if not unsure else "no other difference"
    if found["same"]:
        yield style.paint(f"{found['same']} the same", "dim")


def described(variable: Variable) -> str:
    """A variable in a line: its type, how large it is, and the beginning of what it holds."""
    words = [plain(str(variable.get("type") or ""))]
    shape = variable.get("shape")
    if shape:
        words.append("×".join(map(str, shape)))
    elif variable.get("length") is not None and variable.get("kind") != "value":
        words.append(f"of {variable['length']}")
    preview = " ".join(plain(str(variable.get("preview") or "")).split())
    shown = preview if len(preview) <= _WIDTH else f"{preview[: _WIDTH - 1]}…"
    return f"{' '.join(words)}  {shown}".rstrip()
