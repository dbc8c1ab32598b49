"""The line that opens a cell: `# %% title [markdown] key=value`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_MARKER_TEXT = r"#\s*(?:%%%*\s.*|(?:%%|<codecell>|In\[[0-9 ]*\]:?)\s*)$"
_MARKER = re.compile(r"\s*" + _MARKER_TEXT)
# Patterns that few files need are left as text: `re` compiles them when they are first used.
_ESCAPED = r"(\s*)# ((?:# )*" + _MARKER_TEXT + ")"
_ESCAPABLE = r"(\s*)((?:# )*" + _MARKER_TEXT + ")"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_."
_KINDS = {"[markdown]": "markdown", "[raw]": "raw", "[md]": "markdown"}
UNREADABLE = "incorrectly_encoded_metadata"


def is_marker(line: str) -> bool:
    """Whether a line (that does not start inside a string) opens a cell."""
    return _MARKER.match(line) is not None


def escape(line: str) -> str:
    """Put a comment sign before a line of a cell that would open another one."""
    match = re.match(_ESCAPABLE, line) if "#" in line else None
    return f"{match[1]}# {match[2]}" if match else line


def unescape(line: str) -> str:
    """The inverse of `escape`."""
    match = re.match(_ESCAPED, line) if "# #" in line else None
    return f"{match[1]}{match[2]}" if match else line


def options_of(line: str) -> dict[str, Any]:
    """Metadata from a marker; the kind stands under `cell_type` unless the cell is code."""
    text = line[line.find("%%") + 2 :].strip() if "%%" in line else ""
    if not text or text == "[markdown]":
        return {"cell_type": "markdown"} if text else {}
    title, metadata = read_title(text)
    for code, kind in _KINDS.items():
        if code in title:
            title = title.replace(code, "").strip()
            metadata["cell_type"] = kind
            if code == "[md]":
                metadata["region_name"] = "md"
            break
    name = title.lstrip("%")
    if name != title:
        metadata["cell_depth"] = len(title) - len(name)
        name = name.strip()
    if name:
        metadata["title"] = name
    return metadata


def read_title(text: str) -> tuple[str, dict[str, Any]]:
    """The title and the metadata behind it."""
    brace, equals = text.find("{"), text.find("=")
    if brace >= 0 and not 0 <= equals < brace:
        return text[:brace].strip(), read_json(text[brace:])
    words = (text if equals < 0 else text[:equals]).split(" ")
    if equals >= 0:
        while words and not words[-1]:
            words.pop()
        if words:
            words.pop()
    while words and (not words[-1].strip() or words[-1].startswith(".")):
        words.pop()
    title = " ".join(words)
    return title, read_pairs(text[len(title) :])


def read_json(text: str) -> dict[str, Any]:
    """Metadata from one JSON object."""
    try:
        value = _value(text)
    except ValueError:
        return {UNREADABLE: text.strip()}
    return value if isinstance(value, dict) else {UNREADABLE: text.strip()}


def _value(text: str) -> Any:
    """A JSON value or a Python literal; ValueError when it is neither."""
    text = text.strip()
    try:
        return json.loads(text)
    except ValueError:
        pass
    from ast import literal_eval

    try:
        return literal_eval(text)
    except (SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(text) from error


def read_pairs(text: str) -> dict[str, Any]:
    """Read `key=value` pairs and bare words, from the right, as a value may hold anything."""
    found: list[tuple[str, Any]] = []
    text = text.strip()
    while text:
        space = text.rfind(" ")
        if not text.startswith("--") and is_word(text[space + 1 :]):
            found.append((text[space + 1 :], None))
            text = text[: max(space, 0)].strip()
            continue
        pair = _last_pair(text)
        if pair is None:
            found.append((UNREADABLE, text))
            break
        key, value, text = pair
        found.append((key, value))
    metadata: dict[str, Any] = {}
    for key, value in reversed(found):
        if value is not None or key not in metadata:
            metadata[key] = value
    return metadata


def is_word(text: str) -> bool:
    """Whether a text can stand as a key without a value."""
    return text != "" and text[0] in _LETTERS and not text.strip(_LETTERS + "0123456789")


def is_key(text: str) -> bool:
    """Whether a text can stand before an equals sign."""
    return text != "" and not text.strip(_LETTERS + "0123456789@/-")


def _last_pair(text: str) -> tuple[str, Any, str] | None:
    equals = text.rfind("=")
    while equals >= 0:
        space = text[:equals].rstrip().rfind(" ")
        key = text[space + 1 : equals].strip()
        if is_key(key):
            try:
                return key, _value(text[equals + 1 :]), text[: max(space, 0)].strip()
            except ValueError:
                pass
        equals = text.rfind("=", 0, equals)
    return None


def marker_for(metadata: Mapping[str, Any], kind: str | None, *, as_json: bool = False) -> str:
    """The text after `# %%` that `options_of` reads back; `kind` is None for code."""
    rest = {key: value for key, value in metadata.items() if key != "cell_depth"}
    words = []
    title = rest.get("title")
    if isinstance(title, str) and _reads_back(title):
        words.append(title)
        del rest["title"]
    if kind:
        words.append(f"[{rest.pop('region_name', kind)}]")
    depth = metadata.get("cell_depth", 0)
    text = "%" * depth + (" " if depth and words else "") + " ".join(words)
    pairs = _format_pairs(rest, as_json or not all(map(is_key, rest)))
    return " ".join(part for part in (text, pairs) if part)


def _reads_back(title: str) -> bool:
    return bool(title) and options_of("# %% " + title) == {"title": title}


def _format_pairs(metadata: Mapping[str, Any], as_json: bool) -> str:
    if not metadata:
        return ""
    if as_json:
        return json.dumps(metadata)
    return " ".join(
        value if key == UNREADABLE else key if value is None else f"{key}={json.dumps(value)}"
        for key, value in metadata.items()
    )
