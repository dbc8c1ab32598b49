"""The types that parameters are declared with, read from annotations and defaults."""

from __future__ import annotations

import ast
from typing import Any, Literal

from octavo.value import Value

Kind = Literal[
    "any",
    "none",
    "bool",
    "int",
    "float",
    "number",
    "str",
    "list",
    "tuple",
    "set",
    "dict",
    "path",
    "date",
    "datetime",
    "time",
    "literal",
    "union",
]


class ParameterType(Value):
    """What values a parameter takes.

    `items` are the types inside (of a dict: key and value; of a fixed tuple: each place).
    `number` is what an integer default says: any number. `constructor` is how the author spells
    the class of a path or date; it is empty where the notebook wants the text itself.
    """

    kind: Kind
    items: tuple[ParameterType, ...] = ()
    choices: tuple[Any, ...] = ()
    constructor: str = ""
    fixed: bool = False


ANY = ParameterType("any")
NONE = ParameterType("none")

_NAMED: dict[str, Kind] = {
    "None": "none",
    "NoneType": "none",
    "bool": "bool",
    "int": "int",
    "float": "float",
    "str": "str",
    "list": "list",
    "List": "list",
    "Sequence": "list",
    "Iterable": "list",
    "Collection": "list",
    "tuple": "tuple",
    "Tuple": "tuple",
    "set": "set",
    "Set": "set",
    "dict": "dict",
    "Dict": "dict",
    "Mapping": "dict",
    "Path": "path",
    "date": "date",
    "datetime": "datetime",
    "time": "time",
}
#: Kinds whose values are classes that a notebook builds from text.
BUILT: frozenset[Kind] = frozenset(("path", "date", "datetime", "time"))
_TRANSPARENT = ("Annotated", "Final", "ClassVar")


def from_annotation(node: ast.expr) -> ParameterType:
    """The type that an annotation names; `any` where it says nothing that can be checked."""
    if isinstance(node, ast.Constant):
        return _from_constant(node.value)
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _from_name(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return union_of(from_annotation(node.left), from_annotation(node.right))
    if isinstance(node, ast.Subscript):
        return _from_subscript(node)
    return ANY


def from_type_comment(text: str) -> ParameterType:
    """The type that a `# type: ...` comment names."""
    return _from_constant(text)


def union_of(*members: ParameterType) -> ParameterType:
    """One type for several, flat and without repetition."""
    flat: list[ParameterType] = []
    for member in members:
        for part in member.items if member.kind == "union" else (member,):
            if part not in flat:
                flat.append(part)
    if ANY in flat:
        return ANY
    return flat[0] if len(flat) == 1 else ParameterType("union", tuple(flat))


def as_text(declared: ParameterType) -> ParameterType:
    """The same type, with paths and dates kept as the text that was given."""
    inner = tuple(as_text(item) for item in declared.items)
    return ParameterType(declared.kind, inner, declared.choices, fixed=declared.fixed)


def type_name(declared: ParameterType) -> str:
    """How a type is called in messages."""
    if declared.kind == "literal":
        return "one of " + ", ".join(map(repr, declared.choices))
    if declared.kind == "union":
        return " | ".join(map(type_name, declared.items))
    name = {"none": "None", "path": "Path"}.get(declared.kind, declared.kind)
    if not declared.items:
        return name
    inside = ", ".join(map(type_name, declared.items))
    open_end = ", ..." if declared.kind == "tuple" and not declared.fixed else ""
    return f"{name}[{inside}{open_end}]"


def _from_constant(value: object) -> ParameterType:
    if value is None:
        return NONE
    if not isinstance(value, str):
        return ANY
    try:
        # A quoted annotation is never evaluated, so its names may not exist at run time.
        return as_text(from_annotation(ast.parse(value.strip(), mode="eval").body))
    except (SyntaxError, ValueError):
        return ANY


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _from_name(node: ast.expr) -> ParameterType:
    kind = _NAMED.get(_last_name(node), "any")
    return ParameterType(kind, constructor=ast.unparse(node) if kind in BUILT else "")


def _from_subscript(node: ast.Subscript) -> ParameterType:
    name = _last_name(node.value)
    inside = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Literal":
        return _from_literal(inside)
    if name == "Optional":
        return union_of(from_annotation(inside[0]), NONE)
    if name == "Union":
        return union_of(*map(from_annotation, inside))
    if name in _TRANSPARENT:
        return from_annotation(inside[0])
    return _from_container(_NAMED.get(name, "any"), inside)


def _from_container(kind: Kind, inside: list[ast.expr]) -> ParameterType:
    if kind in ("list", "set") and len(inside) == 1:
        return ParameterType(kind, (from_annotation(inside[0]),))
    if kind == "dict" and len(inside) == 2:
        return ParameterType(kind, tuple(map(from_annotation, inside)))
    if kind == "tuple":
        if len(inside) == 2 and isinstance(inside[1], ast.Constant) and inside[1].value is ...:
            return ParameterType(kind, (from_annotation(inside[0]),))
        return ParameterType(kind, tuple(map(from_annotation, inside)), fixed=True)
    return ANY


def _from_literal(inside: list[ast.expr]) -> ParameterType:
    try:
        return ParameterType("literal", choices=tuple(map(ast.literal_eval, inside)))
    except (ValueError, TypeError, SyntaxError):
        return ANY
