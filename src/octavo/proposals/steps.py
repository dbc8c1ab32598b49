"""The small steps of a proposal, one by one: run, commit, open a pull request."""

from __future__ import annotations

import os
from typing import Any

from octavo.forges.request import ForgeRequest
from octavo.proposals.body import described_body
from octavo.proposals.branches import advance, commit_for, target_for
from octavo.proposals.change import change_of
from octavo.proposals.context import ProposalContext
from octavo.proposals.naming import refuse_bad_branch
from octavo.proposals.site import site_for
from octavo.records.result import RunResult
from octavo.requests import Request, argument, option, seconds
from octavo.runs.operation import RunReport, run
from octavo.runs.request import Pairs, RunRequest
from octavo.value import EMPTY, Value


class NotebookExecuteRequest(Request):
    """Which notebook to run with which parameters."""

    path: str = argument("the notebook", metavar="NOTEBOOK")
    parameters: Pairs = option(
        "-p",
        "--parameters",
        help="a parameter and its value",
        default=(),
        metavar=("NAME", "VALUE"),
    )
    output: str | None = option(
        "-o", "--output", help="also write the executed notebook here", metavar="PATH"
    )
    cell_timeout: float | None = option(
        "--cell-timeout", help="longest time for a cell", metavar="TIME", parse=seconds
    )
    values: Any = EMPTY


class Executed(Value):
    """Where the executed notebook is, and how the run ended."""

    output_path: str
    result: RunResult

    @property
    def exit_code(self) -> int:
        return RunReport((self.result,)).exit_code

    def to_json(self) -> dict[str, Any]:
        return {"output_path": self.output_path, **self.result.to_json()}


async def notebook_execute(request: NotebookExecuteRequest, context: ProposalContext) -> Executed:
    """Run a notebook with parameters."""
    asked = RunRequest(
        paths=(request.path,),
        parameters=request.parameters,
        values=request.values,
        output=request.output,
        cell_timeout=request.cell_timeout,
    )
    result = (await run(asked, context)).results[0]
    if request.output:
        return Executed(os.path.join(context.cwd, request.output), result)
    return Executed(result.notebook_path, result)


class NotebookCommitRequest(ForgeRequest):
    """Which notebook to commit."""

    path: str = argument("the notebook", metavar="NOTEBOOK")
    message: str = argument("the commit's message", metavar="MESSAGE", default="")
    branch: str = option(
        "--branch",
        help="the branch (default: the one that is checked out; on the base, agent/<slug>)",
        default="",
    )


class Committed(Value):
    """The branch and its newest commit; `pushed` where there is a remote."""

    branch: str
    commit: str
    files: tuple[str, ...]
    pushed: bool
    changed: bool

    def to_json(self) -> dict[str, Any]:
        return {**self.to_dict(), "files": list(self.files)}


async def notebook_commit(request: NotebookCommitRequest, context: ProposalContext) -> Committed:
    """Bring the `.ipynb` into step, commit both files to the branch, and push it."""
    folder = os.path.dirname(os.path.join(context.cwd, request.path))
    with site_for(request, context, folder) as site:
        change = change_of(request.path, (), site.repository, context)
        target = target_for(
            site,
            change,
            branch=request.branch,
            base=site.base_branch(),
            prefix=context.settings.branch_prefix,
        )
        message = request.message.strip() or f"Change {change.name}"
        commit = commit_for(site.repository, target, change, f"{message}\n")
        advance(site, target, commit, change)
        return Committed(
            target.branch,
            commit,
            tuple(change.files),
            site.remote is not None,
            commit != target.here,
        )


class NotebookPrRequest(ForgeRequest):
    """Which branch to open a pull request for."""

    branch: str = argument("the branch, which is pushed already", metavar="BRANCH")
    title: str = argument("the title (default: the newest commit's)", metavar="TITLE", default="")
    description: str = argument("the text, in Markdown", metavar="DESCRIPTION", default="")
    base: str = option("--base", help="the branch that it is for", default="", metavar="BRANCH")
    draft: bool = option("--draft", help="not to be merged yet", default=False)


class Opened(Value):
    """A pull request."""

    number: int
    url: str
    branch: str
    base: str
    title: str

    def to_json(self) -> dict[str, Any]:
        return self.to_dict()


async def notebook_pr(request: NotebookPrRequest, context: ProposalContext) -> Opened:
    """Open a pull request for a branch, or bring the open one up to date."""
    with site_for(request, context) as site:
        refuse_bad_branch(site.repository.git, request.branch)
        base = site.base_branch(request.base)
        title = request.title.strip() or _subject(site.repository, request.branch)
        there = site.forge.find(request.branch)
        if there is None:
            opened = site.forge.open(
                request.branch, base, title, request.description, draft=request.draft
            )
        else:
            opened = site.forge.update(
                there.number,
                title=request.title.strip() or None,
                body=described_body(there.body, request.description)
                if request.description
                else None,
                draft=True if request.draft else None,
            )
        return Opened(opened.number, opened.url, opened.branch, opened.base, opened.title)


def _subject(repository: Any, branch: str) -> str:
    found = repository.git.maybe("log", "-1", "--format=%s", f"refs/heads/{branch}")
    return found or branch
