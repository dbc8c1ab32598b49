"""Which files belong together: a percent script and the `.ipynb` of the same name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from octavo.errors import NotebookError, UsageError

_MARKER = re.compile(rb"^#[ \t]*%%", re.MULTILINE)
_PASSED_OVER = {"__pycache__", "node_modules", "site-packages"}


class Pair(NamedTuple):
    """A script and its notebook; either may be missing."""

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
            hint=f"name files or folders, or put notebooks into {' or '.join(configured)}",
        )
    return there


def _script_of(path: Path) -> Path:
    if path.suffix not in (".py", ".ipynb"):
        hint = "name a .py file, its .ipynb, or a folder"
        message = "only .py and .ipynb files are kept in step"
        raise UsageError("format-unknown", message, place=str(path), hint=hint)
    script = path.with_suffix(".py")
    if path.suffix == ".ipynb" and path.exists() and not script.exists():
        raise NotebookError(
            "notebook-not-found",
            "the notebook has no .py beside it yet",
            place=str(script),
            hint=f"make one with `octavo convert {path.name}`",
        )
    return script


def scripts_in(folder: Path) -> Iterator[Path]:
    """Python files with cells in a folder and below; hidden folders are passed over."""
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in _PASSED_OVER and not name.startswith(".")
        )
        for name in sorted(names):
            if name.endswith(".py") and not name.startswith("."):
                path = Path(root, name)
                if _MARKER.search(path.read_bytes()):
                    yield path
