"""Rules on names: used before they are defined, never used, cells that are never reached."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from octavo.errors import OctavoError
from octavo.gate.preflight.rules import finding
from octavo.gate.verdicts import Finding
from octavo.notebook.model import Notebook
from octavo.notebook.names import Names, Undefined
from octavo.notebook.parameters import declared, parameters_cell
from octavo.notebook.syntax import parse_cell
from octavo.value import Value

_WORD = re.compile(r"[^\W\d]\w*")


class Looked(Value):
    """A notebook, what is known of its names, and what its file is called."""

    notebook: Notebook
    names: Names
    path: str

    def line(self, cell: int, line: int) -> int:
        """A line of a cell as the author counts it."""
        return self.notebook.cells[cell].line + line - 1

    def called(self, cell: int) -> str:
        """A cell as people find it: by its line, or by its number where lines do not show."""
        if self.path.endswith(".ipynb"):
            return f"cell {cell}"
        return f"cell {cell} (line {self.notebook.cells[cell].line})"


def name_findings(looked: Looked) -> Iterator[Finding]:
    """Names that are used before they are defined; each once, where it is missed first."""
    told: set[tuple[str, bool]] = set()
    for cell in looked.names.cells:
        told -= {(name, sure) for name in cell.defined for sure in (True, False)}
        for missed in cell.undefined:
            if (missed.name, True) not in told and (missed.name, missed.sure) not in told:
                told.add((missed.name, missed.sure))
                yield _missed(missed, cell.index, looked)


def _missed(missed: Undefined, cell: int, looked: Looked) -> Finding:
    rule, hint = "undefined-name", ""
    if missed.later is not None and missed.deleted is None:
        rule, hint = "defined-later", f"move {looked.called(missed.later)} above this one"
    return finding(
        rule,
        f"{_told(missed)}{_why(missed, looked)}",
        looked.path,
        line=looked.line(cell, missed.line),
        cell=cell,
        severity=None if missed.sure else "warning",
        hint=hint,
    )


def _told(missed: Undefined) -> str:
    name = f"`{missed.name}`"
    if not missed.through:
        return f"{name} is used"
    return f"{name} is used by `{missed.through}`"


def _why(missed: Undefined, looked: Looked) -> str:
    reached = "" if missed.sure else ", which fails if this runs"
    if missed.deleted is not None:
        return f" after it was deleted in {looked.called(missed.deleted)}{reached}"
    if missed.later is not None:
        return f" here, and defined only in {looked.called(missed.later)}{reached}"
    return f" and not defined{reached}"


def unreachable_findings(looked: Looked) -> Iterator[Finding]:
    """The first of the cells that no run gets to."""
    cells = looked.names.cells
    first = next((at for at, cell in enumerate(cells) if not cell.reached), None)
    if first is None:
        return
    ending = next(cell for cell in reversed(cells[:first]) if cell.ends is not None)
    count = len(cells) - first
    what = "this cell is" if count == 1 else f"this cell and {count - 1} after it are"
    line = looked.line(ending.index, ending.ends or 1)
    where = f"line {line} of " if looked.path.endswith(".ipynb") else f"line {line}, in "
    yield finding(
        "unreachable",
        f"{what} never run: {where}cell {ending.index} ends the run",
        looked.path,
        line=looked.notebook.cells[cells[first].index].line,
        cell=cells[first].index,
    )


def parameter_findings(looked: Looked) -> Iterator[Finding]:
    """Parameters that nothing in the notebook mentions."""
    notebook = looked.notebook
    try:
        parameters = declared(notebook)
        index = parameters_cell(notebook)
    except OctavoError:
        return  # told as an invalid notebook
    if not parameters or index is None or any(cell.unknown for cell in looked.names.cells):
        return
    mentioned = _mentioned(notebook)
    for each in parameters:
        if each.name not in mentioned:
            message = f"the parameter `{each.name}` is never used"
            yield finding("unused-parameter", message, looked.path, line=each.line, cell=index)


def _mentioned(notebook: Notebook) -> set[str]:
    """Every word that code reads, that stands in one of its texts, or that prose puts in."""
    found: set[str] = set()
    for cell in notebook.cells:
        parsed = parse_cell(cell.source) if cell.kind == "code" else None
        if parsed is None or parsed[1] != cell.source:
            found.update(
                _WORD.findall(cell.source) if cell.kind == "code" else _put_in(cell.source)
            )
        if parsed is not None:
            found.update(_in_tree(parsed[0]))
        for tag in cell.tags:
            found.update(_WORD.findall(str(tag)))
    return found


def _put_in(prose: str) -> Iterator[str]:
    for inner in re.findall(r"\{\{?([^{}]*)\}", prose):
        yield from _WORD.findall(inner)


def _in_tree(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _WORD.findall(node.value)
