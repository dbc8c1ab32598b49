"""Keeping secrets out of everything that is written: text in pieces, and JSON values.

Every occurrence of a secret becomes `[redacted:NAME]`, also where it is escaped for JSON, quoted
for a URL or encoded in base64, and for a secret of several lines each longer line. Secrets that
overlap in a text are replaced together. A stream gives the same result however it is cut into
pieces: what could be the beginning of a secret is held back until more is known.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import Any

from octavo.value import Value

SHORTEST_LINE = 16
"""Lines of a secret of several lines count by themselves when they are longer than this."""

SHORTEST_ENCODED = 8
"""Shorter secrets are not looked for in base64, where they would be found by chance."""

COMMON = "x etaoinshrdlucm\nfwypvbgkjqz01234567.,-/_=:89ETAOINSRHDLUCMFWYPVBGK"
"""Characters from the one that output is fullest of to the rarer ones; others are rarest."""

Span = tuple[int, int, str]


class Redactor:
    """Replaces secrets, given as values by name."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        marks: dict[str, str] = {}
        for name, value in secrets.items():
            for form in forms(value):
                marks.setdefault(form, f"[redacted:{name}]")
        longest_first = sorted(marks, key=lambda needle: (-len(needle), needle))
        self._marks = [(_rarest(needle), needle, marks[needle]) for needle in longest_first]
        self._by_first: dict[str, list[str]] = {}
        for needle in longest_first:
            self._by_first.setdefault(needle[0], []).append(needle)

    @property
    def active(self) -> bool:
        """Whether there is anything to hide."""
        return bool(self._marks)

    def stream(self, name: str = "") -> StreamRedactor:
        """A redactor for one stream of text that comes in pieces."""
        return StreamRedactor(self, name)

    def text(self, text: str) -> str:
        """A whole text without secrets; the same object where there are none."""
        return self.cut(text, len(text), 0)[0]

    def value(self, value: Any) -> Any:
        """A value without secrets, in keys too; the same object where there are none.

        It may be made of JSON's types, of tuples and of our own values.
        """
        if not self._marks:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, (list, tuple)):
            items = type(value)(map(self.value, value))
            return value if all(map(operator.is_, items, value)) else items
        if isinstance(value, Mapping):
            pairs = {self.value(key): self.value(item) for key, item in value.items()}
            same = all(key in pairs and pairs[key] is value[key] for key in value)
            return value if same else pairs
        return self._record(value) if isinstance(value, Value) else value

    def _record(self, value: Any) -> Any:
        changes = {
            name: clean
            for name in value._fields
            if (clean := self.value(old := getattr(value, name))) is not old
        }
        return value.replace(**changes) if changes else value

    def cut(self, text: str, end: int, covered: int) -> tuple[str, int]:
        """`text[:end]` without secrets, and up to where the last secret in it reaches.

        The first `covered` characters belong to a secret that was already replaced.
        """
        spans = self._spans(text)
        if not spans and not covered:
            return (text if end == len(text) else text[:end]), 0
        parts = []
        at = covered
        for start, stop, mark in spans:
            if start >= end:
                break
            if start >= at:
                parts += [text[at:start], mark]
            at = max(at, stop)
        parts.append(text[at:end])
        return "".join(parts), at

    def held_from(self, text: str) -> int:
        """Where the end of a text begins that may be the beginning of a secret."""
        held = len(text)
        for first, needles in self._by_first.items():
            at = text.find(first, max(0, len(text) - len(needles[0]) + 1))
            while 0 <= at < held:
                tail = text[at:]
                if any(len(needle) > len(tail) and needle.startswith(tail) for needle in needles):
                    held = at
                at = text.find(first, at + 1)
        return held

    def _spans(self, text: str) -> list[Span]:
        """Where secrets are, in order; of two that begin together the longer is first."""
        spans = [
            (start, stop, mark)
            for rare, needle, mark in self._marks
            if rare in text  # looking for one character is many times faster
            for start, stop in _occurrences(text, needle)
        ]
        spans.sort(key=lambda span: span[0])
        return spans


class StreamRedactor:
    """Replaces secrets in a text that comes in pieces."""

    def __init__(self, redactor: Redactor, name: str = "") -> None:
        self.name = name
        self._redactor = redactor
        self._held = ""
        self._covered = 0

    def feed(self, text: str) -> str:
        """What can be written after this piece; less than was given, when a secret may follow."""
        if not self._redactor.active:
            return text
        whole = self._held + text if self._held else text
        return self._advance(whole, self._redactor.held_from(whole))

    def flush(self) -> str:
        """What was held back, at the end of the stream."""
        return self._advance(self._held, len(self._held)) if self._held else ""

    def _advance(self, whole: str, end: int) -> str:
        out, reached = self._redactor.cut(whole, end, self._covered)
        self._held = whole[end:]
        self._covered = max(0, reached - end)
        return out


def forms(secret: str) -> Iterator[str]:
    """The spellings of a secret that are looked for."""
    secret = secret.strip()
    if not secret:
        return
    yield secret
    yield from _escaped(secret)
    yield from _encoded(secret)
    lines = secret.splitlines()
    for line in lines if len(lines) > 1 else ():
        line = line.strip()
        if len(line) > SHORTEST_LINE and not line.startswith("-----"):
            yield line
            yield from _encoded(line)


def _escaped(secret: str) -> Iterator[str]:
    """In JSON, in Python's `repr`, and quoted for a URL."""
    import json

    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield repr(secret)[1:-1]
    for safe in ("", "/"):
        quoted = _quoted(secret, safe)
        yield quoted
        yield quoted.replace("%20", "+")


def _quoted(secret: str, safe: str) -> str:
    return "".join(
        chr(byte)
        if chr(byte) in safe or (byte < 128 and _is_unreserved(chr(byte)))
        else f"%{byte:02X}"
        for byte in secret.encode("utf-8", "surrogatepass")
    )


def _is_unreserved(char: str) -> bool:
    return char.isalnum() or char in "-._~"


def _encoded(secret: str) -> Iterator[str]:
    """The characters of base64 that depend on the secret alone, wherever it stands in the data."""
    from binascii import b2a_base64

    data = secret.encode("utf-8", "surrogatepass")
    if len(data) < SHORTEST_ENCODED:
        return
    for before in range(3):
        text = b2a_base64(b"\0" * before + data, newline=False).decode("ascii")
        core = text[-(-8 * before // 6) : 8 * (before + len(data)) // 6]
        yield core
        yield core.replace("+", "-").replace("/", "_")


def _rarest(needle: str) -> str:
    return max(needle, key=lambda char: COMMON.find(char) % 1000)


def _occurrences(text: str, needle: str) -> Iterator[tuple[int, int]]:
    """The parts of a text that are covered by a needle; those that overlap are one part."""
    length = len(needle)
    start = text.find(needle)
    while start >= 0:
        last = start
        while (later := text.rfind(needle, last + 1, last + 2 * length - 1)) >= 0:
            last = later
        yield start, last + length
        start = text.find(needle, last + length)
