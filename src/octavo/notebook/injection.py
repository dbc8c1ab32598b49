"""Writes the values of parameters into a notebook, as Papermill does it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.notebook.literals import python_literal
from octavo.notebook.model import Cell, Notebook
from octavo.value import Value

PARAMETERS_TAG = "parameters"
INJECTED_TAG = "injected-parameters"


class Injected(Value):
    """A bound notebook. `origins` has the index in the author's notebook for each of its cells,
    None for the injected one; `index` is where that one stands.
    """

    notebook: Notebook
    origins: tuple[int | None, ...]
    index: int | None = None


def inject(
    notebook: Notebook,
    values: Mapping[str, Any],
    *,
    comment: str = "Parameters",
    kernel_name: str | None = None,
) -> Injected:
    """The notebook with one more cell that assigns the values; unchanged when there are none.

    The cell replaces an earlier injected one, else it follows the cell tagged `parameters`, else
    it comes first. `kernel_name` is the kernel that will run it, where that is not Python.
    """
    if not values:
        return Injected(notebook, tuple(range(len(notebook.cells))))
    earlier = _code_tagged(notebook, INJECTED_TAG)
    position = _position(notebook, earlier)
    before = [index for index in range(position) if index not in earlier]
    after = [index for index in range(position, len(notebook.cells)) if index not in earlier]
    cells = [notebook.cells[index] for index in before]
    above = "\n".join(cell.source for cell in cells if cell.kind == "code")
    cells.append(_injected_cell(notebook, values, comment, kernel_name, above))
    cells.extend(notebook.cells[index] for index in after)
    return Injected(
        notebook.replace(cells=tuple(cells)), (*before, None, *after), index=len(before)
    )


def without_injected(notebook: Notebook) -> Notebook:
    """The notebook as its author wrote it: without cells tagged `injected-parameters`."""
    injected = _code_tagged(notebook, INJECTED_TAG)
    kept = (cell for index, cell in enumerate(notebook.cells) if index not in injected)
    return notebook.replace(cells=tuple(kept))


def injected_source(values: Mapping[str, Any], comment: str = "Parameters") -> str:
    """The text of an injected cell: a comment and one assignment for each value."""
    assignments = [f"{name} = {python_literal(value)}" for name, value in values.items()]
    return "\n".join([f"# {comment}".strip(), *assignments, ""])


def _injected_cell(
    notebook: Notebook, values: Mapping[str, Any], comment: str, kernel_name: str | None, above: str
) -> Cell:
    if notebook.is_python:
        source = injected_source(values, comment)
    else:
        from octavo.notebook.translation import assignments

        source = assignments(values, notebook.language, kernel_name, comment, above)
    return Cell("code", source, metadata={"tags": [INJECTED_TAG]})


def _position(notebook: Notebook, earlier: list[int]) -> int:
    if earlier:
        return earlier[0]
    declaring = _code_tagged(notebook, PARAMETERS_TAG)
    return declaring[0] + 1 if declaring else 0


def _code_tagged(notebook: Notebook, tag: str) -> list[int]:
    return [index for index in notebook.tagged(tag) if notebook.cells[index].kind == "code"]
