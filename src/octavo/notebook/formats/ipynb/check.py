"""Is this dictionary a version 4 notebook? The first thing that is wrong, in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
CELL_TYPES = ("code", "markdown", "raw")
Check = Callable[[Any], bool]


def cell_name(index: int, cell: Any) -> str:
    """How an error names a cell: its index, as everywhere else, and its id."""
    known = cell.get("id") if isinstance(cell, dict) else None
    return f"cell {index}" + (f" (id {known})" if isinstance(known, str) else "")


def find_problem(document: dict[str, Any]) -> tuple[str, str] | None:
    """(place, what is wrong) for a version 4 document; None when it is sound."""
    return next(find_problems(document), None)


def find_problems(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """All that `find_problem` would tell, one after the other."""
    cells = document.get("cells")
    if not isinstance(cells, list):
        yield "", "`cells` is missing or not a list"
        return
    yield from (("metadata", wrong) for wrong in _in_metadata(document.get("metadata")))
    ids: dict[str, int] = {}
    with_ids = document.get("nbformat_minor", 0) >= 5
    for index, cell in enumerate(cells):
        for wrong in _in_cell(cell):
            yield cell_name(index, cell), wrong
        if with_ids and isinstance(cell, dict) and "id" in cell:
            for wrong in _in_id(cell["id"], ids, index):
                yield f"cell {index}", wrong


def _in_id(value: Any, ids: dict[str, int], index: int) -> Iterator[str]:
    if not isinstance(value, str) or not ID.fullmatch(value):
        yield f"the id {value!r} is not 1 to 64 letters, digits, `-` or `_`"
    elif value in ids:
        yield f"the id {value!r} is taken by cell {ids[value]}"
    else:
        ids[value] = index


def _in_metadata(metadata: Any) -> Iterator[str]:
    if not isinstance(metadata, dict):
        yield "`metadata` is missing or not an object"
        return
    yield from _named(metadata, "kernelspec", ("name", "display_name"))
    yield from _named(metadata, "language_info", ("name",))
    if not isinstance(metadata.get("title", ""), str):
        yield "`title` is not text"
    if not isinstance(metadata.get("authors", []), list):
        yield "`authors` is not a list"


def _named(metadata: dict[str, Any], key: str, required: tuple[str, ...]) -> Iterator[str]:
    value = metadata.get(key)
    if key not in metadata:
        return
    if not isinstance(value, dict):
        yield f"`{key}` is not an object"
    elif not all(isinstance(value.get(name), str) for name in required):
        yield f"`{key}` has no {' and '.join(f'`{name}`' for name in required)}"


def _in_cell(cell: Any) -> Iterator[str]:
    if not isinstance(cell, dict):
        yield "it is not an object"
        return
    kind = cell.get("cell_type")
    if kind not in CELL_TYPES:
        yield f"the cell type is {kind!r}, not code, markdown or raw"
    if not is_text(cell.get("source")):
        yield "`source` is missing or not text"
    yield from _in_cell_metadata(cell.get("metadata"), kind)
    if not _all_objects(cell.get("attachments", {})):
        yield "`attachments` is not an object of objects"
    if kind == "code":
        yield from _in_code(cell)


def _in_code(cell: dict[str, Any]) -> Iterator[str]:
    if not is_count(cell.get("execution_count")):
        yield "`execution_count` is neither a number nor null"
    outputs = cell.get("outputs", [])
    if not isinstance(outputs, list):
        yield "`outputs` is not a list"
        return
    for number, output in enumerate(outputs, 1):
        wrong = _in_output(output)
        if wrong:
            yield f"output {number}: {wrong}"


def _in_cell_metadata(metadata: Any, kind: Any) -> Iterator[str]:
    if not isinstance(metadata, dict):
        yield "`metadata` is missing or not an object"
        return
    name = metadata.get("name", "x")
    if not isinstance(name, str) or not re.match(".", name):
        yield "the name in `metadata` is not text or empty"
    if not _are_tags(metadata.get("tags", [])):
        yield "the tags in `metadata` are not a list of different texts without commas"
    if kind == "raw" and not isinstance(metadata.get("format", ""), str):
        yield "the format in `metadata` is not text"
    if kind == "code" and not isinstance(metadata.get("collapsed", False), bool):
        yield "`collapsed` in `metadata` is not true or false"


def _are_tags(tags: Any) -> bool:
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        return False
    return len(set(tags)) == len(tags) and all(tag and "," not in tag for tag in tags)


def _in_output(output: Any) -> str:
    if not isinstance(output, dict):
        return "it is not an object"
    kind = output.get("output_type")
    if not isinstance(kind, str) or kind not in _OUTPUTS:
        return f"the output type {kind!r} is not known"
    for key, (is_right, wanted) in _OUTPUTS[kind].items():
        if key not in output or not is_right(output[key]):
            return f"`{key}` is missing or not {wanted}"
    return ""


def is_text(value: Any) -> bool:
    """Text, or a list of texts to be joined."""
    return isinstance(value, str) or _are_texts(value)


def is_count(value: Any) -> bool:
    """An execution count, or none."""
    return value is None or (type(value) is int and value >= 0)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _all_objects(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_bundle, value.values()))


def _is_bundle(value: Any) -> bool:
    """Data by MIME type: text, unless the type is a JSON one."""
    if not isinstance(value, dict):
        return False
    return all(is_text(data) or _is_json(mime) for mime, data in value.items())


def _is_json(mime: str) -> bool:
    return mime == "application/json" or (
        mime.startswith("application/") and mime.endswith("+json")
    )


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


_BUNDLE: tuple[Check, str] = (_is_bundle, "an object of texts by MIME type")
_OBJECT: tuple[Check, str] = (_is_object, "an object")
_STRING: tuple[Check, str] = (_is_string, "text")
_OUTPUTS: dict[str, dict[str, tuple[Check, str]]] = {
    "execute_result": {
        "data": _BUNDLE,
        "metadata": _OBJECT,
        "execution_count": (is_count, "a number or null"),
    },
    "display_data": {"data": _BUNDLE, "metadata": _OBJECT},
    "stream": {"name": _STRING, "text": (is_text, "text")},
    "error": {"ename": _STRING, "evalue": _STRING, "traceback": (_are_texts, "a list of texts")},
}
