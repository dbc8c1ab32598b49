"""The parameters of a notebook as JSON Schema (2020-12)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from octavo.notebook.literals import json_value
from octavo.notebook.parameter_types import Kind, ParameterType
from octavo.notebook.parameters import Parameter

DIALECT = "https://json-schema.org/draft/2020-12/schema"
#: Where a default that only the notebook can evaluate is shown, as source text.
DEFAULT_SOURCE = "x-default-source"

_SIMPLE: dict[Kind, dict[str, Any]] = {
    "any": {},
    "none": {"type": "null"},
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "number": {"type": "number"},
    "str": {"type": "string"},
    "path": {"type": "string", "format": "path"},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
    "time": {"type": "string", "format": "time"},
}
_KEY_PATTERNS: dict[Kind, str] = {"int": r"^-?\d+$", "bool": "^(true|false)$"}


def schema(parameters: Iterable[Parameter]) -> dict[str, Any]:
    """The JSON Schema of the object that gives a value for each parameter."""
    listed = tuple(parameters)
    required = [each.name for each in listed if each.required]
    return {
        "$schema": DIALECT,
        "type": "object",
        "properties": {each.name: _property(each) for each in listed},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def type_schema(declared: ParameterType) -> dict[str, Any]:
    """The JSON Schema of one declared type."""
    if declared.kind in _SIMPLE:
        return dict(_SIMPLE[declared.kind])
    if declared.kind == "literal":
        return {"enum": [json_value(choice) for choice in declared.choices]}
    if declared.kind == "union":
        return {"anyOf": [type_schema(item) for item in declared.items]}
    if declared.kind == "dict":
        return _mapping_schema(declared)
    return _array_schema(declared)


def _property(parameter: Parameter) -> dict[str, Any]:
    described = type_schema(parameter.type)
    if parameter.help:
        described["description"] = parameter.help
    if parameter.is_literal and _is_json(value := json_value(parameter.default)):
        described["default"] = value
    elif parameter.default_source is not None:
        described[DEFAULT_SOURCE] = parameter.default_source
    return described


def _mapping_schema(declared: ParameterType) -> dict[str, Any]:
    described: dict[str, Any] = {"type": "object"}
    if declared.items:
        key, item = declared.items
        if key.kind in _KEY_PATTERNS:
            described["propertyNames"] = {"pattern": _KEY_PATTERNS[key.kind]}
        described["additionalProperties"] = type_schema(item)
    return described


def _array_schema(declared: ParameterType) -> dict[str, Any]:
    described: dict[str, Any] = {"type": "array"}
    if declared.fixed:
        described["prefixItems"] = [type_schema(item) for item in declared.items]
        described["minItems"] = len(declared.items)
        described["items"] = False
    elif declared.items:
        described["items"] = type_schema(declared.items[0])
    if declared.kind == "set":
        described["uniqueItems"] = True
    return described


def _is_json(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_json, value.values()))
    return all(map(_is_json, value)) if isinstance(value, list) else True
