"""Text spellings of a notebook, chosen by file name: `read` and `write`.

A format is one module with `read(text, path) -> Notebook` and `write(notebook) -> str`; it is
added by naming it in `FORMATS`, and imported only when a file of its kind turns up.
"""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

from octavo.errors import NotebookError
from octavo.notebook.model import Notebook

FORMATS = {".py": "percent", ".ipynb": "ipynb", ".md": "markdown"}


class Format(Protocol):
    """What a module of this package offers."""

    def read(self, text: str, path: str) -> Notebook: ...

    def write(self, notebook: Notebook) -> str: ...


def suffix_of(path_or_format: str) -> str:
    """The suffix that decides the format: of a path, or a bare format like `py` or `.ipynb`."""
    name = path_or_format.replace("\\", "/").rsplit("/", 1)[-1]
    return "." + name.rsplit(".", 1)[-1].lower()


def is_notebook_name(path: str) -> bool:
    """Whether a file of this name has a format."""
    return "." in path and suffix_of(path) in FORMATS


def format_for(path_or_format: str) -> Format:
    """The format that a file name (or a bare suffix) asks for."""
    suffix = suffix_of(path_or_format)
    if suffix not in FORMATS:
        raise NotebookError(
            "format-unknown",
            f"no notebook format for {path_or_format!r}",
            place=path_or_format,
            hint=f"notebooks end in {' or '.join(sorted(FORMATS))}",
        )
    return cast("Format", import_module(f"{__name__}.{FORMATS[suffix]}"))


def read(text: str, path: str) -> Notebook:
    """Read a notebook from its text; `path` decides the format and is named in errors."""
    return format_for(path).read(text, path)


def write(notebook: Notebook, path_or_format: str) -> str:
    """The text of a notebook in the format that a file name (or a bare suffix) asks for."""
    return format_for(path_or_format).write(notebook)
