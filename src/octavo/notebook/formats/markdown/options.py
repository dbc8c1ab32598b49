"""Metadata behind a fence or in a region comment: `key=value` pairs, or one JSON object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from octavo.notebook.formats.percent.markers import (
    UNREADABLE,
    is_key,
    is_word,
    read_json,
    read_pairs,
    read_title,
)

__all__ = ("read_options", "read_title", "write_options", "write_titled")


def read_options(text: str) -> dict[str, Any]:
    """Metadata from the text behind the language of a fence."""
    brace, equals = text.find("{"), text.find("=")
    if brace >= 0 and not 0 <= equals < brace:
        return {**read_pairs(text[:brace]), **read_json(text[brace:])}
    return read_pairs(text)


def write_options(metadata: Mapping[str, Any], as_json: bool = False) -> str:
    """The text that `read_options` reads back: pairs, or JSON where pairs would not do."""
    if not metadata:
        return ""
    if not as_json and all(map(is_key, metadata)):
        text = " ".join(_pair(key, value) for key, value in metadata.items())
        if "`" not in text and read_options(text) == metadata:
            return text
    return _dumps(metadata)


def write_titled(metadata: Mapping[str, Any], as_json: bool = False) -> str:
    """The text of a region comment, with the title first where it can stand bare."""
    title = metadata.get("title")
    if isinstance(title, str) and title == title.strip() and read_title(title) == (title, {}):
        rest = {key: value for key, value in metadata.items() if key != "title"}
        text = f"{title} {write_options(rest, as_json)}".strip()
        if "-->" not in title and read_title(text) == (title, rest):
            return text
    text = write_options(metadata, as_json)
    return text if read_title(text) == ("", metadata) else _dumps(metadata)


def _pair(key: str, value: Any) -> str:
    if key == UNREADABLE:
        return str(value)
    return key if value is None and is_word(key) else f"{key}={_dumps(value)}"


def _dumps(value: Any) -> str:
    """JSON that neither ends a comment nor has a backtick, which no fence may have behind it."""
    return json.dumps(value).replace("`", "\\u0060").replace("-->", "--\\u003e")
