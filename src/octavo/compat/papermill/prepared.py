"""A run of a notebook into which Papermill has injected the parameters."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from octavo.compat.papermill.options import options
from octavo.errors import OctavoError
from octavo.notebook.formats import ipynb
from octavo.notebook.model import Cell, Notebook
from octavo.runs.download import public, scheme_of
from octavo.runs.request import RunRequest
from octavo.sources import SourceFile, read_text

NO_NAME = "notebook.ipynb"


def prepared_request(
    nb: Any,
    kernel_name: str,
    local_path: Callable[[str], str],
    start_timeout: float | None,
    given: Mapping[str, Any],
) -> RunRequest:
    """The request to run exactly the cells of `nb`, a NotebookNode that Papermill has prepared."""
    facts = nb.metadata.get("papermill", {})
    source = _source(nb, facts.get("input_path"), local_path)
    if given.get("allow_errors"):
        source = source.replace(notebook=_with_allowed_errors(source.notebook))
    return RunRequest(
        paths=(source.path,),
        source=source,
        prepared=True,
        values=_parameters(facts),
        cwd=os.getcwd(),
        **options(kernel_name, start_timeout, given),
    )


def _parameters(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What was injected; some callers note it in another way, and then it is not ours to read."""
    noted = facts.get("parameters")
    return dict(noted) if isinstance(noted, Mapping) else {}


def _source(nb: Any, named: Any, local_path: Callable[[str], str]) -> SourceFile:
    """The cells of `nb`, under the name and with the text of the file that they came from."""
    import json

    notebook = ipynb.to_notebook(json.loads(json.dumps(nb)))
    if isinstance(named, str) and named != "-" and not scheme_of(named):
        path = local_path(named)
        try:
            return SourceFile(path, read_text(path), notebook)
        except OctavoError:
            pass
    name = public(named) if isinstance(named, str) and scheme_of(named) else "-"
    return SourceFile(os.path.join(os.getcwd(), NO_NAME), ipynb.write(notebook), notebook, name)


def _with_allowed_errors(notebook: Notebook) -> Notebook:
    return notebook.replace(cells=tuple(map(_allowed, notebook.cells)))


def _allowed(cell: Cell) -> Cell:
    tags = [*cell.tags, "raises-exception"]
    return cell.replace(metadata={**cell.metadata, "tags": tags}) if cell.kind == "code" else cell
