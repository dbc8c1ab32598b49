"""Which notebooks are looked at: those that were named, or all of the project."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from octavo.authoring.pairs import PASSED_OVER, default_paths, is_text_notebook
from octavo.errors import NotebookError, UsageError
from octavo.notebook.formats import is_notebook_name

#: Folders of executed notebooks: their content was made by runs, and belongs to the user.
PRODUCTS = ("runs", "executions", "outputs", "reports")


class SelectionSettings(Protocol):
    """The part of the configuration that says where notebooks are."""

    @property
    def notebooks(self) -> tuple[str, ...]: ...


class SelectionContext(Protocol):
    """What is needed to find the notebooks of a project."""

    cwd: str

    @property
    def project(self) -> Path: ...

    @property
    def settings(self) -> SelectionSettings: ...


def selected(paths: Sequence[str], context: SelectionContext) -> list[Path]:
    """The notebooks that files and folders name, each once, in the order of their names.

    Without any, those of the configured folders. Of a text notebook and the `.ipynb` that is made
    from it, a folder has the text. A file that was named is taken whatever it is; a folder that
    was named and holds none is a mistake, not a pass.
    """
    named = paths or default_paths(context.settings.notebooks, context.project)
    found: dict[Path, None] = {}
    for name in named:
        path = Path(os.path.normpath(Path(context.cwd) / name))
        if path.is_dir():
            within = dict.fromkeys(notebooks_in(path))
            if paths and not within:
                raise _not_found("there are no notebooks in it", name)
            found.update(within)
        elif path.exists():
            found[_notebook(path, name)] = None
        else:
            raise _not_found("there is no such file", name)
    return list(found)


def _not_found(message: str, name: str) -> NotebookError:
    hint = "name notebooks, or folders that hold some"
    return NotebookError("notebook-not-found", message, place=name, hint=hint)


def _notebook(path: Path, name: str) -> Path:
    if not is_notebook_name(str(path)) or not path.is_file():
        hint = "notebooks are .py, .md and .ipynb files"
        raise UsageError("format-unknown", "this is no notebook", place=name, hint=hint)
    return path


def notebooks_in(folder: Path) -> Iterator[Path]:
    """The notebooks of a folder and below. Executed ones in folders of their own are no source."""
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_passed_over(name))
        texts: set[str] = set()
        for name in sorted(names, key=_texts_first):
            path = Path(root, name)
            if name.startswith(".") or not is_notebook_name(name) or path.stem in texts:
                continue
            if _is_one(path):
                texts.add(path.stem)
                yield path


def _is_one(path: Path) -> bool:
    """Whether a file is a notebook; what cannot be read is taken, and told when it is checked."""
    if path.exists() and not path.is_file():
        return False
    try:
        content = path.read_bytes().removeprefix(BOM_UTF8)
        return path.suffix == ".ipynb" or is_text_notebook(path, content)
    except OSError:
        return True


def _texts_first(name: str) -> tuple[bool, bool, str]:
    return name.endswith(".ipynb"), name.endswith(".md"), name


def _is_passed_over(folder: str) -> bool:
    return folder in PASSED_OVER or folder in PRODUCTS or folder.startswith(".")
