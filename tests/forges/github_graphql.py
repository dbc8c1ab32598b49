"""GraphQL as far as the forge speaks it, held to the schema that GitHub publishes.

The schema is the npm package `@octokit/graphql-schema`. Every field and argument of a query must
be in it; an answer has the fields that were asked for and no others.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from forges.github_description import Mismatch
from forges.github_packages import published

PACKAGE = "@octokit/graphql-schema@15.26.1"
_TOKENS = re.compile(r'\$?[_A-Za-z]\w*|"[^"]*"|-?\d+|[{}():!\[\]]')


@dataclass
class Field:
    """A field that is asked for."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    fields: list[Field] = field(default_factory=list)


class Query:
    """A query or mutation, read from its text with its variables put in."""

    def __init__(self, text: str, variables: Mapping[str, Any]) -> None:
        self._tokens = _TOKENS.findall(text)
        self._variables = variables
        self.declared: dict[str, str] = {}
        self.kind = self._next() if self._tokens[0] != "{" else "query"
        if self._tokens[0] == "(":
            self._declarations()
        self.fields = self._selection()
        if variables.keys() - self.declared.keys():
            raise Mismatch(f"variables that the query does not declare: {sorted(variables)}")

    def _next(self, wanted: str = "") -> str:
        token = str(self._tokens.pop(0))
        if wanted and token != wanted:
            raise Mismatch(f"{wanted} is expected in the query and not {token}")
        return token

    def _declarations(self) -> None:
        self._next("(")
        while self._tokens[0] != ")":
            name = self._next()[1:]
            self._next(":")
            self.declared[name] = self._next()
            if self._tokens[0] == "!":
                self._next()
                if self._variables.get(name) is None:
                    raise Mismatch(f"the query needs the variable {name}")
        self._next(")")

    def _selection(self) -> list[Field]:
        self._next("{")
        found = []
        while self._tokens[0] != "}":
            made = Field(self._next())
            if self._tokens[0] == "(":
                made.arguments = self._arguments("(", ")")
            if self._tokens[0] == "{":
                made.fields = self._selection()
            found.append(made)
        self._next("}")
        return found

    def _arguments(self, begin: str, end: str) -> dict[str, Any]:
        self._next(begin)
        found: dict[str, Any] = {}
        while self._tokens[0] != end:
            name = self._next()
            self._next(":")
            found[name] = self._value()
        self._next(end)
        return found

    def _value(self) -> Any:
        if self._tokens[0] == "{":
            return self._arguments("{", "}")
        token = self._next()
        if token[0] == "$":
            if token[1:] not in self.declared:
                raise Mismatch(f"the query does not declare {token}")
            return self._variables.get(token[1:])
        return int(token) if re.fullmatch(r"-?\d+", token) else token.strip('"')


def read_query(text: str, variables: Mapping[str, Any]) -> Query:
    """A query that is as GitHub's schema has it; Mismatch when it is not."""
    query = Query(text, variables)
    types = _types()
    _check(query.fields, {"query": "Query", "mutation": "Mutation"}[query.kind], types)
    return query


def _check(fields: list[Field], name: str, types: Mapping[str, Any]) -> None:
    for each in fields:
        known = types.get(name, {}).get(each.name)
        if known is None:
            raise Mismatch(f"GitHub's {name} has no field {each.name!r}")
        for argument, value in each.arguments.items():
            if argument not in known["arguments"]:
                raise Mismatch(f"{name}.{each.name} takes no {argument!r}")
            if isinstance(value, dict):
                _check([Field(part) for part in value], known["arguments"][argument], types)
        if bool(each.fields) != (known["type"] in types):
            raise Mismatch(f"{name}.{each.name} is {known['type']}")
        _check(each.fields, known["type"], types)


def selected(fields: list[Field], data: Any) -> Any:
    """Of what is known, what was asked for."""
    if data is None or not fields:
        return data
    if isinstance(data, list):
        return [selected(fields, each) for each in data]
    return {each.name: selected(each.fields, data[each.name]) for each in fields}


@functools.cache
def _types() -> Any:
    return published(PACKAGE, "schema.json", _reduced, _reduced.__doc__ or "")


def _reduced(schema: Any) -> Any:
    """Types by name, with their fields: the type of each, and of its arguments. Version 1."""
    return {
        each["name"]: {
            part["name"]: {
                "type": _bare(part["type"]),
                "arguments": {one["name"]: _bare(one["type"]) for one in part.get("args") or ()},
            }
            for part in each["fields"] or each["inputFields"]
        }
        for each in schema["__schema"]["types"]
        if each["fields"] or each["inputFields"]
    }


def _bare(kind: Any) -> str:
    while kind["ofType"]:
        kind = kind["ofType"]
    return str(kind["name"])
