"""`--report-mode`: a notebook whose readers see results, not code."""

from __future__ import annotations

from octavo.notebook.model import Cell, Notebook


def with_hidden_inputs(notebook: Notebook) -> Notebook:
    """The notebook with the code of every cell folded away, as Jupyter and Papermill mark it."""
    return notebook.replace(cells=tuple(map(_hidden, notebook.cells)))


def _hidden(cell: Cell) -> Cell:
    if cell.kind != "code":
        return cell
    before = cell.metadata.get("jupyter")
    jupyter = {**(before if isinstance(before, dict) else {}), "source_hidden": True}
    return cell.replace(metadata={**cell.metadata, "jupyter": jupyter})
