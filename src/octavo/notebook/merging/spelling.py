"""A merged `.ipynb` spelled as its file was: indentation, escapes, order of keys, last line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from octavo.notebook.formats.ipynb import HEAD, SEPARATOR, dump_cell, dump_tail, dumps

_INDENT = re.compile(r"\s*\{\r?\n([ \t]+)")


def spelled_like(
    document: Mapping[str, Any],
    text: str,
    known: Mapping[str, Any],
    text_of: Callable[[Mapping[str, Any]], str | None] = lambda cell: None,
) -> str:
    """The text of a dictionary, in the spelling of `text`, which was read as `known`.

    `text_of` gives the text of a cell that is written as it was.
    """
    text = text.removeprefix("\ufeff")
    if _is_usual(text, known):
        cells = [text_of(cell) or dump_cell(cell) for cell in document["cells"]]
        return HEAD + SEPARATOR.join(cells) + dump_tail(document, empty=not cells)
    whole = json.loads(dumps(document))
    whole["cells"] = [_ordered(cell, _first_cell(known)) for cell in whole["cells"]]
    indent = _INDENT.match(text)
    written = json.dumps(
        _ordered(whole, known),
        indent=indent[1] if indent else None,
        separators=None if indent or '": ' in text[:200] else (",", ":"),
        ensure_ascii=text.isascii() and "\\u" in text,
    )
    return written + ("\n" if text.endswith("\n") else "")


def _is_usual(text: str, known: Mapping[str, Any]) -> bool:
    """Whether nbformat's own spelling is that of the text, judged by both of its ends."""
    cells = known["cells"]
    start = HEAD + dump_cell(cells[0]) if cells else HEAD
    return text.startswith(start) and text.endswith(dump_tail(known, empty=not cells))


def _first_cell(known: Mapping[str, Any]) -> Mapping[str, Any]:
    return known["cells"][0] if known["cells"] else {}


def _ordered(value: Mapping[str, Any], like: Mapping[str, Any]) -> dict[str, Any]:
    keys = [key for key in like if key in value]
    return {key: value[key] for key in dict.fromkeys((*keys, *value))}
