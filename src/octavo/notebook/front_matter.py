"""Front matter as a value: what an author wrote between two `---` lines at the top."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.notebook.model import Notebook

#: Notebook metadata that Jupyter and its tools keep for themselves.
_OF_TOOLS = frozenset(("jupytext", "kernelspec", "kernel_info", "language_info", "widgets"))


def front_matter(notebook: Notebook, path: str = "") -> Mapping[str, Any]:
    """The front matter of a notebook in any format, such as `title` and `parameters`.

    In most formats it is a raw first cell; MyST keeps it with the metadata. What Jupyter needs
    for itself is no part of it. Front matter that is not YAML is an error with its line.
    """
    first = notebook.cells[0] if notebook.cells else None
    told = {key: value for key, value in notebook.metadata.items() if key not in _OF_TOOLS}
    if first is None or first.kind != "raw" or not first.source.startswith("---\n"):
        return told
    from octavo.notebook.formats.markdown.header import find_header, front_matter_of

    if find_header(first.source.split("\n")) is None:
        return told
    written = front_matter_of(first.source, path, first.line)
    return {**told, **{key: value for key, value in written.items() if key not in _OF_TOOLS}}
