"""Writing a notebook that a program holds in memory: checked first, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from octavo.authoring.convert import spelled
from octavo.authoring.files import replace_file
from octavo.authoring.sides import portable, same_content
from octavo.authoring.soundness import Flaw, schema_flaws
from octavo.authoring.syncing import rewritten
from octavo.errors import NotebookError, OctavoError
from octavo.notebook import formats
from octavo.notebook.formats import ipynb
from octavo.notebook.identity import assign_ids
from octavo.sources import SourceFile, read_source

_HINT = "correct the cells that are named; nothing was written"


def write_document(document: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Put a notebook (an nbformat 4 dictionary) at a path, in the format of its name.

    Cells without an id get one, a stable one. In a script that is there already only the cells
    that changed are written anew. What is not valid is refused, and the file is as it was.
    """
    name = os.fspath(path)
    formats.format_for(name)
    before = _there(name)
    complete = _with_ids(_plain(document, name), before)
    _refuse(schema_flaws(complete), name)
    try:
        text = _text(complete, name, before)
    except (TypeError, ValueError, RecursionError) as error:
        raise _invalid(f"it cannot be written as JSON: {error}", name) from error
    if before is None or text != before.text:
        replace_file(Path(name), ipynb.encode(text))


def _there(path: str) -> SourceFile | None:
    """The notebook that is about to be changed."""
    try:
        return read_source(path)
    except OctavoError:
        return None


def _plain(document: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The notebook as nbformat 4.5, in dictionaries and lists of its own."""
    if document.get("nbformat") != 4:
        told = document.get("nbformat")
        raise NotebookError(
            "notebook-version",
            f"the notebook says nbformat {told!r}; version 4 can be written",
            place=path,
            hint="make it with `nbformat.v4.new_notebook()`, or convert it with nbformat",
        )
    copy = _copy(document)
    for cell in copy["cells"] if isinstance(copy.get("cells"), list) else ():
        if isinstance(cell, dict) and _are_lines(cell.get("source")):
            cell["source"] = "".join(cell["source"])
    return {**copy, "nbformat_minor": 5}


def _are_lines(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(item) for key, item in value.items()}
    return [*map(_copy, value)] if isinstance(value, list | tuple) else value


def _with_ids(document: dict[str, Any], before: SourceFile | None) -> dict[str, Any]:
    """The dictionary with an id on every cell; one that is not sound is left as it is."""
    cells = document.get("cells")
    if not isinstance(cells, list) or all(
        isinstance(cell, dict) and "id" in cell for cell in cells
    ):
        return document
    try:
        notebook = ipynb.to_notebook(document)
    except (KeyError, TypeError, AttributeError):
        return document
    named = assign_ids(notebook, before.notebook if before else None)
    return {
        **document,
        "cells": [
            {**cell, "id": cell.get("id", known.id)}
            for cell, known in zip(cells, named.cells, strict=True)
        ],
    }


def _text(document: dict[str, Any], path: str, before: SourceFile | None) -> str:
    if formats.suffix_of(path) == ".ipynb":
        return ipynb.dumps(document)
    notebook = ipynb.to_notebook(document)
    if before is not None:
        wanted = portable(notebook, before.notebook)
        if same_content(wanted, portable(before.notebook, before.notebook)):
            return before.text
        if before.format != "ipynb":
            return rewritten(before, wanted)
    return spelled(notebook, formats.suffix_of(path)[1:], path)


def _refuse(flaws: tuple[Flaw, ...], path: str) -> None:
    if not flaws:
        return
    told = [f"{flaw.place}: {flaw.message}" if flaw.place else flaw.message for flaw in flaws]
    raise NotebookError(
        "notebook-invalid",
        "\n".join(told),
        place=path,
        hint=_HINT,
        details={"problems": [flaw.to_dict() for flaw in flaws]},
    )


def _invalid(message: str, path: str) -> NotebookError:
    hint = "give text, numbers, lists and dictionaries; nothing was written"
    return NotebookError("notebook-invalid", message, place=path, hint=hint)
