"""Notebook JSON as nbformat writes it, byte for byte, but faster.

`dumps(notebook)` is `HEAD`, the cells (each from `dump_cell`, joined by `SEPARATOR`), then
`dump_tail`; whoever writes cell by cell puts the same pieces into a file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from json.encoder import encode_basestring as _quote
from typing import Any

HEAD = '{\n "cells": ['
SEPARATOR = ","
LONG = 1 << 18
_TRANSIENT = ("orig_nbformat", "orig_nbformat_minor", "signature")
_SPLIT_MIMES = ("application/javascript", "image/svg+xml")
_SURROGATE = re.compile("[\ud800-\udfff]")
_FLOAT_NAMES = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def dumps(notebook: Mapping[str, Any]) -> str:
    """The whole text of a notebook (a v4 dictionary), with one newline at its end."""
    cells = SEPARATOR.join(map(dump_cell, notebook["cells"]))
    return HEAD + cells + dump_tail(notebook, empty=not cells)


def dump_cell(cell: Mapping[str, Any]) -> str:
    """One cell of the `cells` list, starting with its line break."""
    return "\n  " + _value(_with_lines(cell), "\n  ")


def cell_pieces(cell: Mapping[str, Any]) -> Iterator[str]:
    """The text of `dump_cell` in pieces, so that megabytes of output are not held many times."""
    shown = dict(cell)
    long: list[str] = []
    mark = os.urandom(16).hex()
    if any(_is_long(output) for output in cell.get("outputs", ())):
        shown["outputs"] = [_with_mark(output, mark, long) for output in cell["outputs"]]
    rest = dump_cell(shown)
    for text in long:
        before, _, rest = rest.partition(f'"{mark}"')
        yield before
        yield from _quoted_lines(text, before[before.rindex("\n") :])
    yield rest


def _is_long(output: Mapping[str, Any]) -> bool:
    text = output.get("text")
    return isinstance(text, str) and len(text) > LONG and output.get("output_type") == "stream"


def _with_mark(output: Mapping[str, Any], mark: str, long: list[str]) -> Mapping[str, Any]:
    if not _is_long(output):
        return output
    long.append(output["text"])
    return {**output, "text": [mark]}


def _quoted_lines(text: str, newline: str) -> Iterator[str]:
    """The items of a list of lines, some thousands at a time."""
    separator = ""
    start = 0
    while start < len(text):
        end = text.find("\n", start + LONG) + 1 or len(text)
        yield separator + f",{newline}".join(map(_quote, text[start:end].splitlines(True)))
        separator = f",{newline}"
        start = end


def dump_tail(notebook: Mapping[str, Any], empty: bool = False) -> str:
    """What follows the last cell; `empty` when there was none."""
    rest = {key: value for key, value in notebook.items() if key != "cells"}
    metadata = notebook.get("metadata", {})
    rest["metadata"] = {key: value for key, value in metadata.items() if key not in _TRANSIENT}
    before = "]" if empty else "\n ]"
    return f"{before},{_value(rest, chr(10))[1:]}\n"


def encode(text: str) -> bytes:
    """UTF-8 bytes of notebook JSON; a lone surrogate becomes its JSON escape."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def _with_lines(cell: Mapping[str, Any]) -> dict[str, Any]:
    """A cell with its texts split into lines, and without what is not stored."""
    shown = dict(cell)
    shown["metadata"] = {k: v for k, v in cell.get("metadata", {}).items() if k != "trusted"}
    if isinstance(cell.get("source"), str):
        shown["source"] = cell["source"].splitlines(True)
    if cell.get("attachments"):
        shown["attachments"] = {k: _split_bundle(v) for k, v in cell["attachments"].items()}
    if cell.get("cell_type") == "code":
        shown["outputs"] = [split_output(output) for output in cell.get("outputs", ())]
    return shown


def split_output(output: Mapping[str, Any]) -> Mapping[str, Any]:
    """An output with its texts as lists of lines, as they are stored."""
    kind = output.get("output_type")
    if kind in ("execute_result", "display_data") and "data" in output:
        return {**output, "data": _split_bundle(output["data"])}
    if kind == "stream" and isinstance(output.get("text"), str):
        return {**output, "text": output["text"].splitlines(True)}
    return output


def _split_bundle(bundle: Mapping[str, Any]) -> dict[str, Any]:
    return {
        mime: value.splitlines(True)
        if isinstance(value, str) and (mime.startswith("text/") or mime in _SPLIT_MIMES)
        else value
        for mime, value in bundle.items()
    }


def _value(value: Any, newline: str) -> str:
    """JSON of a value; `newline` is a line break with the indentation of the value itself."""
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, Mapping):
        if not value:
            return "{}"
        inner = newline + " "
        parts = [f"{_quote(key)}: {_value(value[key], inner)}" for key in sorted(value)]
        return f"{{{inner}{f',{inner}'.join(parts)}{newline}}}"
    if isinstance(value, (list, tuple)):
        if not value:
            return "[]"
        inner = newline + " "
        # Most items are lines of text; spelled here they cost a fifth.
        parts = [_quote(item) if type(item) is str else _value(item, inner) for item in value]
        return f"[{inner}{f',{inner}'.join(parts)}{newline}]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        text = float.__repr__(value)
        return _FLOAT_NAMES.get(text, text)
    if isinstance(value, bytes):
        return _quote(value.decode("ascii"))
    raise TypeError(f"{type(value).__name__} is not part of JSON")
