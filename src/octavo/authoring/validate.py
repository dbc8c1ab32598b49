"""Is a notebook sound? Everything that is wrong with it, each with its place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Protocol

from octavo.authoring.soundness import Flaw, schema_flaws
from octavo.errors import NotebookError, UsageError
from octavo.notebook import formats
from octavo.notebook.model import Notebook
from octavo.notebook.parameters import declared
from octavo.notebook.syntax import check
from octavo.requests import Request, argument
from octavo.sources import read_source, read_text
from octavo.value import Value

#: With these there is no notebook to look at.
_NOT_THERE = ("notebook-not-found", "notebook-unreadable", "format-unknown")


class ValidateContext(Protocol):
    """What this operation needs from the program around it."""

    cwd: str


class ValidateRequest(Request):
    """Which notebook to check."""

    path: str = argument("the notebook", metavar="NOTEBOOK")


class ValidateResult(Value):
    """What is wrong with a notebook; nothing when it is valid."""

    path: str
    format: str
    problems: tuple[Flaw, ...] = ()

    @property
    def valid(self) -> bool:
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        return {
            "valid": self.valid,
            "path": self.path,
            "format": self.format,
            "problems": [flaw.to_dict() for flaw in self.problems],
        }


async def validate(request: ValidateRequest, context: ValidateContext) -> ValidateResult:
    """Check that a notebook can be read, follows nbformat, and has only cells that parse.

    A path where there is no notebook is an error; a notebook that is not sound is a result.
    """
    path = os.path.join(context.cwd, request.path)
    try:
        flaws = (*_in_structure(path, request.path), *_in_content(path, request.path))
    except NotebookError as error:
        if error.kind in _NOT_THERE:
            raise
        flaws = (Flaw(error.kind, error.place.replace(path, request.path), error.message),)
    return ValidateResult(request.path, formats.suffix_of(path)[1:], flaws)


def _in_structure(path: str, shown: str) -> Iterator[Flaw]:
    """What nbformat says of an `.ipynb`; of a file that is not even JSON, reading it tells."""
    import json

    if formats.suffix_of(path) != ".ipynb":
        return
    try:
        document = json.loads(read_text(path).removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return
    if isinstance(document, dict) and document.get("nbformat") == 4:
        for flaw in schema_flaws(document):
            yield flaw.replace(place=f"{shown}, {flaw.place}" if flaw.place else shown)


def _in_content(path: str, shown: str) -> Iterator[Flaw]:
    try:
        notebook = read_source(path).notebook
    except NotebookError as error:
        # The structure has been told already, place by place.
        if error.kind == "notebook-invalid" and any(_in_structure(path, shown)):
            return
        raise
    for problem in check(notebook, shown):
        yield Flaw("notebook-syntax", problem.place, problem.message)
    yield from _in_parameters(notebook, shown)


def _in_parameters(notebook: Notebook, shown: str) -> Iterator[Flaw]:
    try:
        declared(notebook, shown)
    except UsageError as error:
        yield Flaw(error.kind, error.place or shown, error.message)
