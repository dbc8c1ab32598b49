"""Any notebook as the dictionary that Jupyter's tools work with: nbformat 4.5."""

from __future__ import annotations

import os
from typing import Any

from octavo.authoring.sides import generate, usual_metadata, with_whole_kernel
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


def comparable(
    path_a: str | os.PathLike[str], path_b: str | os.PathLike[str]
) -> tuple[Document, Document]:
    """Two notebooks to be compared.

    Text formats hold neither ids nor outputs, and an `.ipynb` no layout. What one file cannot
    hold is taken as in the other, as `sync` would, so that no change is told that nobody made.
    """
    one, other = read_source(path_a), read_source(path_b)
    if one.format == "ipynb":
        first = document_of(one)
        before = ipynb.to_notebook(first)
        if other.format == "ipynb":
            return first, document_of(other, before)
        return first, generate(other.notebook, first)
    if other.format == "ipynb":
        second = document_of(other)
        return generate(one.notebook, second), second
    first = generate(one.notebook, None)
    named = assign_ids(other.notebook, ipynb.to_notebook(first))
    return first, generate(named, None)
