"""How declared scraps are written: annotations and comments in a cell, entries in metadata."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from octavo.errors import NotebookError
from octavo.notebook.handouts import TAG, Form, Handout
from octavo.notebook.model import Notebook
from octavo.notebook.parameter_comments import Comments, read_comments
from octavo.notebook.parameter_types import (
    ANY,
    NONE,
    ParameterType,
    as_text,
    from_annotation,
    union_of,
)
from octavo.notebook.places import place_of
from octavo.notebook.syntax import cell_problem, parse_cell, refuse
from octavo.value import Value

EXAMPLE = "health_score: float  # [0..1 share] mean of what is left"
_BOUNDS_HINT = "write bounds and unit as in `# [0..1 share] help`, `# [.. 250 ms]` or `# [0..]`"

_NUMBER = r"[+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?"
_RANGE = re.compile(
    rf"(?P<low>{_NUMBER})?\s*\.\.(?:\s*(?P<high>{_NUMBER}))?\s*(?P<unit>[^\s\d.+-].*)?", re.DOTALL
)
#: Text in brackets that was meant to be bounds: `0-1`, `0 to 1`, `<= 5`, `0,1`.
_MISSPELT = re.compile(
    rf"\s*(?:[<>=≤≥]|{_NUMBER}\s*(?:[-–—,;:<>]|to\b)|{_NUMBER}\s+[+-]?\d|[+-]?[\d_.eE\s]+$)"
)
_TABLES = frozenset(("DataFrame", "LazyFrame", "Table", "table"))
_FORMS: dict[str, Form] = {**dict.fromkeys(_TABLES, "table"), "display": "display"}
_NUMERIC = frozenset(("int", "float", "number", "none", "any"))
_UNCHECKED = ("any", "Any", "object")
_KEYS = ("type", "minimum", "maximum", "unit", "help", "required")


class Bracketed(Value):
    """What a comment says: bounds and unit from the brackets that it begins with, then help."""

    minimum: float | None = None
    maximum: float | None = None
    unit: str = ""
    help: str = ""


def bracketed(comment: str) -> Bracketed:
    """Read `[0..1 share] help`. Raises ValueError with what is wrong with the brackets."""
    if not comment.startswith("["):
        return Bracketed(help=comment)
    inside, closed, rest = comment[1:].partition("]")
    if not closed:
        raise ValueError("the brackets are not closed")
    inside, help = inside.strip(), rest.strip()
    if ".." not in inside:
        if not inside or _MISSPELT.match(inside):
            raise ValueError(f"[{inside}] are no bounds")
        return Bracketed(unit=inside, help=help)
    found = _RANGE.fullmatch(inside)
    if found is None or (found["low"] is None and found["high"] is None):
        raise ValueError(f"[{inside}] are no bounds")
    unit = (found["unit"] or "").strip()
    return Bracketed(_bound(found["low"]), _bound(found["high"]), unit, help)


def from_cell(notebook: Notebook, index: int, path: str) -> tuple[Handout, ...]:
    """The scraps that the cell at `index` declares."""
    cell = notebook.cells[index]
    place = place_of(path, index, cell)
    if "python" not in notebook.language.lower():
        hint = "declare them in the notebook's metadata, under `octavo: {scraps: …}`"
        raise _refused(f"a cell tagged `{TAG}` is read in Python notebooks only", place, hint)
    parsed = parse_cell(cell.source)
    if parsed is None:
        problem = cell_problem(cell, index, path)
        refuse([problem] if problem is not None else [])
        hint = f"declare a scrap a line: {EXAMPLE}"
        raise _refused(f"there is no Python in the cell tagged `{TAG}`", place, hint)
    tree, text = parsed
    comments = read_comments(text)
    found: dict[str, Handout] = {}
    for statement in tree.body:
        place = place_of(path, index, cell, statement.lineno)
        handout = _from_statement(statement, text, comments, place)
        if handout is not None and handout.name in found:
            raise _refused(f"{handout.name} is declared twice", place, "keep one of the two")
        if handout is not None:
            short = place_of(path.rpartition("/")[2], index, cell, statement.lineno)
            found[handout.name] = handout.replace(place=short)
    return tuple(found.values())


def from_metadata(entries: Any, path: str) -> tuple[Handout, ...]:
    """The scraps that the notebook's metadata declares."""
    place = f"{path}, metadata octavo.scraps" if path else "metadata octavo.scraps"
    if not isinstance(entries, Mapping):
        hint = "write `name: {type: float, minimum: 0, unit: ms, help: …}` for each of them"
        raise _refused("`scraps` is not a mapping", place, hint)
    return tuple(_from_entry(str(name), entry, place) for name, entry in entries.items())


def _from_statement(
    statement: ast.stmt, text: str, comments: Comments, place: str
) -> Handout | None:
    if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass)) or _is_text(statement):
        return None
    if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
        message = f"`{_first_line(statement)}` declares no scrap"
        hint = f"only lines such as `{EXAMPLE}` may stand in a cell tagged `{TAG}`"
        raise _refused(message, place, hint)
    name = statement.target.id
    if statement.value is not None:
        hint = f"leave the value out here, and hand it out with `glue({name!r}, …)` in a later cell"
        raise _refused(f"{name} is declared with a value", place, hint)
    try:
        said = bracketed(comments.of(statement).help)
    except ValueError as error:
        raise _refused(f"{name}: {error}", place, _BOUNDS_HINT) from None
    handout = _typed(name, statement.annotation).replace(
        annotation=_spelled(statement.annotation, text), **said.to_dict(), place=place
    )
    return _checked(handout, place)


def _from_entry(name: str, entry: Any, place: str) -> Handout:
    place = f"{place}.{name}"
    if isinstance(entry, str):
        entry = {"type": entry}
    if not isinstance(entry, Mapping):
        hint = "write a type (`float`), or a mapping with " + ", ".join(_KEYS)
        raise _refused(f"{name} is neither a type nor a mapping", place, hint)
    unknown = [str(key) for key in entry if key not in _KEYS]
    if unknown:
        hint = f"the keys are {', '.join(_KEYS)}"
        raise _refused(f"{name} has an unknown key: {unknown[0]}", place, hint)
    _check_values(name, entry, place)
    word = entry.get("type", "any")
    handout = _typed(name, _expression(name, word, place))
    said = {key: entry[key] for key in _KEYS[1:] if entry.get(key) is not None}
    handout = handout.replace(annotation=word, place="octavo.scraps in the metadata", **said)
    return _checked(handout, place)


def _check_values(name: str, entry: Mapping[str, Any], place: str) -> None:
    """Whether the values of an entry are of the types that its keys want."""
    wanted: dict[str, tuple[tuple[type, ...], str]] = {
        "type": ((str,), "a type such as `float`"),
        "minimum": ((int, float), "a number"),
        "maximum": ((int, float), "a number"),
        "unit": ((str,), "text"),
        "help": ((str,), "text"),
        "required": ((bool,), "true or false"),
    }
    for key, value in entry.items():
        kinds, words = wanted[key]
        odd = isinstance(value, bool) and bool not in kinds
        odd = odd or (isinstance(value, float) and not isfinite(value))
        if value is not None and (odd or not isinstance(value, kinds)):
            message = f"{name}: {key} is {value!r}, not {words}"
            raise _refused(message, place, f"correct `{key}`")


def _expression(name: str, word: str, place: str) -> ast.expr:
    try:
        node = ast.parse(word.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        node = ast.Name("?")
    known = _typed(name, node)
    if known.form == "value" and known.type == ANY and word.strip() not in _UNCHECKED:
        hint = "types are bool, int, float, str, list, dict, date, table, display, any and the like"
        raise _refused(f"{name}: `{word}` is not a type that can be checked", place, hint)
    return node


def _typed(name: str, annotation: ast.expr) -> Handout:
    """A scrap of the type that an annotation names; `X | None` may be missing."""
    members = list(_members(annotation))
    rest = [each for each in members if not _is_none(each)]
    required = len(rest) == len(members)
    form: Form = _FORMS.get(_last_name(rest[0]), "value") if len(rest) == 1 else "value"
    if form != "value":
        return Handout(name, form=form, required=required)
    kinds: list[ParameterType] = [as_text(from_annotation(each)) for each in rest]
    return Handout(name, union_of(*kinds, *(() if required else (NONE,))), required=required)


def _members(node: ast.expr) -> Iterator[ast.expr]:
    """The types that an annotation joins, also within quotes."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            yield node
            return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _members(node.left)
        yield from _members(node.right)
    elif isinstance(node, ast.Subscript) and _last_name(node.value) in ("Optional", "Union"):
        inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for each in inside:
            yield from _members(each)
        if _last_name(node.value) == "Optional":
            yield ast.Constant(None)
    else:
        yield node


def _checked(handout: Handout, place: str) -> Handout:
    """The scrap, if its bounds make sense."""
    low, high = handout.minimum, handout.maximum
    if low is None and high is None:
        return handout
    members = handout.type.items if handout.type.kind == "union" else (handout.type,)
    if handout.form != "value" or any(each.kind not in _NUMERIC for each in members):
        message = f"{handout.name} has bounds, but is declared as {handout.kind}"
        raise _refused(message, place, "bounds are for numbers: leave them out, or say `float`")
    if low is not None and high is not None and low > high:
        message = f"{handout.name}: the minimum {low:g} is above the maximum {high:g}"
        raise _refused(message, place, "the smaller number comes first")
    return handout


def _bound(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        return float(text)


def _spelled(annotation: ast.expr, text: str) -> str:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value
    return ast.get_source_segment(text, annotation) or ast.unparse(annotation)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _first_line(statement: ast.stmt) -> str:
    return ast.unparse(statement).partition("\n")[0][:60]


def _refused(message: str, place: str, hint: str) -> NotebookError:
    return NotebookError("scraps-declaration", message, place=place, hint=hint)
