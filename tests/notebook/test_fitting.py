"""A value is of a declared type, or the message says which part of it is not."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from octavo.notebook.fitting import unfit
from octavo.notebook.parameter_schema import type_schema
from octavo.notebook.parameter_types import ParameterType, as_text, from_annotation

simple = st.sampled_from(
    [
        "int",
        "float",
        "bool",
        "str",
        "None",
        "object",
        "Literal[1, 'a', None, False]",
        "list",
        "dict",
    ]
)
annotations = st.recursive(
    simple,
    lambda inner: st.one_of(
        inner.map("list[{}]".format),
        inner.map("dict[str, {}]".format),
        inner.map("dict[int, {}]".format),
        inner.map("tuple[{}, ...]".format),
        st.tuples(inner, inner).map(lambda pair: "tuple[{}, {}]".format(*pair)),
        st.tuples(inner, inner).map(lambda pair: "Union[{}, {}]".format(*pair)),
    ),
    max_leaves=4,
)
scalars = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0, -2.0, "a", "", "1"])
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "1", "-2"]), inner, max_size=2)
    ),
    max_leaves=6,
)


def declared(annotation: str) -> ParameterType:
    return as_text(from_annotation(ast.parse(annotation, mode="eval").body))


@given(annotations, values)
def test_the_verdict_is_that_of_the_json_schema(annotation: str, value: Any) -> None:
    kind = declared(annotation)
    valid = Draft202012Validator(type_schema(kind)).is_valid(value)
    assert (unfit(kind, value) is None) == valid


@pytest.mark.parametrize(
    ("annotation", "value", "message"),
    [
        ("int", True, "True is not an integer"),
        ("int", 1.5, "1.5 is not an integer"),
        ("int", "3", "'3' is not an integer"),
        ("float", None, "None is not a number"),
        ("bool", 1, "1 is not true or false"),
        ("str", 3, "3 is not text"),
        ("list[int]", [1, "a"], "[1]: 'a' is not an integer"),
        ("list[int] | None", [1, "a"], "[1]: 'a' is not an integer"),
        ("dict[str, list[float]]", {"a": [1, "b"]}, "['a'][1]: 'b' is not a number"),
        ("dict[int, str]", {"x": "y"}, "'x' is not a key of the type int"),
        ("tuple[int, str]", [1], "[1] is not a list of 2"),
        ("int | str", 1.5, "1.5 is not int | str"),
        ("Literal['a', 'b']", "c", "'c' is not one of 'a', 'b'"),
        ("date", "tomorrow", "'tomorrow' is not a date such as 2026-01-31"),
        ("datetime", 3, "3 is not a date and time such as 2026-01-31T12:00"),
    ],
)
def test_what_does_not_fit_is_told(annotation: str, value: Any, message: str) -> None:
    assert str(unfit(declared(annotation), value)) == message


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        ("float", 3),
        ("int", 3.0),
        ("float", float("nan")),
        ("float", "nan"),
        ("float", "-inf"),
        ("date", "2026-01-31"),
        ("datetime", "2026-01-31T12:00"),
        ("time", "12:00"),
        ("Path", "out/1"),
        ("numpy.ndarray", [1]),
    ],
)
def test_what_fits(annotation: str, value: Any) -> None:
    assert unfit(declared(annotation), value) is None
