"""Cells that their author wants left out of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.notebook.model import Cell

#: The condition of a cell tagged `skip`; no Python name, so no parameter can be called this.
ALWAYS = "*"
#: What Jupyter's own tools leave out.
EXECUTION = "skip-execution"
_CONDITION = "skip-if:"
#: Under this key of a cell's metadata stands what is asked of it in a run, and was not written
#: by its author; the executed notebook has its own account of the cell there.
_ASKED = "octavo"
SKIP_MARK = "skip"
RAISES_MARK = "raises"
_RAISES_TAG = "raises-exception"


def with_marks(cell: Cell, marks: Mapping[str, str]) -> Cell:
    """The cell with marks for its next run: `SKIP_MARK`, `RAISES_MARK`, and why each is there."""
    return cell.replace(metadata={**cell.metadata, _ASKED: {"marks": dict(marks)}})


def _marks(metadata: Mapping[str, Any]) -> Mapping[str, str]:
    asked = metadata.get(_ASKED)
    marks = asked.get("marks") if isinstance(asked, Mapping) else None
    return marks if isinstance(marks, Mapping) else {}


def may_raise(metadata: Mapping[str, Any]) -> bool:
    """Whether an exception in a cell with this metadata is what its author wants."""
    tags = metadata.get("tags")
    tagged = isinstance(tags, (list, tuple)) and _RAISES_TAG in tags
    return tagged or RAISES_MARK in _marks(metadata)


def skip_condition(cell: Cell) -> str | None:
    """When a cell is to be skipped: None (never), `ALWAYS` for the tags `skip` and
    `skip-execution`, or for the tag `skip-if: name` the name of the parameter whose truth decides.
    """
    tags = [tag for tag in cell.tags if isinstance(tag, str)]
    if "skip" in tags or EXECUTION in tags or SKIP_MARK in _marks(cell.metadata):
        return ALWAYS
    for tag in tags:
        if tag.startswith(_CONDITION):
            return tag.removeprefix(_CONDITION).strip() or None
    return None


def why_skipped(cell: Cell, values: Mapping[str, Any] | None) -> str | None:
    """Why a cell is left out with these values of the parameters, None when it is to run.

    Without values only those are left out that Jupyter's own tools leave out.
    """
    if EXECUTION in cell.tags:
        return f"tagged `{EXECUTION}`"
    if SKIP_MARK in (marks := _marks(cell.metadata)):
        return str(marks[SKIP_MARK])
    if values is None:
        return None
    condition = skip_condition(cell)
    if condition == ALWAYS:
        return "tagged `skip`"
    if condition is not None and values.get(condition):
        return f"tagged `skip-if: {condition}`, and `{condition}` is {values[condition]!r}"
    return None
