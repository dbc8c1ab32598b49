"""Texts as TOML spells them, so that people can read them and compare two versions."""

from __future__ import annotations

import re

_ESCAPES = {"\b": "\\b", "\t": "\\t", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_ESCAPED = re.compile(r'[\x00-\x09\x0b-\x1f\x7f\x85\u2028\u2029"\\\ud800-\udfff\ufeff]')
#: What a plain text cannot hold, or what an editor may take away: blanks at the end of a line.
_NOT_PLAIN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ud800-\udfff\ufeff]|[ \t]$", re.M)
_TRAILING = re.compile(r"[ \t](?=\n|$)")
#: A line that looks like the beginning of a cell would mislead whoever takes the file apart.
_TABLE = re.compile(r"^\[(?=\[cell)", re.MULTILINE)


def string(text: str) -> str:
    """A text on one line, or on its own lines where it has several."""
    if "\n" not in text:
        return f'"{_escaped(text)}"'
    quoted = "'''" in text or text.endswith("'")
    if not quoted and not _NOT_PLAIN.search(text) and not _TABLE.search(text):
        return f"'''\n{text}'''"
    lines = _escaped(text)
    lines = _TRAILING.sub(lambda found: f"\\u{ord(found[0]):04x}", lines)
    lines = _TABLE.sub("\\\\u005b", lines)
    return f'"""\n{lines}"""'


def _escaped(text: str) -> str:
    return _ESCAPED.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if "\ud800" <= character <= "\udfff":
        return "\\ufffd"
    return _ESCAPES.get(character) or f"\\u{ord(character):04x}"


def comment(text: str) -> str:
    """A text that may stand behind `#`: one line without control characters."""
    return "".join(each if each.isprintable() else " " for each in text).strip()
