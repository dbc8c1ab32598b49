"""Sanitize files: what is replaced in outputs before they are compared.

    [numbers of processes]
    regex: pid \\d+
    replace: PID

Each line `regex: ` with the line `replace: ` right after it counts, in the order of the file;
headings and everything else are for people.
"""

from __future__ import annotations

import os
import re

from octavo.errors import UsageError
from octavo.sources import read_text
from octavo.value import Value

_REGEX, _REPLACE = "regex: ", "replace: "
_HINT = "it holds pairs of lines, `regex: …` and below it `replace: …`"


class Sanitizer(Value):
    """Replacements in the order in which they are made."""

    patterns: tuple[tuple[re.Pattern[str], str], ...] = ()

    def __call__(self, text: str) -> str:
        for pattern, replacement in self.patterns:
            text = pattern.sub(replacement, text)
        return text


def read_sanitizer(path: str | os.PathLike[str]) -> Sanitizer:
    """The replacements of a file; a UsageError where it cannot be read or makes no sense."""
    name = os.fspath(path)
    text = read_text(name, kind="wrong-argument").replace("\r\n", "\n").replace("\r", "\n")
    found: dict[str, tuple[re.Pattern[str], str]] = {}
    lines = text.split("\n")
    at = 0
    while at + 1 < len(lines):
        if not (lines[at].startswith(_REGEX) and lines[at + 1].startswith(_REPLACE)):
            at += 1
            continue
        regex, replacement = lines[at].removeprefix(_REGEX), lines[at + 1].removeprefix(_REPLACE)
        found[regex] = _compiled(regex, replacement, f"{name}:{at + 1}")
        at += 2
    return Sanitizer(tuple(found.values()))


def _compiled(regex: str, replacement: str, place: str) -> tuple[re.Pattern[str], str]:
    try:
        pattern = re.compile(regex)
        pattern.sub(replacement, "")
    except (re.error, IndexError, OverflowError, RecursionError) as error:
        message = f"the regex or its replacement is wrong: {error}"
        raise UsageError("wrong-argument", message, place=place, hint=_HINT) from None
    return pattern, replacement
