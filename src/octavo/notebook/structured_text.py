"""Lists and mappings from text: JSON without further imports, else YAML."""

from __future__ import annotations

import json
from functools import cache
from typing import Any


def parse_structure(text: str) -> Any:
    """The value of a JSON or YAML text, or of a Python tuple. Raises ValueError."""
    stripped = text.strip()
    if stripped.startswith(("[", "{")):
        try:
            return json.loads(stripped)
        except ValueError:
            return parse_yaml(stripped)
    if stripped.startswith("("):
        return _parse_tuple(stripped)
    return parse_yaml(stripped)


def parse_yaml(text: str | bytes) -> Any:
    """The value of a YAML text; dates stay text, as Papermill reads them. Raises ValueError."""
    import yaml

    try:
        return yaml.load(text, Loader=_loader())
    except yaml.YAMLError as error:
        raise ValueError(_yaml_reason(error)) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except (TypeError, AttributeError, LookupError):  # PyYAML on a tag that does not fit its text
        raise ValueError("a value does not fit its tag") from None


def parse_json(text: str) -> Any:
    """The value of a JSON text. Raises ValueError with line and column."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _parse_tuple(text: str) -> Any:
    import ast

    try:
        return ast.literal_eval(text)
    except (SyntaxError, TypeError, MemoryError, RecursionError):
        raise ValueError("not a tuple") from None


def _yaml_reason(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"line {mark.line + 1}, column {mark.column + 1}: {problem}" if mark else problem


@cache
def _loader() -> Any:
    import yaml

    class TextDates(yaml.SafeLoader):
        """YAML without its own idea of dates."""

    TextDates.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    TextDates.add_constructor("tag:yaml.org,2002:str", _paired)
    return TextDates


def _paired(loader: Any, node: Any) -> str:
    """Text in YAML. JSON writes what is beyond its escapes as a pair of them, which YAML leaves
    apart."""
    text = str(loader.construct_yaml_str(node))
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
