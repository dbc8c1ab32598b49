"""Finds cells that cannot run because they do not parse, before anything runs."""

from __future__ import annotations

import ast
import re
import sys
import warnings

from octavo.errors import NotebookError
from octavo.notebook.ipython_syntax import (
    LINE_MAGICS,
    bare_command,
    has_prompts,
    python_body,
    python_lines,
)
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.places import place_of
from octavo.notebook.skipping import may_raise, skip_condition
from octavo.value import Value

_LINE_IN_MESSAGE = re.compile(r"\b(on|at) line (\d+)")
_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
#: What Python raises for text that goes over its limits; the kernel is to decide about that.
_LIMITS = (ValueError, MemoryError, RecursionError, OverflowError)


class Problem(Value):
    """A cell that does not parse. `line` is that of the author's file, `place` names both."""

    path: str
    cell: int
    line: int
    column: int | None
    message: str
    text: str
    place: str


def check(
    notebook: Notebook, path: str = "", *, python: tuple[int, int] | None = None
) -> list[Problem]:
    """The code cells that cannot run because of their syntax.

    Whatever IPython could accept passes. `python` is the version that will run the notebook: a
    newer one than ours may know more syntax, so nothing is refused in its name. Cells that are
    skipped or meant to fail are not looked at.
    """
    if "python" not in notebook.language.lower():
        return []
    if python is not None and python > sys.version_info[:2]:
        return []
    found = [
        problem
        for index, cell in enumerate(notebook.cells)
        if _is_checked(cell) and (problem := cell_problem(cell, index, path)) is not None
    ]
    return [each for each in found if not _is_extended(notebook, each.cell)] if found else []


def refuse(problems: list[Problem]) -> None:
    """Raises the NotebookError that names every problem; nothing when there are none."""
    if not problems:
        return
    first = problems[0]
    lines = [f"{each.place}: {each.message}" for each in problems[1:]]
    raise NotebookError(
        "notebook-syntax",
        "\n".join([first.message, *lines]),
        place=first.place,
        hint=f"correct this line: {first.text.strip()}" if first.text.strip() else "",
        details={"problems": [{"place": each.place, "message": each.message} for each in problems]},
    )


def cell_problem(cell: Cell, index: int, path: str = "") -> Problem | None:
    """What is wrong with the syntax of one code cell, None when IPython would run it."""
    error = _syntax_error(cell.source)
    if error is None:
        return None
    line = error.lineno or 1
    lines = cell.source.split("\n")
    return Problem(
        path,
        index,
        cell.line + line - 1,
        error.offset,
        _with_lines_of(cell, error.msg),
        lines[line - 1] if line <= len(lines) else "",
        place_of(path, index, cell, line),
    )


def _with_lines_of(cell: Cell, message: str) -> str:
    """Python counts lines within the cell; the author counts them in the file."""
    return _LINE_IN_MESSAGE.sub(
        lambda found: f"{found[1]} line {int(found[2]) + cell.line - 1}", message
    )


def parse_cell(source: str) -> tuple[ast.Module, str] | None:
    """The syntax tree of a cell and the text it was made from, with IPython's own lines replaced.

    None when there is no Python in it, or none that parses.
    """
    for text in (source, python_lines(source)):
        if text is not None:
            try:
                return _tree(text), text
            except (SyntaxError, *_LIMITS):
                continue
    return None


def _is_checked(cell: Cell) -> bool:
    return cell.kind == "code" and skip_condition(cell) is None and not may_raise(cell.metadata)


def _is_extended(notebook: Notebook, index: int) -> bool:
    """Whether other cells bring syntax of their own that this one may use."""
    if any("input_transformer" in cell.source for cell in notebook.cells):
        return True
    if bare_command(notebook.cells[index].source) is None:
        return False
    brings_magics = ("load_ext", "magic", "%alias", "%macro")
    return any(word in cell.source for cell in notebook.cells for word in brings_magics)


def _compiled(code: str | ast.Module, flags: int = 0) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(code, "<cell>", "exec", _AWAIT | flags, dont_inherit=True)


def _tree(source: str) -> ast.Module:
    tree = _compiled(source, ast.PyCF_ONLY_AST)
    assert isinstance(tree, ast.Module)
    return tree


def _python_error(source: str) -> SyntaxError | None:
    """The error of Python itself; what only breaks its limits is left to the kernel."""
    try:
        _compiled(source)
    except SyntaxError:
        return _error_of_statements(source)
    except _LIMITS:
        pass
    return None


def _error_of_statements(source: str) -> SyntaxError | None:
    """The error that is left when statements are compiled one at a time, as IPython does it: a
    late `from __future__` import is none.
    """
    try:
        for statement in _tree(source).body:
            _compiled(ast.Module([statement], type_ignores=[]))
    except SyntaxError as error:
        return error
    except _LIMITS:
        pass
    return None


def _syntax_error(source: str) -> SyntaxError | None:
    error = _python_error(source)
    if error is None or has_prompts(source):
        return None
    body, text = python_body(source), python_lines(source)
    if body is None or text is None:
        return None
    if text != source:
        error = _python_error(text)
    if error is None or bare_command(body) in LINE_MAGICS or _ipython_accepts(body):
        return None
    return error


def _ipython_accepts(source: str) -> bool:
    """IPython's own word on a cell that is about to be refused; worth its import only here."""
    try:
        from IPython.core.inputtransformer2 import TransformerManager
    except ImportError:
        return True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            transformed = TransformerManager().transform_cell(source)
    except SyntaxError:
        return False
    except Exception:
        return True
    return _python_error(transformed) is None
