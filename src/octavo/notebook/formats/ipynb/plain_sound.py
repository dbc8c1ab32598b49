"""Whether an `.ipynb` follows nbformat's schema, told of ordinary ones without nbformat.

Importing nbformat and making its validator takes longer than running a small notebook. What is
ordinary here is valid there (a test holds them together); of all else nbformat has to be asked.
"""

from __future__ import annotations

import re
from typing import Any

_TOP = {"metadata", "nbformat", "nbformat_minor", "cells"}
#: Keys of metadata that have a schema of their own and are rare.
_UNUSUAL = {"orig_nbformat", "title", "authors"}
_LANGUAGE = ("file_extension", "mimetype", "pygments_lexer")
_COMMON = {"cell_type", "metadata", "source"}
_CODE = _COMMON | {"outputs", "execution_count"}
_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_JSON = re.compile(r"application/(.*\+)?json")
_OUTPUTS = {
    "stream": {"output_type", "name", "text"},
    "display_data": {"output_type", "data", "metadata"},
    "execute_result": {"output_type", "data", "metadata", "execution_count"},
    "error": {"output_type", "ename", "evalue", "traceback"},
}


def is_plainly_sound(document: Any) -> bool:
    """Whether a document is an ordinary notebook of nbformat 4.4 or 4.5 without a flaw."""
    if not isinstance(document, dict) or document.keys() != _TOP:
        return False
    version = document["nbformat"], document["nbformat_minor"]
    if version not in ((4, 4), (4, 5)) or bool in map(type, version):
        return False
    cells = document["cells"]
    if not isinstance(cells, list) or not _is_plain_metadata(document["metadata"]):
        return False
    with_ids = version == (4, 5)
    if not all(_is_plain_cell(cell, with_ids) for cell in cells):
        return False
    return not with_ids or len({cell["id"] for cell in cells}) == len(cells)


def _is_plain_metadata(metadata: Any) -> bool:
    if not isinstance(metadata, dict) or not _UNUSUAL.isdisjoint(metadata):
        return False
    kernel = metadata.get("kernelspec", {"name": "", "display_name": ""})
    language = metadata.get("language_info", {"name": ""})
    return (
        isinstance(kernel, dict)
        and isinstance(kernel.get("name"), str)
        and isinstance(kernel.get("display_name"), str)
        and isinstance(language, dict)
        and isinstance(language.get("name"), str)
        and isinstance(language.get("codemirror_mode", ""), (str, dict))
        and all(isinstance(language.get(name, ""), str) for name in _LANGUAGE)
    )


def _is_plain_cell(cell: Any, with_id: bool) -> bool:
    if not isinstance(cell, dict):
        return False
    kind = cell.get("cell_type")
    if not isinstance(kind, str) or kind not in ("code", "markdown", "raw"):
        return False
    wanted = _CODE if kind == "code" else _COMMON
    if cell.keys() != (wanted | {"id"} if with_id else wanted) or not _is_text(cell["source"]):
        return False
    if with_id and not (isinstance(cell["id"], str) and _ID.fullmatch(cell["id"])):
        return False
    if not _is_plain_cell_metadata(cell["metadata"]):
        return False
    if kind != "code":
        return True
    outputs = cell["outputs"]
    return (
        _is_count(cell["execution_count"])
        and isinstance(outputs, list)
        and all(map(_is_plain_output, outputs))
    )


def _is_plain_cell_metadata(metadata: Any) -> bool:
    if not isinstance(metadata, dict):
        return False
    if not metadata:
        return True
    execution, tags = metadata.get("execution", {}), metadata.get("tags", [])
    name = metadata.get("name", "x")
    return (
        isinstance(metadata.get("jupyter", {}), dict)
        and isinstance(execution, dict)
        and all(isinstance(value, str) for value in execution.values())
        and isinstance(metadata.get("collapsed", False), bool)
        and isinstance(metadata.get("scrolled", False), bool)
        and isinstance(metadata.get("format", ""), str)
        and isinstance(name, str)
        and bool(name.strip())
        and _are_tags(tags)
    )


def _are_tags(tags: Any) -> bool:
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        return False
    return len({*tags}) == len(tags) and all(tag.strip() and "," not in tag for tag in tags)


def _is_plain_output(output: Any) -> bool:
    kind = output.get("output_type") if isinstance(output, dict) else None
    if not isinstance(kind, str) or output.keys() != _OUTPUTS.get(kind):
        return False
    if kind == "stream":
        return isinstance(output["name"], str) and _is_text(output["text"])
    if kind == "error":
        return (
            isinstance(output["ename"], str)
            and isinstance(output["evalue"], str)
            and isinstance(output["traceback"], list)
            and _is_text(output["traceback"])
        )
    return (
        isinstance(output["data"], dict)
        and isinstance(output["metadata"], dict)
        and _is_count(output.get("execution_count"))
        and all(_JSON.fullmatch(mime) or _is_text(each) for mime, each in output["data"].items())
    )


def _is_text(value: Any) -> bool:
    """A text, or a list of its lines."""
    if isinstance(value, list):
        return all(isinstance(line, str) for line in value)
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return value is None or (type(value) is int and value >= 0)
