"""Members put into and taken out of JSON text, which otherwise stays as it is written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from octavo.value import Value

_SPACE = re.compile(r"[ \t\r\n]*")


class Member(Value):
    """A name and its value in an object: where they begin, where the value does, where it ends."""

    name: str
    start: int
    value: int
    end: int


def read(text: str) -> Any:
    return json.loads(text)


def put(text: str, section: str, name: str, entry: dict[str, Any]) -> str:
    """The text with an entry in a section, which is made where it is missing."""
    if not text.strip():
        return json.dumps({section: {name: entry}}, indent=2, ensure_ascii=False) + "\n"
    top = _skip(text, 0)
    held = _member(text, top, section)
    if held is None:
        return _inserted(text, top, section, {name: entry}, 1)
    if not text.startswith("{", held.value):
        whole = json.dumps({name: entry}, indent=2, ensure_ascii=False).replace("\n", "\n  ")
        return text[: held.value] + whole + text[held.end :]
    return _inserted(text, held.value, name, entry, 2)


def take(text: str, section: str, name: str) -> str:
    """The text without an entry of a section."""
    held = _member(text, _skip(text, 0), section)
    if held is None:
        return text
    listed = list(_members(text, held.value))
    at = next((at for at, each in enumerate(listed) if each.name == name), None)
    if at is None:
        return text
    if len(listed) == 1:
        return f"{text[: held.value]}{{}}{text[held.end :]}"
    if at == 0:
        return text[: listed[0].start] + text[listed[1].start :]
    return text[: listed[at - 1].end] + text[listed[at].end :]


def _inserted(text: str, brace: int, name: str, value: Any, depth: int) -> str:
    """The text with a member at the end of the object whose brace this is."""
    listed = list(_members(text, brace))
    indent = "  " * depth
    spelled = json.dumps(value, indent=2, ensure_ascii=False).replace("\n", f"\n{indent}")
    if listed:
        end = listed[-1].end
        return f"{text[:end]},\n{indent}{json.dumps(name)}: {spelled}{text[end:]}"
    close = _skip(text, brace + 1)
    outer = "  " * (depth - 1)
    return f"{text[: brace + 1]}\n{indent}{json.dumps(name)}: {spelled}\n{outer}{text[close:]}"


def _member(text: str, brace: int, name: str) -> Member | None:
    """The last one of a name, which is the one that counts."""
    return next((each for each in reversed(list(_members(text, brace))) if each.name == name), None)


def _members(text: str, brace: int) -> Iterator[Member]:
    decoder = json.JSONDecoder()
    at = _skip(text, brace + 1)
    while text.startswith('"', at):
        name, after = decoder.raw_decode(text, at)
        value = _skip(text, _skip(text, after) + 1)
        _, end = decoder.raw_decode(text, value)
        yield Member(name, at, value, end)
        at = _skip(text, _skip(text, end) + 1)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
