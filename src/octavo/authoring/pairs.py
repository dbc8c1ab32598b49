"""Which files belong together: a script or document and the `.ipynb` of the same name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from octavo.errors import NotebookError, UsageError
from octavo.notebook.formats.markdown.header import declares_notebook

_MARKER = re.compile(rb"^#[ \t]*%%", re.MULTILINE)
SUFFIXES = (".py", ".md", ".ipynb")
#: Folders that hold what others wrote.
PASSED_OVER = {"__pycache__", "node_modules", "site-packages"}


class Pair(NamedTuple):
    """A text (script or document) and its notebook; either may be missing."""

    script: Path
    notebook: Path


def find_pairs(paths: Sequence[str], cwd: str) -> list[Pair]:
    """The pairs that files and folders name, each once, in the order of their names."""
    found: dict[Path, Pair] = {}
    for name in paths:
        path = Path(os.path.normpath(Path(cwd) / name))
        scripts: Iterable[Path] = scripts_in(path) if path.is_dir() else [_script_of(path)]
        for script in scripts:
            found[script] = Pair(script, script.with_suffix(".ipynb"))
    return list(found.values())


def default_paths(configured: Sequence[str], project: Path) -> list[str]:
    """The configured notebooks that are there; an error when there are none."""
    there = [str(project / name) for name in configured if (project / name).exists()]
    if not there:
        raise UsageError(
            "wrong-argument",
            "there are no notebooks to look at",
            place=str(project),
            hint=f"name files or folders, put notebooks into {' or '.join(configured)}, "
            'or say where they are: notebooks = ["FOLDER"] in octavo.toml',
        )
    return there


def _script_of(path: Path) -> Path:
    """The text side of the pair that a file is part of."""
    if path.suffix not in SUFFIXES:
        hint = "name a .py or .md file, its .ipynb, or a folder"
        message = "only .py, .md and .ipynb files are kept in step"
        raise UsageError("format-unknown", message, place=str(path), hint=hint)
    if path.suffix == ".ipynb":
        return _text_of(path)
    if path.suffix == ".md" and path.exists():
        _refuse_plain_text(path)
    return path


def _text_of(notebook: Path) -> Path:
    script, document = notebook.with_suffix(".py"), notebook.with_suffix(".md")
    if document.exists() and not script.exists():
        return document
    if notebook.exists() and not script.exists():
        raise NotebookError(
            "notebook-not-found",
            "the notebook has no .py or .md beside it yet",
            place=str(script),
            hint=f"make one with `octavo convert {notebook.name}`",
        )
    return script


def _refuse_plain_text(document: Path) -> None:
    """A document gets no `.ipynb` that nobody asked for, nor one that is made from a script."""
    script, notebook = document.with_suffix(".py"), document.with_suffix(".ipynb")
    if script.exists() and _MARKER.search(script.read_bytes()):
        raise UsageError(
            "wrong-argument",
            f"{notebook.name} belongs to {script.name} already",
            place=str(document),
            hint=f"sync {script.name}, or rename one of the two",
        )
    if not notebook.exists() and not _is_declared(document):
        raise UsageError(
            "wrong-argument",
            "the document does not say that it is a notebook, and has no .ipynb beside it",
            place=str(document),
            hint=f"`octavo convert {document.name}` makes one; from then on sync takes the pair",
        )


def _is_declared(document: Path) -> bool:
    return declares_notebook(document.read_bytes().decode("utf-8", "replace"))


def scripts_in(folder: Path) -> Iterator[Path]:
    """Texts with an `.ipynb` in a folder and below: Python files with cells, and Markdown
    documents whose header says that they are notebooks. Hidden folders are passed over.
    """
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in PASSED_OVER and not name.startswith(".")
        )
        scripts: set[str] = set()
        for name in sorted(names, key=lambda name: (name.endswith(".md"), name)):
            path = Path(root, name)
            if name.startswith(".") or not _is_source(path):
                continue
            if path.suffix == ".py":
                scripts.add(path.stem)
            elif path.stem in scripts:
                continue
            yield path


def _is_source(path: Path) -> bool:
    return path.suffix in (".py", ".md") and is_text_notebook(path, path.read_bytes())


def is_text_notebook(path: Path, content: bytes) -> bool:
    """Whether a file of this name and content is a notebook by what it says itself."""
    if path.suffix == ".py":
        return _MARKER.search(content) is not None
    return path.suffix == ".md" and declares_notebook(content.decode("utf-8", "replace"))
