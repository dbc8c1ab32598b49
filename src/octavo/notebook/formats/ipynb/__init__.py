"""Jupyter's own format: nbformat 4.0 to 4.5 is read, 1 to 3 upgraded, 4.5 with ids written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from octavo.errors import NotebookError
from octavo.notebook.formats.ipynb.check import find_problem
from octavo.notebook.formats.ipynb.text import (
    HEAD,
    SEPARATOR,
    dump_cell,
    dump_tail,
    dumps,
    encode,
)
from octavo.notebook.identity import assign_ids
from octavo.notebook.model import Cell, Notebook

__all__ = [
    "HEAD", "SEPARATOR", "dump_cell", "dump_tail", "dumps", "encode",
    "parse", "read", "to_cell", "to_document", "to_notebook", "write",
]  # fmt: skip

_OTHER_JSON = "a notebook has `nbformat` and `cells`; this is some other JSON"

#: Outputs and execution count of code cells, by cell id.
Results = Mapping[str, Mapping[str, Any]]


def read(text: str, path: str) -> Notebook:
    """Read an `.ipynb` file; outputs are left behind."""
    return to_notebook(parse(text, path))


def write(notebook: Notebook) -> str:
    """Write a notebook as `.ipynb`, without outputs."""
    return dumps(to_document(notebook))


def parse(text: str, path: str) -> dict[str, Any]:
    """The checked version 4 dictionary of an `.ipynb` file, texts joined, outputs included."""
    document = _load(text, path)
    version = _version(document, path)
    if version < 4:
        document = _upgraded(document, version, path)
    problem = find_problem(document)
    if problem:
        place, wrong = problem
        told = f"{place}: {wrong}" if place else wrong
        raise _invalid(told, path, _hint_for(place, wrong))
    for cell in document["cells"]:
        _join_texts(cell)
    return document


def _load(text: str, path: str) -> dict[str, Any]:
    text = text.removeprefix("\ufeff")
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise _not_json(error, text, path) from error
    except RecursionError as error:
        raise _invalid("the JSON is nested too deeply", path, _OTHER_JSON) from error
    except ValueError as error:
        hint = "shorten that number, or keep it as text"
        raise _invalid("it holds a number of thousands of digits", path, hint) from error
    if not isinstance(document, dict):
        raise _invalid("it holds JSON, but not an object", path, _OTHER_JSON)
    return document


def _not_json(error: json.JSONDecodeError, text: str, path: str) -> NotebookError:
    place = f"{path}:{error.lineno}"
    if any(line.startswith("<<<<<<< ") for line in text.splitlines()):
        hint = "git left conflict marks in it: resolve them, or generate it anew from the `.py`"
        message = "it holds unresolved merge conflicts"
        return NotebookError("merge-conflict", message, place=place, hint=hint)
    if text[error.pos :].strip() == "" or "Unterminated string" in error.msg:
        hint = "restore it from git or a backup, or generate it anew from the `.py`"
        return _invalid("the file is cut off: the JSON ends too early", place, hint)
    hint = "an `.ipynb` file is JSON; a script with `# %%` cells should be named `.py`"
    return _invalid(f"it is not JSON: {error.msg} in column {error.colno}", place, hint)


def _version(document: Mapping[str, Any], path: str) -> int:
    major = document.get("nbformat", 1 if "cells" in document else None)
    minor = document.get("nbformat_minor", 0)
    if major is None:
        raise _invalid("`nbformat` is missing", path, _OTHER_JSON)
    known = type(major) is int and type(minor) is int
    if not known or not 1 <= major <= 4 or (major == 4 and not 0 <= minor <= 5):
        raise NotebookError(
            "notebook-version",
            f"the notebook says {_told_version(major, minor)}; 1 to 4.5 can be read",
            place=path,
            hint="save it from Jupyter as nbformat 4.5, or update octavo",
        )
    return int(major)


def _told_version(major: Any, minor: Any) -> str:
    if type(major) is int and type(minor) is int:
        return f"nbformat {major}.{minor}"
    return f"`nbformat` is {json.dumps(major)} and `nbformat_minor` is {json.dumps(minor)}"


def _upgraded(document: dict[str, Any], version: int, path: str) -> dict[str, Any]:
    from octavo.notebook.formats.ipynb.upgrade import upgrade

    try:
        return upgrade(document, version)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        message = f"it does not have the structure of nbformat {version}"
        raise _invalid(message, path, "open and save it in Jupyter") from error


def _hint_for(place: str, wrong: str) -> str:
    if "is taken by" in wrong:
        return "give one of the two cells another id, or remove its id"
    if not place.startswith("cell"):
        return "correct it there, or open and save the notebook in Jupyter"
    return "correct that cell, or open and save the notebook in Jupyter"


def _invalid(message: str, place: str, hint: str = "") -> NotebookError:
    return NotebookError("notebook-invalid", message, place=place, hint=hint)


def _join_texts(cell: dict[str, Any]) -> None:
    """Join what nbformat splits into lines, in place."""
    if isinstance(cell["source"], list):
        cell["source"] = "".join(cell["source"])
    for bundle in (cell.get("attachments") or {}).values():
        _join_bundle(bundle)
    for output in cell.get("outputs") or ():
        if output["output_type"] in ("execute_result", "display_data"):
            _join_bundle(output["data"])
        elif isinstance(output.get("text"), list):
            output["text"] = "".join(output["text"])


def _join_bundle(bundle: dict[str, Any]) -> None:
    for mime, value in bundle.items():
        json_mime = mime.startswith("application/") and mime.endswith(("/json", "+json"))
        if isinstance(value, list) and not json_mime:
            bundle[mime] = "".join(value)


def to_notebook(document: Mapping[str, Any]) -> Notebook:
    """The notebook in a version 4 dictionary."""
    with_ids = document.get("nbformat_minor", 0) >= 5
    cells = tuple(
        Cell(
            kind=cell["cell_type"],
            source=cell["source"],
            metadata={k: v for k, v in cell["metadata"].items() if k != "trusted"},
            id=cell.get("id") if with_ids else None,
            attachments=cell.get("attachments") or None,
        )
        for cell in document["cells"]
    )
    transient = ("orig_nbformat", "orig_nbformat_minor", "signature")
    metadata = {k: v for k, v in document["metadata"].items() if k not in transient}
    return Notebook(cells, metadata)


def to_document(notebook: Notebook, results: Results | None = None) -> dict[str, Any]:
    """The nbformat 4.5 dictionary of a notebook; cells without an id get one."""
    cells = assign_ids(notebook, None).cells
    return {
        "cells": [to_cell(cell, (results or {}).get(cell.id or "")) for cell in cells],
        "metadata": notebook.metadata,
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def to_cell(cell: Cell, result: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The nbformat dictionary of a cell that has an id, with the outputs of `result`."""
    shown: dict[str, Any] = {
        "cell_type": cell.kind,
        "id": cell.id,
        "metadata": cell.metadata,
        "source": cell.source,
    }
    if cell.attachments is not None and cell.kind != "code":
        shown["attachments"] = cell.attachments
    if cell.kind == "code":
        shown["execution_count"] = result.get("execution_count") if result else None
        shown["outputs"] = result.get("outputs", []) if result else []
    return shown
