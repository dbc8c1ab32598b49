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


def skip_condition(cell: Cell) -> str | None:
    """When a cell is to be skipped: None (never), `ALWAYS` for the tags `skip` and
    `skip-execution`, or for the tag `skip-if: name` the name of the parameter whose truth decides.
    """
    tags = [tag for tag in cell.tags if isinstance(tag, str)]
    if "skip" in tags or EXECUTION in tags:
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
    if values is None:
        return None
    condition = skip_condition(cell)
    if condition == ALWAYS:
        return "tagged `skip`"
    if condition is not None and values.get(condition):
        return f"tagged `skip-if: {condition}`, and `{condition}` is {values[condition]!r}"
    return None
