"""What `execute_notebook` is given: a notebook, where to write it, and parameters."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from octavo.compat.papermill.error_cells import without_marks
from octavo.compat.papermill.exceptions import PapermillMissingParameterException, made
from octavo.compat.papermill.log import logger
from octavo.errors import OctavoError, ParameterError
from octavo.notebook.formats import ipynb
from octavo.notebook.model import Notebook
from octavo.notebook.parameters import declared
from octavo.runs.inputs import read_input
from octavo.runs.path_templates import builtin_values, fill
from octavo.sources import SourceFile
from octavo.value import Value


class Given(Value):
    """`name` and `output` are the paths as the caller wrote them, with parameters filled in."""

    source: SourceFile
    name: str | None
    output: str | None
    parameters: Mapping[str, Any]


def read_given(
    input_path: Any,
    output_path: str | os.PathLike[str] | None,
    parameters: Mapping[str, Any] | None,
    language: str | None = None,
) -> Given:
    """Read the notebook, which may be a path, an address, `-` or a NotebookNode."""
    values = dict(parameters or {})
    in_paths = {**builtin_values(), **values}
    output = None if output_path is None else _filled(os.fspath(output_path), in_paths)
    name = None if _is_node(input_path) else _filled(os.fspath(input_path), in_paths)
    logger.info("Input Notebook:  %s", "NotebookNode object" if name is None else name)
    logger.info("Output Notebook: %s", output or "Notebook will not be saved")
    source = _from_node(input_path) if name is None else read_input(name, os.getcwd())
    notebook = _in_language(without_marks(source.notebook), language)
    _warn(notebook, values)
    return Given(_in_place(source.replace(notebook=notebook), output), name, output, values)


def _in_place(source: SourceFile, output: str | None) -> SourceFile:
    """Papermill lets a notebook take the place of its own source; the record has the old one."""
    own = source.own_path
    if own and output and os.path.exists(output) and os.path.samefile(output, own):
        return source.replace(named=source.path)
    return source


def _is_node(given: Any) -> bool:
    return isinstance(given, Mapping)


def _from_node(node: Mapping[str, Any]) -> SourceFile:
    text = json.dumps(node)
    path = os.path.join(os.getcwd(), "notebook.ipynb")
    notebook = ipynb.read(text, path)
    return SourceFile(path, ipynb.write(notebook), notebook, "-")


def _filled(path: str, values: Mapping[str, Any]) -> str:
    try:
        return fill(path, values)
    except ParameterError as error:
        raise made(PapermillMissingParameterException, error.message) from error


def _in_language(notebook: Notebook, language: str | None) -> Notebook:
    if language is None:
        return notebook
    spec = {**(notebook.metadata.get("kernelspec") or {}), "language": language}
    return notebook.replace(metadata={**notebook.metadata, "kernelspec": spec})


def _warn(notebook: Notebook, values: Mapping[str, Any]) -> None:
    """Say what Papermill says about parameters that the notebook does not declare."""
    if not values:
        return
    try:
        known = {each.name for each in declared(notebook)}
    except OctavoError:
        known = set(values)
    for name in values:
        if name not in known:
            logger.warning("Passed unknown parameter: %s", name)
    if not notebook.tagged("parameters"):
        logger.warning("Input notebook does not contain a cell with tag 'parameters'")
