"""The reference file of a notebook, `report.expected.toml`: read, and checked for what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from octavo.errors import UsageError
from octavo.gate.references.entries import Entry
from octavo.sources import read_text
from octavo.value import Value

VERSION = 1
_START = re.compile(r"^\[\[cell\]\]", re.MULTILINE)
_HINT = "restore it from git, or delete it and accept the outputs with `octavo check --update`"
_NEWER = "update octavo, or delete the file and accept the outputs with `octavo check --update`"
_CELL_KEYS = {"handle", "name", "between", "values", "output"}


class ReferenceFile(Value):
    """The entries of a file; `blocks` has the text of each, `head` what stands before them."""

    path: Path
    text: str
    entries: tuple[Entry, ...]
    head: str
    blocks: tuple[str, ...]

    def of_set(self, values: str) -> list[Entry]:
        """The entries of one set of values."""
        return [entry for entry in self.entries if entry.values == values]


def folder_of(path: Path) -> Path:
    """Where the images of a reference file lie: a folder beside it."""
    return path.with_suffix("")


def read_file(path: Path) -> ReferenceFile:
    """Read a reference file; UsageError `reference` where it is not what we write."""
    import tomllib

    text = _text(path)
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        place = f"{path}:{line[1]}" if line else str(path)
        raise wrong(f"the reference does not parse: {error}", place) from None
    _refuse_other_versions(table, path)
    cells = table.get("cell", [])
    if not isinstance(cells, list) or set(table) - {"version", "cell"}:
        raise wrong("the reference holds something else than cells", str(path))
    entries = tuple(_entry(cell, number, path) for number, cell in enumerate(cells))
    head, blocks = _blocks(text, cells)
    return ReferenceFile(path, text, entries, head, blocks)


def wrong(message: str, place: str, hint: str = _HINT) -> UsageError:
    """What is said of a reference that cannot be used."""
    return UsageError("reference", message, place=place, hint=hint)


def _text(path: Path) -> str:
    try:
        return read_text(path, kind="reference")
    except UsageError as error:
        raise wrong(f"the reference cannot be read: {error.message}", str(path)) from None


def _refuse_other_versions(table: Mapping[str, Any], path: Path) -> None:
    version = table.get("version")
    if version == VERSION and type(version) is int:
        return
    if version is None:
        raise wrong("the reference does not say its version", str(path))
    message = f"the reference is of version {version!r:.20}; version {VERSION} can be read"
    raise wrong(message, str(path), _NEWER)


def _blocks(text: str, cells: list[Any]) -> tuple[str, tuple[str, ...]]:
    """The text of each cell, as far as cells are written one below the other."""
    import tomllib

    starts = [found.start() for found in _START.finditer(text)]
    ends = [*starts[1:], len(text)]
    blocks = tuple(text[start:end] for start, end in zip(starts, ends, strict=False))
    if len(blocks) != len(cells):
        return "", ()
    for block, cell in zip(blocks, cells, strict=True):
        try:
            if tomllib.loads(block) != {"cell": [cell]}:
                return "", ()
        except tomllib.TOMLDecodeError:
            return "", ()
    return text[: starts[0]] if starts else text, blocks


def _entry(cell: Any, number: int, path: Path) -> Entry:
    place = f"{path}, cell {number + 1}"
    if not isinstance(cell, dict):
        raise wrong("the reference holds something else than cells", place)
    unknown = set(cell) - _CELL_KEYS
    if unknown:
        raise wrong(f"the reference has an unknown key {min(unknown)!r}", place)
    texts = {key: cell.get(key, "") for key in ("handle", "name", "values")}
    if not all(isinstance(value, str) for value in texts.values()) or not texts["handle"]:
        raise wrong("a cell of the reference needs a handle, and texts in its other keys", place)
    between = cell.get("between", ["", ""])
    if not isinstance(between, list) or [type(each) for each in between] != [str, str]:
        raise wrong("a cell of the reference stands between two handles", place)
    outputs = cell.get("output", [])
    if not isinstance(outputs, list):
        raise wrong("the outputs of a cell are no list", place)
    read = tuple(_output(each, place, path) for each in outputs)
    return Entry(**texts, between=(between[0], between[1]), outputs=read)


def _output(output: Any, place: str, path: Path) -> dict[str, Any]:
    kind = output.get("type") if isinstance(output, dict) else None
    if kind == "stream":
        return {"output_type": kind, **_texts(output, ("name", "text"), place)}
    if kind == "error":
        return {"output_type": kind, **_texts(output, ("ename", "evalue"), place)}
    data = output.get("data") if isinstance(output, dict) else None
    if kind not in ("execute_result", "display_data") or not isinstance(data, dict):
        raise wrong(f"an output of the reference has the type {kind!r:.40}", place)
    values = {mime: _value(value, mime, place, path) for mime, value in data.items()}
    return {"output_type": kind, "data": values}


def _texts(output: Mapping[str, Any], keys: tuple[str, ...], place: str) -> dict[str, str]:
    texts = {key: output.get(key) for key in keys}
    if not all(isinstance(text, str) for text in texts.values()) or set(output) - {"type", *keys}:
        raise wrong(f"a {output['type']} of the reference has {' and '.join(keys)}", place)
    return {key: str(text) for key, text in texts.items()}


def _value(value: Any, mime: str, place: str, path: Path) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and isinstance(value.get("json"), str):
        try:
            return json.loads(value["json"])
        except ValueError as error:
            raise wrong(f"{mime} of the reference is not JSON: {error}", place) from None
    if isinstance(value, dict) and isinstance(value.get("file"), str):
        return _image(value, place, path)
    raise wrong(f"{mime} of the reference is neither text nor JSON nor a file", place)


def _image(value: Mapping[str, Any], place: str, path: Path) -> str:
    """The base64 of an image that lies beside the reference and is the one that was accepted."""
    from base64 import b64encode
    from hashlib import sha256

    folder, name = folder_of(path), value["file"].rpartition("/")[2]
    if value["file"] != f"{folder.name}/{name}" or name in ("", ".", "..") or "\0" in name:
        raise wrong(f"the reference names a file outside of {folder.name}/", place)
    try:
        content = (folder / name).read_bytes()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise wrong(f"{value['file']} of the reference cannot be read: {why}", place) from None
    if sha256(content).hexdigest() != value.get("sha256"):
        raise wrong(f"{value['file']} is not the image that was accepted", place)
    return b64encode(content).decode()
