"""`octavo graph`: which cell of a notebook depends on which."""

from __future__ import annotations

import os
from typing import Any, Protocol

from octavo.errors import UsageError
from octavo.gate.preflight.secrets import hidden
from octavo.notebook.addresses import find_cell
from octavo.notebook.identity import handle
from octavo.notebook.model import Cell
from octavo.notebook.names import Edge, Names, analyse
from octavo.requests import Request, argument, option
from octavo.sources import read_source
from octavo.value import Value

_LONGEST = 72


class GraphContext(Protocol):
    """What this operation needs from the program around it."""

    cwd: str


class GraphRequest(Request):
    """Which notebook, and which of its cells."""

    path: str = argument("the notebook", metavar="NOTEBOOK")
    downstream: str | None = option(
        "--downstream", help="only what an edit of this cell would touch", metavar="CELL"
    )
    upstream: str | None = option(
        "--upstream", help="only what this cell depends on", metavar="CELL"
    )
    mermaid: bool = option("--mermaid", help="as a Mermaid diagram", default=False)
    dot: bool = option("--dot", help="as a graph for Graphviz", default=False)


class GraphCell(Value):
    """A code cell in the graph. `name` is how its author calls it, `text` its first line."""

    index: int
    handle: str
    line: int
    name: str | None
    text: str
    defined: tuple[str, ...]
    used: tuple[str, ...]
    changed: tuple[str, ...]
    unknown: str

    def to_json(self) -> dict[str, Any]:
        plain = self.to_dict()
        plain["unknown"] = self.unknown or None
        return plain


class GraphResult(Value):
    """Code cells and what they take from each other.

    With `of`, the cell that was asked for, `cells` are only those that an edit of it would touch,
    or that it depends on (`direction`).
    """

    path: str
    cells: tuple[GraphCell, ...]
    edges: tuple[Edge, ...]
    of: int | None = None
    direction: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "of": self.of,
            "direction": self.direction or None,
            "cells": [cell.to_json() for cell in self.cells],
            "edges": [
                {
                    "from": edge.source,
                    "to": edge.target,
                    "names": list(edge.names),
                    "sure": edge.sure,
                }
                for edge in self.edges
            ],
        }


async def graph(request: GraphRequest, context: GraphContext) -> GraphResult:
    """Which cell defines what others use, and what an edit of a cell would touch."""
    _refuse_both(request)
    source = read_source(os.path.join(context.cwd, request.path))
    cells = source.notebook.cells
    if not source.notebook.is_python:
        message = f"its cells are {source.notebook.language}; only Python is looked into"
        hint = "octavo read shows the cells of any notebook"
        raise UsageError("wrong-argument", message, place=request.path, hint=hint)
    names = analyse(source.notebook)
    address = request.downstream if request.downstream is not None else request.upstream
    if address is None:
        return _result(request.path, cells, names, {cell.index for cell in names.cells})
    of = find_cell(cells, address, request.path)
    down = request.downstream is not None
    chosen = names.downstream(of) if down else names.upstream(of)
    result = _result(request.path, cells, names, {of, *chosen})
    return result.replace(of=of, direction="downstream" if down else "upstream")


def _refuse_both(request: GraphRequest) -> None:
    pairs = (
        (
            request.downstream is not None and request.upstream is not None,
            "--downstream, --upstream",
        ),
        (request.mermaid and request.dot, "--mermaid, --dot"),
    )
    for both, flags in pairs:
        if both:
            message = f"{flags}: only one of them at a time"
            raise UsageError("wrong-argument", message, hint="leave one of them out")


def _result(path: str, cells: tuple[Cell, ...], names: Names, chosen: set[int]) -> GraphResult:
    shown = tuple(
        GraphCell(
            each.index,
            handle(cells[each.index]),
            cells[each.index].line,
            cells[each.index].name,
            _first_line(cells[each.index].source),
            each.defined,
            each.used,
            each.changed,
            each.unknown,
        )
        for each in names.cells
        if each.index in chosen
    )
    edges = tuple(edge for edge in names.edges if {edge.source, edge.target} <= chosen)
    return GraphResult(path, shown, edges)


def _first_line(source: str) -> str:
    """The first line that says something: comments only where there is nothing else."""
    lines = [line.strip() for line in source.split("\n") if line.strip()]
    line = next((line for line in lines if not line.startswith("#")), lines[0] if lines else "")
    line = hidden(line)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
