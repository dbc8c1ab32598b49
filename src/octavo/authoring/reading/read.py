"""The `read` operation: a notebook or a run for those who cannot afford to read all of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from octavo.authoring.editing.versions import Versions
from octavo.authoring.reading.commands import Commands
from octavo.authoring.reading.head import HeadBlock
from octavo.authoring.reading.material import Material, material_of, near
from octavo.authoring.reading.outline import OutlineView
from octavo.authoring.reading.reading import Reading
from octavo.authoring.reading.sections import sections_of
from octavo.authoring.reading.selecting import chosen, pattern
from octavo.authoring.reading.views import CellsView, SearchView, View
from octavo.authoring.reading.whole import WholeOutput, whole_output
from octavo.errors import UsageError
from octavo.records.handles import is_handle
from octavo.requests import Request, argument, option
from octavo.runs.context import RunContext

#: The budget where none is given, and the least that something can be told in.
USUAL_BUDGET, LEAST_BUDGET = 8000, 300


class ReadRequest(Request):
    """What to read, which part of it, and how much that may be."""

    what: str = argument(
        "a notebook file, a run (its id or a part of it, `last`, its folder), or the handle of "
        "an output (3feb815f:4:0)",
        metavar="WHAT",
    )
    which: tuple[str, ...] = argument(
        "cells: index, range (3-7, 3..), name, tag or handle; without any, the outline",
        metavar="CELLS",
        default=(),
    )
    cells: tuple[str, ...] = option(
        "-c", "--cells", help="likewise: --cells 3-7,load", default=(), metavar="CELLS"
    )
    section: tuple[str, ...] = option(
        "--section",
        help="the cells below a heading: its text, a part of it, or its number",
        default=(),
        metavar="HEADING",
    )
    search: str | None = option(
        "--search", help="the lines of source that hold a text, or match a /pattern/",
        metavar="TEXT",
    )  # fmt: skip
    outline: bool = option("--outline", help="the outline of what is chosen", default=False)
    outputs: bool = option("--outputs", help="outputs whole, not shortened", default=False)
    no_outputs: bool = option("--no-outputs", help="no outputs", default=False)
    offset: int = option(
        "--offset",
        help="of an output by its handle: from this character on",
        default=0,
        metavar="N",
    )
    budget: int = option(
        "-b",
        "--budget",
        help=f"at most so many tokens, by our estimate ({USUAL_BUDGET}); 0 is no limit",
        default=USUAL_BUDGET,
        metavar="TOKENS",
    )


class ReadContext(RunContext, Protocol):
    """What this operation needs besides: where contents are remembered for `edit --base`."""

    @property
    def project(self) -> Path: ...


async def read(request: ReadRequest, context: ReadContext) -> Reading | WholeOutput:
    """The outline of a notebook or a run, or the part that was asked for, within a budget."""
    _refuse_nonsense(request)
    if is_handle(request.what) and not os.path.exists(os.path.join(context.cwd, request.what)):
        return whole_output(request.what, request.offset, request.budget, context)
    material = material_of(request.what, context)
    view = _view(request, material)
    if material.text is not None:
        Versions(context.project).remember_reading(material.text, material.file)
    budget = request.budget or None
    head = HeadBlock(material, near(material.path, context.cwd), view.name, budget)
    given = [] if request.budget == USUAL_BUDGET else ["--budget", str(request.budget)]
    commands = Commands(material, head, _flags(request, view), given)
    return Reading(material, head, view, commands, budget)


def _view(request: ReadRequest, material: Material) -> View:
    sections = sections_of(material.cells)
    words = (*request.which, *request.cells)
    positions = chosen(material, sections, words, request.section)
    cells = [material.cells[at] for at in positions]
    if request.search is not None:
        return SearchView(cells, pattern(request.search))
    if request.outline or not (words or request.section or request.outputs):
        return OutlineView(material.cells, sections, positions)
    return CellsView(cells, outputs=not request.no_outputs, whole_outputs=request.outputs)


def _flags(request: ReadRequest, view: View) -> list[str]:
    """How the same view of other cells is asked for."""
    if view.name == "outline":
        return ["--outline"]
    if request.search is not None:
        return ["--search", request.search]
    return ["--outputs"] * request.outputs + ["--no-outputs"] * request.no_outputs


def _refuse_nonsense(request: ReadRequest) -> None:
    if request.outputs and request.no_outputs:
        hint = "leave out one of them; without both, outputs are shown in short"
        raise UsageError(
            "wrong-argument", "--outputs and --no-outputs exclude each other", hint=hint
        )
    if request.outline and request.search is not None:
        hint = "leave out one of them"
        raise UsageError("wrong-argument", "--outline and --search exclude each other", hint=hint)
    if request.offset < 0:
        message = f"--offset {request.offset}: characters are counted from 0"
        raise UsageError("wrong-argument", message, hint="--offset 0")
    if request.budget and request.budget < LEAST_BUDGET:
        message = f"--budget {request.budget}: at least {LEAST_BUDGET}"
        raise UsageError("wrong-argument", message, hint="0 is no limit")
