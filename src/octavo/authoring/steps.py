"""The small steps that agents know by name: `notebook_create` and `notebook_edit`."""

from __future__ import annotations

from octavo.authoring.creating.operation import CreateContext, create
from octavo.authoring.creating.request import CreateRequest, CreateResult
from octavo.authoring.editing.answer import EditResult
from octavo.authoring.editing.operation import EditContext, edit
from octavo.authoring.editing.request import EditRequest
from octavo.authoring.editing.sources import STANDARD, clean, text_from
from octavo.notebook.addresses import Address
from octavo.notebook.edits import Edit
from octavo.requests import Request, argument


class NotebookCreateRequest(Request):
    """What a new notebook is for."""

    task_description: str = argument(
        "what the notebook is to do, in your words", metavar="TASK_DESCRIPTION"
    )


class NotebookEditRequest(Request):
    """Which cell of which notebook gets which source."""

    path: str = argument("the notebook (.py percent, .md or .ipynb)", metavar="PATH")
    cell_index: Address = argument(
        "the cell: its index (from 0, -1 is the last), name, tag or handle", metavar="CELL_INDEX"
    )
    new_source: str = argument("its new source, - for standard input", metavar="NEW_SOURCE")
    #: Whether a lone dash is a source too.
    literal: bool = False


async def notebook_create(request: NotebookCreateRequest, context: CreateContext) -> CreateResult:
    """A new percent notebook from the usual template."""
    return await create(CreateRequest(request.task_description, format="py"), context)


async def notebook_edit(request: NotebookEditRequest, context: EditContext) -> EditResult:
    """Replace the source of one cell."""
    source = request.new_source
    if source == STANDARD and not request.literal:
        source = text_from(STANDARD, context.cwd)
    replaced = Edit("replace", request.cell_index, clean(source))
    return await edit(EditRequest(request.path, given=(replaced,)), context)
