"""Does a notebook's dictionary follow nbformat? All that does not, in words where we have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from octavo.errors import InfrastructureError
from octavo.notebook.formats.ipynb.check import CELL_TYPES, cell_name, find_problems
from octavo.value import Value

_CELL = re.compile(r"cell (\d+)")
_QUOTED = re.compile(r"'(\w+)'")
_LONGEST = 300
_TYPES = ("cell_type", "output_type")
_ABOUT_KEYS = ("required", "additionalProperties")
_KEYS = {
    "code": {"cell_type", "execution_count", "id", "metadata", "outputs", "source"},
    "markdown": {"attachments", "cell_type", "id", "metadata", "source"},
    "raw": {"attachments", "cell_type", "id", "metadata", "source"},
}


class Flaw(Value):
    """One thing that is wrong. `kind` is one of the kinds of errors."""

    kind: str
    place: str
    message: str


def nbformat_package() -> Any:
    """The nbformat package, or the error that tells how to get it."""
    try:
        import nbformat
    except ImportError as error:
        raise InfrastructureError(
            "extra-missing",
            "this needs nbformat, which is not installed",
            hint="pip install 'octavo[notebooks]'",
        ) from error
    return nbformat


def schema_flaws(document: dict[str, Any]) -> tuple[Flaw, ...]:
    """All that is wrong with a version 4 dictionary.

    nbformat has the last word: what it refuses is told in its words where we have none.
    """
    ours = [*_in_our_words(document)]
    told: dict[str, list[str]] = {}
    for place, message in ours:
        told.setdefault(_subject(place), []).append(message)
    theirs = [
        (refusal.place, refusal.message)
        for refusal in _refusals(document)
        if not refusal.repeats(told.get(_subject(refusal.place), []))
    ]
    found = sorted(dict.fromkeys([*ours, *theirs]), key=lambda each: _index(each[0]))
    return tuple(Flaw("notebook-invalid", place, message) for place, message in found)


def _index(place: str) -> int:
    """For the order in which flaws are told: the head first."""
    found = _CELL.match(place)
    return int(found[1]) if found else -1


def _subject(place: str) -> str:
    """The cell or the part of the head that a place is about."""
    found = _CELL.match(place)
    return found[0] if found else place


def _in_our_words(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield from find_problems(document)
    cells = document.get("cells")
    for index, cell in enumerate(cells if isinstance(cells, list) else ()):
        if isinstance(cell, dict) and cell.get("cell_type") in CELL_TYPES:
            for message in _in_keys(cell, document.get("nbformat_minor", 0)):
                yield cell_name(index, cell), message


def _in_keys(cell: dict[str, Any], minor: Any) -> Iterator[str]:
    """Keys that running a notebook does not need, but nbformat does."""
    wanted = _KEYS[cell["cell_type"]] - {"attachments"}
    allowed = _KEYS[cell["cell_type"]]
    if not isinstance(minor, int) or minor < 5:
        wanted, allowed = wanted - {"id"}, allowed - {"id"}
    checked = {"cell_type", "metadata", "source"}
    for key in sorted(wanted - checked - cell.keys()):
        yield f"`{key}` is missing"
    for key in sorted(map(str, cell.keys() - allowed)):
        yield f"`{key}` is not part of a {cell['cell_type']} cell"


class _Refusal(Value):
    """What nbformat says of a place. `words` are in a message of ours if we say the same."""

    place: str
    message: str
    words: tuple[str, ...]

    def repeats(self, told: list[str]) -> bool:
        """Whether what has been told of the same cell says the same, or all of it is wrong."""
        if not self.words:
            return bool(told)
        return any(word in message for message in told for word in self.words)


def _refusals(document: dict[str, Any]) -> Iterator[_Refusal]:
    nbformat_package()
    from nbformat.validator import get_validator

    minor = document.get("nbformat_minor", 0)
    validator = get_validator(4, minor, name="jsonschema")
    for error in validator.iter_errors(document):
        for leaf in _leaves(error):
            path = [*leaf.absolute_path]
            message = str(leaf.message)
            named = _QUOTED.findall(message) if leaf.validator in _ABOUT_KEYS else []
            words = (*_words(path), *named)
            yield _Refusal(_place(document, path), message[:_LONGEST], words)


def _leaves(error: Any) -> Iterator[Any]:
    """The errors behind "none of these schemas": those of the schema that was meant."""
    branches: dict[Any, list[Any]] = {}
    for inner in error.context:
        branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    meant = [
        errors
        for errors in branches.values()
        if not any(each.relative_path and each.relative_path[-1] in _TYPES for each in errors)
    ]
    if len(meant) != 1:
        yield error
        return
    for inner in meant[0]:
        yield from _leaves(inner)


def _words(path: list[Any]) -> list[str]:
    """The innermost key of a path, and the number of an output."""
    inner = [part for part in path if isinstance(part, str)]
    if path[2:3] == ["outputs"] and len(path) > 3:
        return [f"output {path[3] + 1}"]
    return inner[-1:] if len(path) > 2 or path[:1] == ["metadata"] else []


def _place(document: dict[str, Any], path: list[Any]) -> str:
    if len(path) > 1 and path[0] == "cells":
        rest = "".join(f", {part}" for part in path[2:])
        return cell_name(path[1], document["cells"][path[1]]) + rest
    return str(path[0]) if path else ""
