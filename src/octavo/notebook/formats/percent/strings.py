"""Which lines of a Python text start inside a triple-quoted string.

This follows Jupytext's notion, not the tokenizer's, so that both find the same cells: strings
in single quotes end with their line, and a quote after any backslash is an escaped one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_QUOTE_OR_COMMENT = re.compile("[\"'#]")


def has_triple_quote(text: str) -> bool:
    """Whether a text can open or close a triple-quoted string at all."""
    return '"""' in text or "'''" in text


def after_line(line: str, open_quote: str) -> str:
    """The triple quote (as one character, or "") that is open after a line."""
    if '"""' not in line and "'''" not in line:
        return open_quote
    if not open_quote and line.lstrip().startswith("#"):
        return open_quote
    triple, single, last = open_quote, "", -1
    for match in _QUOTE_OR_COMMENT.finditer(line):
        at, char = match.start(), match.group()
        if char == "#":
            if not (single or triple):
                break
        elif at and line[at - 1] == "\\":
            continue
        elif single:
            single = "" if single == char else single
        elif at >= last + 3 and line[max(at - 2, 0) : at + 1] == char * 3:
            if triple in ("", char):
                triple, last = ("" if triple else char), at
        elif not triple:
            single = char
    return triple


def unquoted(lines: Sequence[str]) -> Iterable[str]:
    """The lines that do not start inside a string."""
    if not any(map(has_triple_quote, lines)):
        return lines
    found, quote = [], ""
    for line in lines:
        if not quote:
            found.append(line)
        quote = after_line(line, quote)
    return found
