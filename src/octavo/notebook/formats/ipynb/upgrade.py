"""Notebooks of nbformat 1, 2 and 3 as version 4."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_MIMES = {
    "text": "text/plain",
    "html": "text/html",
    "svg": "image/svg+xml",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "latex": "text/latex",
    "json": "application/json",
    "javascript": "application/javascript",
}

Document = dict[str, Any]


def upgrade(document: Document, version: int) -> Document:
    """A version 4.4 document (no ids) from an older one. The input stays as it is."""
    if version == 1:
        return _document([_upgrade_first(cell) for cell in document["cells"]], {})
    sheets = document.get("worksheets") or []
    cells = [_upgrade_cell(dict(cell)) for sheet in sheets for cell in sheet.get("cells", [])]
    metadata = dict(document.get("metadata", {}))
    for key in ("name", "signature"):
        metadata.pop(key, None)
    return _document(cells, metadata)


def _document(cells: list[Document], metadata: Document) -> Document:
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}


def _upgrade_first(cell: Document) -> Document:
    if cell["cell_type"] == "code":
        return _code(
            str(cell.get("code") or ""), cell.get("prompt_number"), [], {"collapsed": False}
        )
    return {"cell_type": "markdown", "source": str(cell.get("text") or ""), "metadata": {}}


def _code(source: str, count: Any, outputs: list[Document], metadata: Document) -> Document:
    return {
        "cell_type": "code",
        "source": source,
        "execution_count": count,
        "outputs": outputs,
        "metadata": metadata,
    }


def _upgrade_cell(cell: Document) -> Document:
    kind = cell["cell_type"]
    metadata = dict(cell.get("metadata", {}))
    if kind == "code":
        if "collapsed" in cell:
            metadata["collapsed"] = cell["collapsed"]
        outputs = [_upgrade_output(dict(output)) for output in cell.get("outputs", [])]
        return _code(join(cell.get("input", "")), cell.get("prompt_number"), outputs, metadata)
    source = join(cell.get("source", ""))
    if kind == "heading":
        source = f"{'#' * cell.get('level', 1)} {' '.join(source.splitlines())}"
    kind = "raw" if kind == "raw" else "markdown"
    return {"cell_type": kind, "source": source, "metadata": metadata}


def join(lines: Any) -> Any:
    """Text that version 3 may hold as lines, with or without their ends."""
    if not isinstance(lines, list):
        return lines
    ended = bool(lines) and str(lines[0]).endswith(("\n", "\r"))
    return ("" if ended else "\n").join(map(str, lines))


def _upgrade_output(output: Document) -> Document:
    upgrades: dict[str, Callable[[Document], Document]] = {
        "pyout": _upgrade_data,
        "display_data": _upgrade_data,
        "pyerr": _upgrade_error,
        "stream": _upgrade_stream,
    }
    kind = output.get("output_type", "")
    return upgrades[kind](output) if kind in upgrades else output


def _upgrade_error(output: Document) -> Document:
    return {**output, "output_type": "error"}


def _upgrade_stream(output: Document) -> Document:
    text = join(output.get("text", ""))
    return {"output_type": "stream", "name": output.get("stream", "stdout"), "text": text}


def _upgrade_data(output: Document) -> Document:
    result: Document = {"output_type": "display_data"}
    if output.pop("output_type") == "pyout":
        count = output.pop("prompt_number", None)
        result = {"output_type": "execute_result", "execution_count": count}
    metadata = _with_mimes(output.pop("metadata", {}))
    data = _with_mimes({key: join(value) for key, value in output.items()})
    if "application/json" in data:
        data["application/json"] = _parsed(data["application/json"])
    return {**result, "metadata": metadata, "data": data}


def _with_mimes(values: Document) -> Document:
    return {_MIMES.get(key, key): value for key, value in values.items()}


def _parsed(text: Any) -> Any:
    import json

    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text
