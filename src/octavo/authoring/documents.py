"""Any notebook as the dictionary that Jupyter's tools work with: nbformat 4.5."""

from __future__ import annotations

import os
from typing import Any

from octavo.authoring.sides import usual_metadata, with_whole_kernel
from octavo.notebook.formats import ipynb
from octavo.notebook.identity import assign_ids
from octavo.notebook.model import Notebook
from octavo.sources import SourceFile, read_source

Document = dict[str, Any]


def read_document(path: str | os.PathLike[str]) -> Document:
    """The notebook at a path in any format, with the outputs that an `.ipynb` holds.

    Every cell has an id; one that the file does not name comes from the cell's content.
    """
    return document_of(read_source(path))


def document_of(source: SourceFile, previous: Notebook | None = None) -> Document:
    """The dictionary of a file that was read; cells without an id take that of their counterpart
    in `previous`.
    """
    if source.format != "ipynb":
        notebook = assign_ids(source.notebook, previous)
        metadata = with_whole_kernel({**usual_metadata(notebook), **notebook.metadata})
        return ipynb.to_document(notebook.replace(metadata=metadata))
    document = ipynb.parse(source.text, source.path)
    notebook = assign_ids(ipynb.to_notebook(document), previous)
    cells = [
        ipynb.to_cell(cell, before)
        for cell, before in zip(notebook.cells, document["cells"], strict=True)
    ]
    return {"cells": cells, "metadata": notebook.metadata, "nbformat": 4, "nbformat_minor": 5}
