"""What is written into a proposal's refs and read back from them.

It may come from anybody who can push: sizes, types and names are checked, and nothing in it is
used as a path of the file system.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from octavo.forges.bounds import bounded, one_line
from octavo.value import Value

SCHEMA = 1
#: Larger entries are not read; ours are cut before they get there.
LARGEST_ENTRY = 4 * 1024 * 1024
LONGEST_TEXT = 1_000_000
LONGEST_TITLE = 250
LONGEST_DESCRIPTION = 1000
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PERSON = re.compile(r"(?P<name>[^<>]*?)\s*<(?P<email>[^<>]*)>")
_ODD = re.compile(r"[^A-Za-z0-9._-]+")
_NOT_IN_REFS = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|//|@\{|/\.|\.lock(/|$)|^[./-]|[./]$|^@$")


class Unreadable(ValueError):
    """Something in a ref is not what this version writes."""


class Person(Value):
    """Who did something, as git knows them. Two are the same when their addresses are."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>" if self.email else self.name

    @property
    def key(self) -> str:
        return (self.email or self.name).casefold()


def person(text: str) -> Person:
    """Who a text such as `Ada <ada@example.org>` names."""
    found = _PERSON.match(text)
    return Person(found["name"], found["email"]) if found else Person(text.strip(), "")


def stamp(seconds: float, after: str = "") -> str:
    """A time as text that sorts, later than another one whatever the clock says."""
    now = _shown(datetime.fromtimestamp(seconds, UTC))
    if now > after:
        return now
    try:
        later = datetime.fromisoformat(after) + timedelta(microseconds=1)
    except OverflowError:
        return after
    return _shown(later)


def _shown(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond:06d}Z"


def digest(*parts: object) -> str:
    """A short name for a content."""
    joined = json.dumps(parts, default=str).encode()
    return hashlib.sha256(joined).hexdigest()[:16]


def is_branch(name: str) -> bool:
    """Whether git takes a text as the name of a branch."""
    return 0 < len(name) < 1000 and _NOT_IN_REFS.search(name) is None


def is_commit(value: object) -> bool:
    return isinstance(value, str) and _COMMIT.fullmatch(value) is not None


def is_stamp(value: object) -> bool:
    return isinstance(value, str) and _STAMP.fullmatch(value) is not None


def is_text(value: object) -> bool:
    return isinstance(value, str)


def title_of(text: str) -> str:
    """A title in one line of bounded length."""
    return one_line(text, LONGEST_TITLE)


def text_of(text: str) -> str:
    """A text as it can be stored: of bounded length, with a note where it was cut."""
    return bounded(text, LONGEST_TEXT)


def file_name(name: str, media_type: str) -> str:
    """The name of a figure as it is stored: without anything that a path or Markdown minds."""
    plain = _ODD.sub("-", name.rpartition("/")[2]).strip("-.")[-80:].lstrip("-.")
    return plain or f"figure.{_ODD.sub('', media_type.rpartition('/')[2])[:10] or 'bin'}"


def encoded(fields: Mapping[str, Any]) -> bytes:
    """An entry as it is stored."""
    whole = {"schema": SCHEMA, **fields}
    return json.dumps(whole, indent=1, sort_keys=True).encode() + b"\n"


def decoded(content: bytes, **checks: Callable[[object], bool]) -> dict[str, Any]:
    """The fields of an entry; Unreadable when it is no entry, newer, or a field is wrong."""
    try:
        fields = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Unreadable("it is no JSON") from error
    if not isinstance(fields, dict) or not isinstance(fields.get("schema"), int):
        raise Unreadable("it has no schema")
    if fields["schema"] > SCHEMA:
        raise Unreadable("a newer Octavo wrote it")
    for name, check in checks.items():
        if not check(fields.get(name)):
            raise Unreadable(f"its {name} is wrong")
    return fields


def decoded_person(value: object) -> Person:
    if (
        isinstance(value, dict)
        and isinstance(value.get("name"), str)
        and isinstance(value.get("email"), str)
    ):
        return Person(" ".join(value["name"].split())[:200], value["email"].strip()[:200])
    raise Unreadable("nobody is named")


def is_person(value: object) -> bool:
    try:
        return bool(decoded_person(value))
    except Unreadable:
        return False
