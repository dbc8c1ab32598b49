"""The values given for a run: collected from their sources, checked and made to fit."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping
from typing import Any

from octavo.errors import ParameterError
from octavo.notebook.coercion import Misfit, coerce
from octavo.notebook.literals import json_value
from octavo.notebook.parameter_types import ANY
from octavo.notebook.parameters import Parameter
from octavo.value import EMPTY, Value


class Given(dict[str, Any]):
    """Values by name, as Papermill would type them; `texts` are those typed on a command line."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}

    def put(self, name: str, value: Any, text: str | None = None) -> None:
        """Sets a value over an earlier one of that name."""
        self[name] = value
        self.texts.pop(name, None)
        if text is not None:
            self.texts[name] = text


class Bound(Value):
    """Values that fit their parameters, in the order in which they were given."""

    values: Mapping[str, Any] = EMPTY
    parameters: tuple[Parameter, ...] = ()

    @property
    def defaults(self) -> dict[str, Any]:
        """The default of every parameter that has one, as a record keeps it; source text where
        only the notebook can evaluate it.
        """
        return {
            each.name: json_value(each.default) if each.is_literal else each.default_source
            for each in self.parameters
            if not each.required
        }

    @property
    def effective(self) -> dict[str, Any]:
        """What is known of every parameter before the run: its value, else its literal default."""
        literal = {each.name: each.default for each in self.parameters if each.is_literal}
        return {**literal, **self.values}

    def to_json(self) -> dict[str, Any]:
        """The values as a record keeps them."""
        return {name: json_value(value) for name, value in self.values.items()}


def collect(
    parameters: Iterable[tuple[str, str]] = (),
    raw: Iterable[tuple[str, str]] = (),
    files: Iterable[tuple[str, str]] = (),
    yaml: Iterable[str] = (),
    base64: Iterable[str] = (),
) -> Given:
    """One mapping from every way to give values; what comes later wins, in Papermill's order:
    base64, files (name and text), YAML, typed values, raw strings.
    """
    given = Given()
    for encoded in base64:
        _put_all(given, _decoded(encoded))
    for name, text in files:
        _put_all(given, _mapping_in_file(name, text))
    for text in yaml:
        _put_all(given, _mapping_in_argument("-y", text))
    for name, text in parameters:
        given.put(name, typed(text), text)
    for name, text in raw:
        given.put(name, text)
    return given


def typed(text: str) -> Any:
    """A value typed on a command line, as Papermill's `-p` understands it."""
    words = {"True": True, "False": False, "None": None}
    if text in words:
        return words[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def bind(
    parameters: Iterable[Parameter],
    given: Mapping[str, Any],
    *,
    allow_unknown: bool = False,
    extra: Iterable[str] = (),
) -> Bound:
    """The given values, checked and made to fit what the notebook declares.

    The names in `extra` need not be declared.

    Raises one ParameterError that names every problem.
    """
    by_name = {each.name: each for each in parameters}
    texts = given.texts if isinstance(given, Given) else {}
    values: dict[str, Any] = {}
    problems: list[_Problem] = []
    for name, value in given.items():
        parameter = by_name.get(name)
        allowed = allow_unknown or name in extra
        if parameter is None and not (allowed and _is_name(name)):
            problems.append(_unknown(name, by_name))
            continue
        try:
            declared = parameter.type if parameter else ANY
            values[name] = coerce(declared, value, texts.get(name))
        except Misfit as misfit:
            problems.append(_misfit(name, parameter, misfit))
    problems += [
        _missing(each) for each in by_name.values() if each.required and each.name not in given
    ]
    _refuse(problems)
    return Bound(values, tuple(by_name.values()))


class _Problem(Value):
    kind: str
    name: str
    message: str
    hint: str = ""
    closest: str | None = None


def _refuse(problems: list[_Problem]) -> None:
    if not problems:
        return
    raise ParameterError(
        problems[0].kind,
        "\n".join(problem.message for problem in problems),
        place=", ".join(problem.name for problem in problems),
        hint="; ".join(dict.fromkeys(problem.hint for problem in problems if problem.hint)),
        details={
            "problems": [
                {
                    "kind": problem.kind,
                    "name": problem.name,
                    "message": problem.message,
                    "closest": problem.closest,
                }
                for problem in problems
            ]
        },
    )


def _is_name(name: object) -> bool:
    return isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)


def _unknown(name: Any, declared: Mapping[str, Parameter]) -> _Problem:
    kind = "parameter-unknown"
    if not _is_name(name):
        return _Problem(kind, str(name), f"`{name}` is not a Python name", "rename it")
    from difflib import get_close_matches

    anyway = "`--allow-unknown` injects it anyway"
    if not declared:
        message = f"the notebook declares no parameters, so `{name}` is not one of them"
        return _Problem(kind, name, message, f"tag the cell that sets it `parameters`; {anyway}")
    lowered = {other.lower(): other for other in declared}
    close = get_close_matches(name.lower(), list(lowered), n=1)
    message = f"the notebook declares no parameter `{name}`"
    if close:
        closest = lowered[close[0]]
        return _Problem(kind, name, f"{message}; the closest is `{closest}`", anyway, closest)
    return _Problem(kind, name, f"{message}, only {', '.join(declared)}", anyway)


def _misfit(name: str, parameter: Parameter | None, misfit: Misfit) -> _Problem:
    message = f"the value of `{name}` {misfit}"
    hint = ""
    if parameter and parameter.annotation:
        hint = f"`{name}` is declared as {parameter.annotation}"
    elif parameter and parameter.default_source is not None:
        hint = f"the default of `{name}` is {parameter.default_source}; annotate it to allow more"
    return _Problem("parameter-type", name, message, hint)


def _missing(parameter: Parameter) -> _Problem:
    spelled = parameter.annotation or "any type"
    return _Problem(
        "parameter-missing",
        parameter.name,
        f"`{parameter.name}` ({spelled}) has no default and was given no value",
        f"-p {parameter.name} VALUE",
    )


def _put_all(given: Given, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        given.put(name, value)


def _mapping_in_file(name: str, text: str) -> Mapping[str, Any]:
    from octavo.notebook.structured_text import parse_json, parse_yaml

    text = text.removeprefix("\ufeff")
    language = "JSON" if name.lower().endswith(".json") else "YAML"
    try:
        value = (parse_json if language == "JSON" else parse_yaml)(text) if text.strip() else None
    except ValueError as error:
        raise _bad_file(name, f"is not {language}: {error}") from None
    return _checked_mapping(value, name)


def _mapping_in_argument(option: str, text: str | bytes) -> Mapping[str, Any]:
    from octavo.notebook.structured_text import parse_yaml

    try:
        value = parse_yaml(text)
    except ValueError as error:
        raise _bad_file(option, f"is not YAML: {error}") from None
    return _checked_mapping(value, option)


def _decoded(encoded: str) -> Mapping[str, Any]:
    from base64 import b64decode

    try:
        text = b64decode("".join(encoded.split()), validate=True)
    except ValueError as error:
        hint = "encode YAML, for example with `base64 -w0 values.yaml`"
        raise _bad_file("-b", f"is not base64: {error}", hint) from None
    return _mapping_in_argument("-b", text)


def _checked_mapping(value: Any, name: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _bad_file(
            name, f"does not map names to values: it holds a value of type {type(value).__name__}"
        )
    for key in value:
        if not isinstance(key, str):
            raise _bad_file(name, f"has the key {key!r}, which is not a name")
    return value


def _bad_file(
    name: str, reason: str, hint: str = "write one `name: value` per line"
) -> ParameterError:
    return ParameterError("parameter-file", f"{name} {reason}", place=name, hint=hint)
