"""A hash over what a cell gave, whoever wrote the notebook that holds it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any


def outputs_hash(outputs: Sequence[Mapping[str, Any]]) -> str:
    """A hash of outputs as nbformat spells them; empty for none.

    Counters, metadata, tracebacks, and how text is cut into lines and pieces make no difference.
    """
    told = list(_told(outputs))
    if not told:
        return ""
    text = json.dumps(told, ensure_ascii=True, sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()


def source_hash(source: Any) -> str:
    """A hash of a cell's source, as a text or a list of lines; space at its end does not count."""
    return sha256(_text(source).rstrip().encode("utf-8", "replace")).hexdigest()


def _told(outputs: Sequence[Mapping[str, Any]]) -> Iterator[list[Any]]:
    """Every output as a list; pieces of one stream that follow each other are one."""
    stream: list[Any] | None = None
    for output in outputs:
        told = _one(output)
        if stream is not None and told[:2] == stream[:2]:
            stream[2] += told[2]
            continue
        if stream is not None:
            yield stream
        stream = told if told[0] == "stream" else None
        if stream is None:
            yield told
    if stream is not None:
        yield stream


def _one(output: Mapping[str, Any]) -> list[Any]:
    kind = output.get("output_type")
    if kind == "stream":
        return ["stream", str(output.get("name")), _text(output.get("text"))]
    if kind == "error":
        return ["error", str(output.get("ename")), str(output.get("evalue"))]
    data = output.get("data")
    bundle = data if isinstance(data, Mapping) else {}
    return ["data", {str(mime): _value(str(mime), value) for mime, value in bundle.items()}]


def _value(mime: str, value: Any) -> Any:
    """Text is told as one, and base64 without the line ends that some writers put into it."""
    if mime.endswith("json"):
        return value
    text = _text(value)
    return "".join(text.split()) if mime.startswith("image/") and "svg" not in mime else text


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "".join(map(str, value))
    return "" if value is None else str(value)
