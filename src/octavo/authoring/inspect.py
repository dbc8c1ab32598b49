"""Tells what a notebook is, what it takes and what it hands out, without running it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from octavo.errors import NotebookError
from octavo.notebook.front_matter import front_matter
from octavo.notebook.handouts import Handout, declared_handouts, handouts_schema
from octavo.notebook.model import Notebook
from octavo.notebook.parameter_schema import schema
from octavo.notebook.parameter_types import type_name
from octavo.notebook.parameters import Parameter, declared, inferred, parameters_cell
from octavo.notebook.syntax import Problem, check
from octavo.requests import Request, argument
from octavo.sources import read_source


class InspectContext(Protocol):
    """What this operation needs from the program around it."""

    cwd: str


class InspectRequest(Request):
    """Which notebook to look at."""

    path: str = argument("the notebook (.py percent, .md or .ipynb)", metavar="NOTEBOOK")


@dataclass(frozen=True, slots=True)
class InspectResult:
    """A notebook's facts. `parameters_cell` is the index of the cell that declares its inputs;
    `problems` are the cells that cannot run; `handouts` are the scraps that it declares.
    """

    path: str
    title: str
    language: str
    sha256: str
    cells: Mapping[str, int]
    parameters: tuple[Parameter, ...]
    parameters_cell: int | None
    problems: tuple[Problem, ...] = ()
    handouts: tuple[Handout, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the values that a run of the notebook takes."""
        return schema(self.parameters)

    def to_json(self) -> dict[str, Any]:
        """The JSON Schema of the parameters, with the facts under `x-notebook`."""
        described = self.schema
        dialect = described.pop("$schema")
        return {
            "$schema": dialect,
            **({"title": self.title} if self.title else {}),
            **described,
            "x-notebook": self._facts(),
        }

    def table(self) -> list[tuple[str, str, str, str]]:
        """Name, type, default and help of each parameter, for people."""
        return [_row(parameter) for parameter in self.parameters]

    @property
    def scraps_schema(self) -> dict[str, Any] | None:
        """The JSON Schema of the scraps that a run hands out; None where none are declared."""
        return handouts_schema(self.handouts) if self.handouts else None

    def handout_table(self) -> list[tuple[str, str, str, str]]:
        """Name, type, bounds with unit, and help of each declared scrap, for people."""
        return [(each.name, each.kind, each.bounds, each.help) for each in self.handouts]

    def _facts(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "language": self.language,
            "sha256": self.sha256,
            "cells": dict(self.cells),
            "parameters_cell": self.parameters_cell,
            "parameters": inferred(self.parameters),
            "scraps": self.scraps_schema,
            "problems": [
                {"place": problem.place, "message": problem.message} for problem in self.problems
            ],
        }


async def inspect(request: InspectRequest, context: InspectContext) -> InspectResult:
    """What the notebook at a path declares and contains."""
    source = read_source(os.path.join(context.cwd, request.path))
    notebook = source.notebook
    counts = Counter(cell.kind for cell in notebook.cells)
    return InspectResult(
        path=request.path,
        title=_title(notebook),
        language=notebook.language,
        sha256=source.sha256,
        cells={kind: counts.get(kind, 0) for kind in ("code", "markdown", "raw")},
        parameters=declared(notebook, request.path),
        parameters_cell=parameters_cell(notebook, request.path),
        problems=tuple(check(notebook, request.path)),
        handouts=declared_handouts(notebook, request.path),
    )


def _title(notebook: Notebook) -> str:
    given = notebook.metadata.get("title")
    with suppress(NotebookError):
        given = front_matter(notebook).get("title", given)
    if isinstance(given, str) and given.strip():
        return given.strip()
    markdown = (cell.source for cell in notebook.cells if cell.kind == "markdown")
    return next((heading for text in markdown for heading in _headings(text)), "")


def _headings(markdown: str) -> Iterator[str]:
    fenced = False
    for line in markdown.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and line.startswith("#") and line.lstrip("#").startswith(" "):
            yield line.strip("#").strip()


def _row(parameter: Parameter) -> tuple[str, str, str, str]:
    kind = parameter.annotation or type_name(parameter.type)
    default = "required" if parameter.required else str(parameter.default_source)
    return parameter.name, kind, default, parameter.help
