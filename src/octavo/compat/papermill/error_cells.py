"""What Papermill does about a cell that raised: two marked cells, and an exception."""

from __future__ import annotations

from typing import Any

from octavo.compat.papermill.exceptions import PapermillExecutionError, made
from octavo.notebook.model import Notebook
from octavo.records.executed import TOLD_ENDINGS

#: Tag and anchor that Papermill's readers look for.
TAG = "papermill-error-cell-tag"
ANCHOR = "papermill-error-cell"
_STYLE = 'style="color:red; font-size:2em"'


def without_marks(notebook: Notebook) -> Notebook:
    """A notebook without what an earlier run that failed has left in it."""
    return notebook.replace(cells=tuple(cell for cell in notebook.cells if TAG not in cell.tags))


def raised_in(document: dict[str, Any]) -> Any:
    """The exception for a document in which cells raised, the last of them; None where none did.

    Leaving with the exit code 0 is no error, and a kernel that died has raised nothing.
    """
    found = None
    for index, cell in enumerate(document["cells"]):
        for output in cell.get("outputs", ()):
            if output["output_type"] == "error" and _was_raised(cell, output):
                found = (index, cell, output)
                break
    if found is None:
        return None
    index, cell, output = found
    place = (index, cell["execution_count"], cell["source"])
    return made(
        PapermillExecutionError, *place, output["ename"], output["evalue"], output["traceback"]
    )


def _was_raised(cell: dict[str, Any], output: dict[str, Any]) -> bool:
    status = cell["metadata"].get("octavo", {}).get("status")
    told_by_us = output["ename"] == TOLD_ENDINGS.get(status)
    return not told_by_us and not _left_in_order(output)


def _left_in_order(output: dict[str, Any]) -> bool:
    return output["ename"] == "SystemExit" and output["evalue"] in ("", "0")


def mark(document: dict[str, Any], error: Any) -> None:
    """Put a link above the notebook, and its target before the cell that raised."""
    anchor = f'<span id="{ANCHOR}" {_STYLE}>The run ended here:</span>'
    link = f'<a href="#{ANCHOR}">In [{error.exec_count}]</a>'
    head = f"<span {_STYLE}>This run failed, in {link}.</span>"
    document["cells"].insert(error.cell_index, _markdown(anchor, ANCHOR))
    document["cells"].insert(0, _markdown(head, f"{ANCHOR}-link"))


def _markdown(text: str, cell_id: str) -> dict[str, Any]:
    return {
        "cell_type": "markdown",
        "id": cell_id,
        "metadata": {"tags": [TAG]},
        "source": text,
    }
