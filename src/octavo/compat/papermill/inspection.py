"""`inspect_notebook` with Papermill's signature and answer."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any


def inspect_notebook(
    notebook_path: str | os.PathLike[str], parameters: Mapping[str, Any] | None = None
) -> dict[str, dict[str, str]]:
    """The parameters of a notebook by name, each with its type, default and help as text."""
    from octavo.compat.papermill.reading import read_given
    from octavo.notebook.parameters import declared, inferred

    notebook = read_given(notebook_path, None, parameters).source.notebook
    return inferred(each for each in declared(notebook) if each.default_source is not None)
