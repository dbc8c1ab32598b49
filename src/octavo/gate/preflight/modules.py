"""Imports that the environment of a notebook cannot serve, told by looking into its folders."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from octavo.environments.launch import Environment
from octavo.environments.packages import site_folders, standard_library
from octavo.errors import OctavoError
from octavo.gate.preflight.making import Made
from octavo.gate.preflight.naming import Looked
from octavo.gate.preflight.rules import finding
from octavo.gate.verdicts import Finding
from octavo.notebook.comment_blocks import find_block
from octavo.notebook.names.scopes import catches, lets_through
from octavo.notebook.scriptblock import read_block
from octavo.notebook.skipping import may_raise, skip_condition
from octavo.notebook.syntax import parse_cell
from octavo.sources import SourceFile
from octavo.value import Value

#: What a kernel brings along, wherever it runs.
_BROUGHT = frozenset(("IPython", "octavo_runtime", "scrapbook", "__main__"))
_PROJECT = ("pyproject.toml", ".git", "octavo.toml", "setup.py")
_INSTALL = "install the project there, as with pip install -e ., or set PYTHONPATH"
_ENDING = re.compile(r"\b(?:exit|quit|abort)\s*\(|\bSystemExit\b")
#: A module as the finders name it that build tools write for editable packages.
_QUOTED = re.compile(r"['\"]([^\W\d]\w*)['\"]")
_NORMAL = re.compile(r"[-_.]+")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*")


class _Import(Value):
    """A module that is imported. `sure` when the line runs whenever its cell does."""

    module: str
    line: int
    sure: bool


def import_findings(
    looked: Looked, source: SourceFile, environment: Environment, paths: Sequence[str] = ()
) -> Iterator[Finding]:
    """Modules that are not in the environment, nor next to the notebook, nor in `paths`."""
    if not _can_be_looked_into(environment):
        return
    wanted = [*_imports(looked)]
    made = Made(looked.notebook) if wanted else None
    if made is None or made.anything:
        return
    beside = str(Path(source.path).absolute().parent)
    folders = [*paths, beside, *_site_folders(environment)]
    given, project = _declared(source), _project(beside)
    standard = _standard(environment)
    for cell, each in wanted:
        if _normal(each.module) in given or is_there(each.module, folders, standard):
            continue
        if made.may_make(each.module):
            continue
        own = next((folder for folder in project if each.module in modules_in(folder)), None)
        where = f", but only in {os.path.relpath(own, beside)}" if own else ""
        yield finding(
            "missing-import",
            f"`{each.module}` is not in {_named(environment)}{where}",
            looked.path,
            line=looked.line(cell, each.line),
            cell=cell,
            hint=_INSTALL if own else "",
            # What is the project's own may be installed in a way that folders do not tell.
            severity="error" if each.sure and not own else "warning",
        )


def _can_be_looked_into(environment: Environment) -> bool:
    """Not one that is still to be built, nor a kernel that says nothing of its folders."""
    if environment.kind == "kernel" or not os.path.isabs(environment.python):
        return False
    return environment.kind != "script" or os.path.isdir(environment.root or "")


def _named(environment: Environment) -> str:
    return f"the environment ({environment.why})" if environment.why else "the environment"


def _imports(looked: Looked) -> Iterator[tuple[int, _Import]]:
    may_be_over = False
    for cell in looked.names.cells:
        source = looked.notebook.cells[cell.index]
        if not cell.reached or may_raise(source.metadata) or skip_condition(source):
            continue
        may_be_over = may_be_over or _ENDING.search(source.source) is not None
        parsed = parse_cell(source.source) if "import" in source.source else None
        for each in _in_body(parsed[0].body, sure=not may_be_over) if parsed else ():
            if cell.ends is None or each.line < cell.ends:
                yield cell.index, each


def _in_body(body: Iterable[ast.AST], *, sure: bool) -> Iterator[_Import]:
    for node in body:
        if isinstance(node, ast.Import):
            yield from (
                _Import(alias.name.partition(".")[0], node.lineno, sure) for alias in node.names
            )
        elif isinstance(node, ast.ImportFrom):
            if node.module and not node.level:
                yield _Import(node.module.partition(".")[0], node.lineno, sure)
        elif isinstance(node, (ast.Try, ast.If, ast.With, ast.AsyncWith)):
            yield from _in_block(node, sure=sure)
        elif isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield from _in_body(ast.iter_child_nodes(node), sure=False)


def _in_block(
    node: ast.Try | ast.If | ast.With | ast.AsyncWith, *, sure: bool
) -> Iterator[_Import]:
    """Blocks in which an import may fail without harm are passed over."""
    if isinstance(node, ast.Try):
        if not catches(node.handlers, "ImportError") and not _catches_missing(node):
            yield from _in_body(node.body, sure=sure and not node.handlers)
            yield from _in_body(node.handlers, sure=False)
        yield from _in_body((*node.orelse, *node.finalbody), sure=False)
    elif isinstance(node, ast.If):
        if "TYPE_CHECKING" not in ast.dump(node.test):
            yield from _in_body((*node.body, *node.orelse), sure=False)
    elif all(lets_through(each.context_expr) for each in node.items):
        yield from _in_body(node.body, sure=sure)


def _catches_missing(node: ast.Try) -> bool:
    return catches(node.handlers, "ModuleNotFoundError")


def _project(folder: str) -> tuple[str, ...]:
    """Folders of the project around a notebook in which code of its own may lie."""
    for above in (Path(folder), *Path(folder).parents):
        if any((above / name).exists() for name in _PROJECT):
            return str(above / "src"), str(above)
    return ()


def _site_folders(environment: Environment) -> Iterator[str]:
    yield from site_folders(environment)
    if environment.overlay:
        yield environment.overlay
    if environment.python == sys.executable:
        yield from (folder for folder in sys.path if folder)


def _standard(environment: Environment) -> frozenset[str]:
    """The modules that come with the Python of an environment."""
    folder = standard_library(environment)
    if folder is None:
        return sys.stdlib_module_names
    own = modules_in(folder) | modules_in(os.path.join(folder, "lib-dynload"))
    return own | frozenset(sys.builtin_module_names)


def is_there(
    module: str, folders: Iterable[str], standard: frozenset[str] = sys.stdlib_module_names
) -> bool:
    """Whether a module can be imported from one of some folders, or comes with Python."""
    if module in standard or module in _BROUGHT:
        return True
    names = {module, "_distutils_hack"} if module == "distutils" else {module}
    return any(names & modules_in(folder) for folder in folders)


def modules_in(folder: str) -> frozenset[str]:
    """The modules that a folder offers, with those of folders that it adds to the path."""
    try:
        changed = os.stat(folder).st_mtime_ns
    except (OSError, ValueError):
        return frozenset()
    return _listed(folder, changed)


@lru_cache(256)
def _listed(folder: str, changed: int) -> frozenset[str]:
    """Remembered until the folder changes."""
    found: set[str] = set()
    try:
        names = os.listdir(folder)
    except OSError:
        return frozenset()
    for name in names:
        if name.endswith(".pth"):
            found |= _added(os.path.join(folder, name))
        elif name.startswith("_") and "editable" in name and name.endswith(".py"):
            found |= set(_QUOTED.findall(_text(os.path.join(folder, name))))
        else:
            found.add(name.partition(".")[0])
    return frozenset(found)


def _added(path: str) -> set[str]:
    """What the folders offer that a `.pth` file names."""
    found: set[str] = set()
    for line in _text(path).splitlines():
        where = os.path.join(os.path.dirname(path), line.strip())
        if line.strip() and not line.startswith(("#", "import ", "import\t")):
            try:
                found |= {name.partition(".")[0] for name in os.listdir(where)}
            except (OSError, ValueError):
                continue
    return found


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:
        return ""


def _declared(source: SourceFile) -> set[str]:
    """What the notebook's script block names, as the modules are most likely called."""
    try:
        block = find_block(source.text, source.name)
        wanted = read_block(block).dependencies if block else ()
    except OctavoError:
        return set()
    return {_normal(found[0]) for each in wanted if (found := _REQUIREMENT.match(each))}


def _normal(name: str) -> str:
    return _NORMAL.sub("-", name).lower()
