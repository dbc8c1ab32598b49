"""The parameters of a notebook as JSON Schema."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from octavo.errors import ParameterError
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.parameter_schema import schema
from octavo.notebook.parameters import Parameter, declared
from octavo.notebook.values import bind


def parameters(source: str) -> tuple[Parameter, ...]:
    return declared(Notebook((Cell("code", source, {"tags": ["parameters"]}),)))


def test_the_schema_of_a_notebook() -> None:
    source = """
threshold: float = 0.5  # alert above this
mode: Literal["fast", "exact"] = "fast"
limit: int | None = None
hosts: list[str] = ["a"]
needed: int
day = date.today()
high = float("inf")
"""
    assert schema(parameters(source)) == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "threshold": {"type": "number", "description": "alert above this", "default": 0.5},
            "mode": {"enum": ["fast", "exact"], "default": "fast"},
            "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            "hosts": {"type": "array", "items": {"type": "string"}, "default": ["a"]},
            "needed": {"type": "integer"},
            "day": {"type": "string", "format": "date", "x-default-source": "date.today()"},
            "high": {"type": "number", "x-default-source": 'float("inf")'},
        },
        "required": ["needed"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("source", "described"),
    [
        ("x = 1", {"type": "number", "default": 1}),
        ("x = None", {"default": None}),
        ("x: bool = True", {"type": "boolean", "default": True}),
        ("x: Path = 'a'", {"type": "string", "format": "path", "default": "a"}),
        ("x: datetime", {"type": "string", "format": "date-time"}),
        ("x: dict = {}", {"type": "object", "default": {}}),
        (
            "x: dict[int, float] = {}",
            {
                "type": "object",
                "propertyNames": {"pattern": r"^-?\d+$"},
                "additionalProperties": {"type": "number"},
                "default": {},
            },
        ),
        (
            "x: tuple[int, str] = (1, 'a')",
            {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "minItems": 2,
                "items": False,
                "default": [1, "a"],
            },
        ),
        ("x: tuple[int, ...]", {"type": "array", "items": {"type": "integer"}}),
        (
            "x: set[str] = set()",
            {
                "type": "array",
                "items": {"type": "string"},
                "uniqueItems": True,
                "x-default-source": "set()",
            },
        ),
        ("x = {1, 2}", {"type": "array", "uniqueItems": True, "default": [1, 2]}),
        ("x = [float('nan')]", {"type": "array", "x-default-source": "[float('nan')]"}),
    ],
)
def test_each_type_has_its_schema(source: str, described: dict[str, Any]) -> None:
    assert schema(parameters(source))["properties"] == {"x": described}


ANNOTATIONS = st.sampled_from(
    [
        "int",
        "float",
        "bool",
        "str",
        "int | None",
        "list[int]",
        "dict[str, float]",
        "dict[int, str]",
        "tuple[int, str]",
        "tuple[float, ...]",
        "set[int]",
        "Literal['a', 1, None]",
        "int | str",
        "Any",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "1", "-2", "b"]), inner, max_size=2)
    ),
    max_leaves=5,
)


@given(annotation=ANNOTATIONS, value=JSON)
def test_what_the_schema_allows_is_accepted(annotation: str, value: Any) -> None:
    found = parameters(f"x: {annotation}")
    made = schema(found)
    json.dumps(made, allow_nan=False)
    Draft202012Validator.check_schema(made)
    if not Draft202012Validator(made).is_valid({"x": value}):
        return
    try:
        bind(found, {"x": value})
    except ParameterError as error:
        raise AssertionError(error.message) from error


def test_values_that_were_made_to_fit_are_valid() -> None:
    found = parameters("n: int = 1\nflag: bool = True\nwhen: date = None\nxs: list[float] = []")
    fitted = bind(found, {"n": "3", "flag": "no", "when": "2026-01-31", "xs": "[1, 2]"}).to_json()
    assert Draft202012Validator(schema(found)).is_valid(fitted)
