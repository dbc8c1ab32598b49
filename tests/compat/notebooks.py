"""Notebooks to hand to Papermill and to Octavo, and what is compared of the outcome."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat

PYTHON = {
    "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
    "language_info": {"name": "python"},
}
_ANSI = re.compile("\x1b\\[[0-9;]*m")


def code(source: str, *tags: str) -> Any:
    return nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)} if tags else {})


def text(source: str) -> Any:
    return nbformat.v4.new_markdown_cell(source)


def write(path: Path, *cells: Any, metadata: Any = None) -> Path:
    """A notebook file whose cells have ids that say their place."""
    for index, cell in enumerate(cells):
        cell["id"] = f"cell-{index}"
    notebook = nbformat.v4.new_notebook(cells=list(cells), metadata=metadata or PYTHON)
    nbformat.write(notebook, path)
    return path


def read(path: Path) -> Any:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return notebook


def comparable(notebook: Any) -> dict[str, Any]:
    """A notebook without what differs from run to run: times, new ids, paths."""
    return {
        "cells": [_cell(cell) for cell in notebook.cells],
        "metadata": _metadata(notebook.metadata),
        "version": (notebook.nbformat, notebook.nbformat_minor),
    }


def _cell(cell: Any) -> dict[str, Any]:
    plain = dict(cell)
    plain["id"] = cell.id if cell.id.startswith("cell-") else "new"
    plain["metadata"] = _without_times(cell.metadata)
    if "outputs" in cell:
        plain["outputs"] = [_output(output) for output in cell.outputs]
    return plain


def _output(output: Any) -> dict[str, Any]:
    plain = dict(output)
    if "traceback" in plain:
        lines = _ANSI.sub("", "\n".join(plain["traceback"])).splitlines()
        plain["traceback"] = [unplaced(line) for line in lines]
        plain["evalue"] = unplaced(plain["evalue"])
    return plain


def unplaced(message: str) -> str:
    """An error's message without the file name that IPython made up for the cell."""
    return re.sub(r"\((<ipython-input-[^>]*>|\d+\.py), line", "(cell, line", message)


def _without_times(metadata: Any) -> dict[str, Any]:
    plain = dict(metadata)
    if "execution" in plain:
        plain["execution"] = sorted(plain["execution"])
    if "papermill" in plain:
        times = ("start_time", "end_time", "duration")
        plain["papermill"] = {
            key: type(value).__name__ if key in times else value
            for key, value in plain["papermill"].items()
        }
    return plain


def _metadata(metadata: Any) -> dict[str, Any]:
    plain = _without_times(metadata)
    for key in ("input_path", "output_path"):
        assert key in plain["papermill"]
        plain["papermill"][key] = None
    return plain


def statuses(notebook: Any) -> list[tuple[Any, Any]]:
    """What Papermill's metadata says of every cell."""
    told = [cell.metadata.get("papermill", {}) for cell in notebook.cells]
    return [(each.get("status"), each.get("exception")) for each in told]
