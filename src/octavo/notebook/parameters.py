"""The declared inputs of a notebook: what the cell tagged `parameters` says, without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from octavo.errors import ParameterError
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.parameter_comments import Comments, read_comments
from octavo.notebook.parameter_defaults import (
    has_text,
    literal_default,
    type_of_expression,
    type_of_value,
)
from octavo.notebook.parameter_types import (
    ANY,
    BUILT,
    ParameterType,
    as_text,
    from_annotation,
    from_type_comment,
)
from octavo.notebook.places import place_of
from octavo.notebook.syntax import cell_problem, parse_cell, refuse
from octavo.value import Value

_TAG = "parameters"
_LAZY_ANNOTATIONS = "from __future__ import annotations"


class Parameter(Value):
    """One declared input.

    `default` is meaningful when `is_literal`; otherwise only the notebook can evaluate
    `default_source`. `annotation` is the type as its author spelled it.
    """

    name: str
    type: ParameterType = ANY
    annotation: str | None = None
    default: Any = None
    default_source: str | None = None
    is_literal: bool = False
    required: bool = False
    help: str = ""
    line: int = 1


def declared(notebook: Notebook, path: str = "") -> tuple[Parameter, ...]:
    """The parameters of a notebook, in the order of their declaration.

    Raises ParameterError when two cells are tagged `parameters`, and NotebookError when the cell
    does not parse. A notebook in another language declares nothing that can be read.
    """
    index = parameters_cell(notebook, path)
    if index is None or "python" not in notebook.language.lower():
        return ()
    cell = notebook.cells[index]
    parsed = parse_cell(cell.source)
    if parsed is None:
        _refuse_syntax_error(cell, index, path)
        return ()
    tree, text = parsed
    evaluated = not any(_LAZY_ANNOTATIONS in each.source for each in notebook.cells)
    return _read(tree, _Source(text, cell.line, read_comments(text), evaluated))


def parameters_cell(notebook: Notebook, path: str = "") -> int | None:
    """The index of the code cell tagged `parameters`."""
    tagged = [index for index in notebook.tagged(_TAG) if notebook.cells[index].kind == "code"]
    if len(tagged) > 1:
        places = [place_of(path, index, notebook.cells[index]) for index in tagged]
        raise ParameterError(
            "parameters-ambiguous",
            f"{len(tagged)} cells are tagged `parameters`: {', '.join(places)}",
            place=places[1],
            hint="keep the tag on one of them",
            details={"places": places},
        )
    return tagged[0] if tagged else None


def inferred(parameters: Iterable[Parameter]) -> dict[str, dict[str, str]]:
    """The parameters in the shape of Papermill's `inspect_notebook`."""
    return {
        each.name: {
            "name": each.name,
            "inferred_type_name": each.annotation or "None",
            "default": each.default_source or "",
            "help": each.help,
        }
        for each in parameters
    }


class _Source(Value):
    """The text that a syntax tree was made from, and where it begins in the author's file.

    Names in annotations exist in the notebook only where annotations are `evaluated`.
    """

    text: str
    first_line: int
    comments: Comments
    evaluated: bool

    def segment(self, node: ast.expr) -> str:
        return ast.get_source_segment(self.text, node) or ast.unparse(node)


def _refuse_syntax_error(cell: Cell, index: int, path: str) -> None:
    problem = cell_problem(cell, index, path)
    refuse([problem] if problem is not None else [])


def _read(tree: ast.Module, source: _Source) -> tuple[Parameter, ...]:
    found: dict[str, Parameter] = {}
    for statement, sure in _assignments(tree.body):
        for parameter in _from_statement(statement, source):
            name = parameter.name
            found[name] = _merged(found.get(name), parameter if sure else _unsure(parameter))
    return tuple(found.values())


def _assignments(
    body: Iterable[ast.stmt], sure: bool = True
) -> Iterator[tuple[ast.Assign | ast.AnnAssign, bool]]:
    """Assignments at the top of a cell, and those in its branches, of which none is sure to run."""
    for statement in body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            yield statement, sure
        elif isinstance(statement, (ast.If, ast.Try)):
            for field in ("body", "handlers", "orelse", "finalbody"):
                yield from _assignments(_statements(getattr(statement, field, [])), sure=False)
        elif isinstance(statement, ast.With):
            yield from _assignments(statement.body, sure)


def _statements(block: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    for node in block:
        if isinstance(node, ast.ExceptHandler):
            yield from node.body
        elif isinstance(node, ast.stmt):
            yield node


def _from_statement(statement: ast.Assign | ast.AnnAssign, source: _Source) -> Iterator[Parameter]:
    if isinstance(statement, ast.AnnAssign):
        if isinstance(statement.target, ast.Name):
            yield _annotated(statement, statement.target.id, source)
        return
    for target in statement.targets:
        for name, value in _unpacked(target, statement.value):
            yield _plain(statement, name, value, source)


def _unpacked(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Names and the expressions assigned to them: `a, b = 1, 2` gives two."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        values = _elements(value, target.elts)
        for each, part in zip(target.elts, values, strict=True):
            yield from _unpacked(each, part)


def _elements(value: ast.expr, targets: list[ast.expr]) -> list[ast.expr]:
    starred = any(isinstance(target, ast.Starred) for target in targets)
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(targets) and not starred:
        return list(value.elts)
    return [_taken_apart(value, place) for place in range(len(targets))]


def _taken_apart(value: ast.expr, place: int) -> ast.expr:
    return ast.Subscript(value, ast.Constant(place), ast.Load())


def _annotated(statement: ast.AnnAssign, name: str, source: _Source) -> Parameter:
    comment = source.comments.of(statement)
    named = from_annotation(statement.annotation)
    parameter = Parameter(
        name,
        type=named if source.evaluated else as_text(named),
        annotation=_spelled(statement.annotation, source),
        help=comment.help or _annotated_help(statement.annotation),
        line=source.first_line + statement.lineno - 1,
    )
    value = statement.value
    if value is None or (isinstance(value, ast.Constant) and value.value is ...):
        return parameter.replace(required=True)
    return _with_default(parameter, value, source)


def _spelled(annotation: ast.expr, source: _Source) -> str:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value
    return source.segment(annotation)


def _plain(statement: ast.Assign, name: str, value: ast.expr, source: _Source) -> Parameter:
    comment = source.comments.of(statement)
    parameter = Parameter(
        name,
        type=from_type_comment(comment.type) if comment.type else ANY,
        annotation=comment.type or None,
        help=comment.help,
        line=source.first_line + statement.lineno - 1,
    )
    return _with_default(parameter, value, source)


def _with_default(parameter: Parameter, value: ast.expr, source: _Source) -> Parameter:
    text = source.segment(value)
    try:
        default = literal_default(value)
    except ValueError:
        suggested = type_of_expression(value)
        is_named = parameter.annotation is not None
        more_exact = suggested.kind in BUILT and suggested.kind == parameter.type.kind
        chosen = parameter.type if is_named and not more_exact else suggested
        return parameter.replace(type=chosen, default_source=text)
    chosen = type_of_value(default) if parameter.annotation is None else parameter.type
    if has_text(default):
        chosen = as_text(chosen)
    return parameter.replace(type=chosen, default=default, default_source=text, is_literal=True)


def _annotated_help(annotation: ast.expr) -> str:
    """The text in `Annotated[int, "how many"]`."""
    if not isinstance(annotation, ast.Subscript) or not isinstance(annotation.slice, ast.Tuple):
        return ""
    if not ast.unparse(annotation.value).endswith("Annotated"):
        return ""
    texts = (part.value for part in annotation.slice.elts[1:] if isinstance(part, ast.Constant))
    return next((text for text in texts if isinstance(text, str)), "")


def _unsure(parameter: Parameter) -> Parameter:
    kept = parameter.type if parameter.annotation is not None else ANY
    return parameter.replace(type=kept, is_literal=False, default=None, required=False)


def _merged(earlier: Parameter | None, later: Parameter) -> Parameter:
    """What holds after a second assignment: its default, and what only the first one says."""
    if earlier is None:
        return later
    if later.annotation is None and earlier.annotation is not None:
        later = later.replace(type=earlier.type, annotation=earlier.annotation)
    return later.replace(help=later.help or earlier.help)
