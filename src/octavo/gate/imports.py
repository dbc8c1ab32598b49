"""The project's own modules that a notebook imports, and those that they import: by their text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from octavo.notebook.syntax import parse_cell
from octavo.sources import SourceFile


class _Import(NamedTuple):
    """A module that is imported, and the folders that it is looked for in."""

    name: str
    roots: tuple[Path, ...]


def local_files(source: SourceFile, top: Path) -> set[Path]:
    """Files of the project that running the notebook would import, as far as the text tells."""
    if not source.notebook.is_python:
        return set()
    roots = (Path(source.path).parent, top, top / "src")
    waiting = [
        each
        for cell in source.notebook.cells
        if cell.kind == "code" and (parsed := parse_cell(cell.source)) is not None
        for each in _imports(parsed[0], roots, None)
    ]
    found: set[Path] = set()
    while waiting:
        for file in _files(waiting.pop()):
            if file not in found:
                found.add(file)
                waiting.extend(_imports(_parsed(file), roots, file.parent))
    return found


def _imports(tree: ast.Module, roots: tuple[Path, ...], package: Path | None) -> Iterator[_Import]:
    """What a module or cell imports; a relative import looks in the folder of its package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (_Import(alias.name, roots) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            where = roots
            if node.level:
                if package is None:
                    continue
                where = ((package, *package.parents)[node.level - 1],)
            stem = f"{node.module}." if node.module else ""
            yield from (_Import(f"{stem}{alias.name}", where) for alias in node.names)


def _files(wanted: _Import) -> Iterator[Path]:
    """The files that an import loads: each package on the way, and the module at its end."""
    parts = wanted.name.split(".")
    for root in wanted.roots:
        folder = root
        for part in parts:
            module = folder / f"{part}.py"
            if module.is_file():
                yield module
                break
            folder = folder / part
            initial = folder / "__init__.py"
            if initial.is_file():
                yield initial
            elif not folder.is_dir():
                break


def _parsed(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_bytes())
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return ast.Module([], [])
