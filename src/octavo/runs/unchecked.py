"""Parameters as Papermill takes them: injected as they are, whatever the notebook declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.errors import OctavoError
from octavo.notebook.injection import INJECTED_TAG, Injected
from octavo.notebook.model import Notebook
from octavo.notebook.parameters import declared
from octavo.notebook.values import Bound


def bind_unchecked(notebook: Notebook, given: Mapping[str, Any]) -> Bound:
    """The given values; what the notebook declares is noted where it can be read."""
    try:
        parameters = declared(notebook)
    except OctavoError:
        parameters = ()
    return Bound(dict(given), parameters)


def as_prepared(notebook: Notebook) -> Injected:
    """A notebook into which somebody else has injected the parameters."""
    origins: list[int | None] = []
    written = 0
    for cell in notebook.cells:
        injected = INJECTED_TAG in cell.tags
        origins.append(None if injected else written)
        written += not injected
    return Injected(notebook, tuple(origins))
