"""GitHub's own description of its API: what requests and answers must look like.

It is the npm package `@octokit/openapi`, fetched once for all test runs; of its 13 MB only the
operations that are used are kept.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from jsonschema import Draft7Validator, FormatChecker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT7

from forges.github_packages import published

PACKAGE = "@octokit/openapi@23.0.2"
_REPOSITORY = "/repos/{owner}/{repo}"
#: What the server answers; a path of GitHub that is not here is none of ours.
USED: Mapping[str, tuple[str, ...]] = {
    "/meta": ("get",),
    "/user": ("get",),
    _REPOSITORY: ("get",),
    f"{_REPOSITORY}/pulls": ("get", "post"),
    f"{_REPOSITORY}/pulls/{{pull_number}}": ("get", "patch"),
    f"{_REPOSITORY}/pulls/{{pull_number}}/comments": ("get", "post"),
    f"{_REPOSITORY}/pulls/{{pull_number}}/reviews": ("get", "post"),
    f"{_REPOSITORY}/pulls/{{pull_number}}/merge": ("put",),
    f"{_REPOSITORY}/issues/{{issue_number}}/comments": ("get", "post"),
    f"{_REPOSITORY}/issues/comments/{{comment_id}}": ("patch",),
    f"{_REPOSITORY}/pulls/comments/{{comment_id}}": ("patch",),
    f"{_REPOSITORY}/commits": ("get",),
    f"{_REPOSITORY}/commits/{{ref}}/status": ("get",),
    f"{_REPOSITORY}/commits/{{ref}}/check-runs": ("get",),
    f"{_REPOSITORY}/statuses/{{sha}}": ("post",),
    f"{_REPOSITORY}/rules/branches/{{branch}}": ("get",),
    f"{_REPOSITORY}/branches/{{branch}}/protection": ("get",),
    f"{_REPOSITORY}/git/blobs": ("post",),
    f"{_REPOSITORY}/git/trees": ("post",),
    f"{_REPOSITORY}/git/commits": ("post",),
    f"{_REPOSITORY}/git/commits/{{commit_sha}}": ("get",),
    f"{_REPOSITORY}/git/refs": ("post",),
    f"{_REPOSITORY}/git/refs/{{ref}}": ("patch", "delete"),
    f"{_REPOSITORY}/git/ref/{{ref}}": ("get",),
}
#: Answers that every operation may give, listed for it or not.
_COMMON = {
    301: "moved_permanently",
    307: "moved_permanently",
    401: "requires_authentication",
    403: "forbidden",
    404: "not_found",
    409: "conflict",
    422: "validation_failed",
    429: "forbidden",
}
_NOTES = ("description", "example", "examples", "externalDocs", "x-github", "title", "summary")


class Mismatch(Exception):
    """A request or an answer that is not as GitHub describes it."""


class Operation:
    """One method of one path."""

    def __init__(self, description: Description, method: str, path: str) -> None:
        self.method, self.path = method, path
        self.words = description.document["paths"][path][method]
        self.pointer = f"/paths/{path.replace('~', '~0').replace('/', '~1')}/{method}"
        self.parameters = [description.followed(each) for each in self.words.get("parameters", ())]
        several = {each["name"] for each in self.parameters if each.get("x-multi-segment")}
        parts = [
            re.sub(
                r"\{(\w+)\}",
                lambda found: f"(?P<{found[1]}>{'.+' if found[1] in several else '[^/]+'})",
                part,
            )
            for part in path.split("/")
        ]
        self.pattern = re.compile("/".join(parts))

    def __repr__(self) -> str:
        return f"{self.method.upper()} {self.path}"


class Description:
    """What GitHub says of its API, and checks against it."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        resource = Resource.from_contents(document, default_specification=DRAFT7)
        self._registry: Any = Registry().with_resource("urn:github", resource)
        self._validators: dict[str, Draft7Validator] = {}
        self.operations = [
            Operation(self, method, path) for path, methods in USED.items() for method in methods
        ]

    def followed(self, value: dict[str, Any]) -> dict[str, Any]:
        """What a reference refers to."""
        while "$ref" in value:
            kind, name = value["$ref"].split("/")[-2:]
            value = self.document["components"][kind][name]
        return value

    def check_request(
        self, method: str, path: str, query: str, body: Any
    ) -> tuple[Operation, dict[str, str]]:
        """The operation that a request is for, and its parameters; Mismatch when it is none."""
        operation, words = self._operation(method, path)
        asked = dict(parse_qsl(query, keep_blank_values=True))
        places = (("path", words), ("query", asked))
        for place, given in places:
            known = {each["name"]: each for each in operation.parameters if each["in"] == place}
            for name in given.keys() - known.keys():
                raise Mismatch(f"{operation} has no parameter {name!r} in its {place}")
            for name, each in known.items():
                if name in given:
                    self._check_word(operation, each, given[name])
                elif each.get("required"):
                    raise Mismatch(f"{operation} needs {name!r} in its {place}")
        self._check_body(operation, body)
        return operation, {**words, **asked}

    def _operation(self, method: str, path: str) -> tuple[Operation, dict[str, str]]:
        for operation in self.operations:
            found = operation.pattern.fullmatch(path)
            if found and operation.method == method.lower():
                return operation, {name: unquote(word) for name, word in found.groupdict().items()}
        raise Mismatch(f"GitHub's description has no {method} {path}")

    def _check_word(self, operation: Operation, parameter: dict[str, Any], word: str) -> None:
        kind = self.followed(parameter["schema"]).get("type")
        value: Any = int(word) if kind == "integer" and re.fullmatch(r"-?\d+", word) else word
        if kind == "boolean":
            value = {"true": True, "false": False}.get(word, word)
        for error in Draft7Validator(parameter["schema"], registry=self._registry).iter_errors(
            value
        ):
            raise Mismatch(f"{operation}: {parameter['name']}={word!r}: {error.message}")

    def _check_body(self, operation: Operation, body: Any) -> None:
        wanted = operation.words.get("requestBody")
        if wanted is None:
            if body is not None:
                raise Mismatch(f"{operation} takes no body")
            return
        schema = wanted["content"]["application/json"]["schema"]
        for name in (body or {}).keys() - schema["properties"].keys():
            raise Mismatch(f"{operation} takes no {name!r}")
        pointer = f"{operation.pointer}/requestBody/content/application~1json/schema"
        self._check(pointer, body, f"the body of {operation}")

    def check_answer(self, operation: Operation, status: int, body: Any) -> None:
        """Mismatch when an answer is not one that GitHub would give."""
        listed = operation.words["responses"].get(str(status))
        if listed is None and status < 300:
            raise Mismatch(f"{operation} does not answer {status}")
        pointer = f"{operation.pointer}/responses/{status}"
        if listed is None:
            pointer = f"/components/responses/{_COMMON[status]}"
        elif "$ref" in listed:
            pointer = listed["$ref"].removeprefix("#")
        whole = listed if listed is not None else {"$ref": f"#{pointer}"}
        content = self.followed(whole).get("content")
        if content is None:
            if body is not None and status < 300:
                raise Mismatch(f"{operation} answers {status} without a body")
            return
        schema = f"{pointer}/content/application~1json/schema"
        self._check(schema, body, f"the answer {status} of {operation}")

    def _check(self, pointer: str, value: Any, what: str) -> None:
        validator = self._validators.get(pointer)
        if validator is None:
            schema = {"$ref": f"urn:github#{pointer}"}
            validator = Draft7Validator(schema, registry=self._registry, format_checker=_FORMATS)
            self._validators[pointer] = validator
        for error in validator.iter_errors(value):
            raise Mismatch(f"{what}, at {error.json_path}: {error.message[:600]}")

    def filled(self, name: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """An object of a named schema: the values, and the least for what else it must have."""
        schema = self.document["components"]["schemas"][name]
        least = json.loads(_least(self, name))
        for each in values.keys() - schema["properties"].keys():
            raise Mismatch(f"{name} has no {each!r}")
        return {**least, **values}

    def least(self, schema: dict[str, Any]) -> Any:
        """The least that a schema takes."""
        schema = self.followed(schema)
        kind = schema.get("type")
        if "enum" in schema:
            return schema["enum"][0]
        if isinstance(kind, list) and "null" in kind:
            return None
        for choice in ("oneOf", "anyOf"):
            if choice in schema:
                return self.least(schema[choice][-1])
        if "allOf" in schema:
            parts = [self.least(each) for each in schema["allOf"]]
            return {name: value for part in parts for name, value in part.items()}
        if kind == "object" or "properties" in schema:
            return {
                name: self.least(schema["properties"][name]) for name in schema.get("required", ())
            }
        if kind == "array":
            return [self.least(schema["items"])] * schema.get("minItems", 0)
        if kind == "string":
            return _WORDS.get(schema.get("format", ""), "0" * schema.get("minLength", 0))
        return {"integer": 0, "number": 0, "boolean": False}.get(str(kind))


_WORDS = {"uri": "https://example.org/", "date-time": "2026-01-01T00:00:00Z"}
_FORMATS = FormatChecker(formats=())


@_FORMATS.checks("date-time")
def _is_time(value: object) -> bool:
    form = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"
    return not isinstance(value, str) or bool(re.fullmatch(form, value))


@_FORMATS.checks("uri")
def _is_address(value: object) -> bool:
    return not isinstance(value, str) or bool(re.match(r"[a-z]+:", value))


@functools.cache
def _least(description: Description, name: str) -> str:
    return json.dumps(description.least(description.document["components"]["schemas"][name]))


@functools.cache
def description() -> Description:
    """GitHub's description; the test is skipped where it cannot be had."""
    used = Path(__file__).read_text()
    return Description(published(PACKAGE, "generated/api.github.com.json", _reduced, used))


def _reduced(document: dict[str, Any]) -> dict[str, Any]:
    """The operations that are used, and what they refer to, as JSON Schema has it."""
    paths = {
        path: {method: document["paths"][path][method] for method in methods}
        for path, methods in USED.items()
    }
    kept: dict[str, Any] = {"paths": _converted(paths), "components": {}}
    common = [f"#/components/responses/{name}" for name in _COMMON.values()]
    wanted = [*common, *_references(kept["paths"])]
    while wanted:
        kind, name = wanted.pop().split("/")[-2:]
        shelf = kept["components"].setdefault(kind, {})
        if name not in shelf:
            shelf[name] = _converted(document["components"][kind][name])
            wanted += _references(shelf[name])
    return kept


def _references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [each for part in value.values() for each in _references(part)]
    if isinstance(value, list):
        return [each for part in value for each in _references(part)]
    return []


def _converted(value: Any, names: bool = False) -> Any:
    """A schema of OpenAPI 3.0 in the words of JSON Schema; `names` when keys are those of data."""
    if isinstance(value, list):
        return [_converted(each) for each in value]
    if not isinstance(value, dict):
        return value
    made = {
        name: _converted(part, names=not names and name in ("properties", "schemas"))
        for name, part in value.items()
        if names or name not in _NOTES
    }
    if names or not made.pop("nullable", False):
        return made
    if "enum" in made:
        made["enum"] = [*made["enum"], None]
    if isinstance(made.get("type"), str):
        return {**made, "type": [made["type"], "null"]}
    return {"anyOf": [{"type": "null"}, made]}
