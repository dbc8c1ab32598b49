"""What the default of a parameter tells without being run: its value, and the type it suggests."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from octavo.notebook.parameter_types import ANY, BUILT, ParameterType, from_annotation

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
#: Larger factors and powers are left to the notebook, so that reading one stays cheap.
_LARGEST = 1 << 64
_CLASS_METHODS = frozenset(
    ("today", "now", "utcnow", "fromisoformat", "fromtimestamp", "strptime", "cwd", "home")
)
_SHAPES: dict[type[ast.expr], ParameterType] = {
    ast.JoinedStr: ParameterType("str"),
    ast.List: ParameterType("list"),
    ast.ListComp: ParameterType("list"),
    ast.Tuple: ParameterType("tuple"),
    ast.Set: ParameterType("set"),
    ast.SetComp: ParameterType("set"),
    ast.Dict: ParameterType("dict"),
    ast.DictComp: ParameterType("dict"),
}
_CONVERTERS = ("bool", "float", "str", "list", "tuple", "set", "dict")


def literal_default(node: ast.expr) -> Any:
    """The value of a default that is a literal, arithmetic on numbers or `float("inf")`.

    Raises ValueError for everything that only the notebook itself can evaluate.
    """
    if isinstance(node, ast.BinOp):
        return _arithmetic(node)
    if isinstance(node, ast.Call):
        return _float_call(node)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise ValueError("not a literal") from None


def type_of_value(value: Any) -> ParameterType:
    """The type that a literal default suggests; an integer stands for any number."""
    if isinstance(value, bool):
        return ParameterType("bool")
    if isinstance(value, int):
        return ParameterType("number")
    for known in (float, str, list, tuple, set, dict):
        if isinstance(value, known):
            return ParameterType(known.__name__)  # type: ignore[arg-type]
    return ANY


def type_of_expression(node: ast.expr) -> ParameterType:
    """The type that a default which must be run suggests: `Path("data")`, `date.today()`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        left = type_of_expression(node.left)
        return left if left.kind == "path" else ANY
    if isinstance(node, ast.Call):
        return _type_of_call(node.func)
    return _SHAPES.get(type(node), ANY)


def has_text(value: Any) -> bool:
    """Whether a default is text or holds some: then the notebook wants text, not paths or dates."""
    if isinstance(value, dict):
        return any(map(has_text, value.values()))
    if isinstance(value, (list, tuple, set)):
        return any(map(has_text, value))
    return isinstance(value, str)


def _type_of_call(function: ast.expr) -> ParameterType:
    if isinstance(function, ast.Attribute) and function.attr in _CLASS_METHODS:
        function = function.value
    if isinstance(function, ast.Name) and function.id == "int":
        return ParameterType("number")
    if not isinstance(function, (ast.Name, ast.Attribute)):
        return ANY
    named = from_annotation(function)
    is_converter = isinstance(function, ast.Name) and function.id in _CONVERTERS
    return named if is_converter or named.kind in BUILT else ANY


def _arithmetic(node: ast.BinOp) -> Any:
    left, right = literal_default(node.left), literal_default(node.right)
    apply = _ARITHMETIC.get(type(node.op))
    if apply is None or not (_is_small(left) and _is_small(right)):
        raise ValueError("not plain arithmetic")
    if apply is operator.pow and abs(right) > 64:
        raise ValueError("too large")
    try:
        result = apply(left, right)
    except ArithmeticError:
        raise ValueError("no value") from None
    if isinstance(result, complex):
        raise ValueError("not a plain number")
    return result


def _is_small(value: Any) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and abs(value) <= _LARGEST


def _float_call(node: ast.Call) -> float:
    is_float = isinstance(node.func, ast.Name) and node.func.id == "float"
    if is_float and len(node.args) == 1 and not node.keywords:
        argument = literal_default(node.args[0])
        if isinstance(argument, (str, float)):
            return float(argument)
    raise ValueError("not a literal")
