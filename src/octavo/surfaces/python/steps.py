"""The small steps of an agent's work on notebooks, each a function of its own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from octavo.app.context import Context, current
from octavo.authoring.editing.answer import EditResult
from octavo.authoring.steps import (
    NotebookCreateRequest,
    NotebookEditRequest,
)
from octavo.authoring.steps import notebook_create as create_operation
from octavo.authoring.steps import notebook_edit as edit_operation
from octavo.proposals.steps import (
    Committed,
    Executed,
    NotebookCommitRequest,
    NotebookExecuteRequest,
    NotebookPrRequest,
    Opened,
)
from octavo.proposals.steps import notebook_commit as commit_operation
from octavo.proposals.steps import notebook_execute as execute_operation
from octavo.proposals.steps import notebook_pr as pr_operation

Path = str | os.PathLike[str]
Result = TypeVar("Result")


def notebook_create(task_description: str) -> str:
    """Make a new `.py` notebook for a task; gives back its path.

    It stands where the project around the current folder has its notebooks, and runs as it is.
    """
    return called(create_operation, NotebookCreateRequest(task_description)).path


def notebook_edit(path: Path, cell_index: int | str, new_source: str) -> EditResult:
    """Replace the source of a cell; the rest of the file stays byte for byte.

    `cell_index` counts from 0, negative ones from the end; a name, tag or handle will do as well.
    """
    request = NotebookEditRequest(os.fspath(path), cell_index, new_source, literal=True)
    return called(edit_operation, request)


def notebook_execute(path: Path, parameters: Mapping[str, Any] | None = None) -> Executed:
    """Run a notebook; gives `output_path`, where the executed one is, and the `result`.

    A notebook that fails gives a result with the status `error`.
    """
    request = NotebookExecuteRequest(os.fspath(path), values=dict(parameters or {}))
    return called(execute_operation, request)


def notebook_commit(path: Path, message: str) -> Committed:
    """Commit a notebook and its `.ipynb`, brought into step, and push the branch.

    That is the one that is checked out; on the default branch it is `agent/<notebook>`, and the
    answer names it.
    """
    return called(commit_operation, NotebookCommitRequest(path=os.fspath(path), message=message))


def notebook_pr(branch: str, title: str, description: str = "") -> Opened:
    """Open a pull request for a branch; gives its `number` and `url`."""
    request = NotebookPrRequest(branch=branch, title=title, description=description)
    return called(pr_operation, request)


def called(operation: Callable[[Any, Context], Awaitable[Result]], request: Any) -> Result:
    """The result of an operation, also where an event loop is running already."""

    async def call() -> Result:
        context = current()
        try:
            return await operation(request, context)
        finally:
            await context.close()

    return _waited_for(call())


def _waited_for(work: Coroutine[Any, Any, Result]) -> Result:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
