"""Tools that commit, propose and look at what reviewers say."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from octavo.surfaces.mcp.declaring import ADDS_TO_FORGE, READS_FORGE, REPLACES_ON_FORGE, Declared
from octavo.surfaces.mcp.desk import Desk
from octavo.surfaces.mcp.processes import Processes
from octavo.surfaces.mcp.results import Committed, Opened, Reviewed
from octavo.surfaces.mcp.tools.notebooks import Path, refuse_missing
from octavo.surfaces.mcp.tools.steps import committed, opened, reviewed

Text = Annotated[str, Field(max_length=100_000)]


class ProposalTools:
    """Small steps towards a merged notebook."""

    def __init__(self, desk: Desk, processes: Processes) -> None:
        self._desk = desk
        self._processes = processes

    def declared(self) -> list[Declared]:
        return [
            Declared(self.notebook_commit, ADDS_TO_FORGE),
            Declared(self.notebook_pr, REPLACES_ON_FORGE),
            Declared(self.notebook_review, READS_FORGE),
        ]

    async def notebook_commit(
        self,
        path: Path,
        message: Text,
        branch: Annotated[
            str, Field(description="Default: the one checked out; on the base a new agent/…")
        ] = "",
    ) -> Committed:
        """Commit a notebook (with its .ipynb in step) to a branch, and push it where there is a
        remote."""
        from octavo.proposals.steps import NotebookCommitRequest

        where = self._desk.path(path)
        refuse_missing(self._desk, where)
        request = NotebookCommitRequest(path=where, message=message, branch=branch)
        return committed(await self._processes.operate("commit", "notebook_commit", request))

    async def notebook_pr(
        self,
        branch: Annotated[str, Field(max_length=300)],
        title: Annotated[str, Field(max_length=1000)],
        description: Text = "",
        draft: bool = False,
    ) -> Opened:
        """Open a pull request for a branch, or bring the open one up to date."""
        from octavo.proposals.steps import NotebookPrRequest

        request = NotebookPrRequest(
            branch=branch, title=title, description=description, draft=draft
        )
        return opened(await self._processes.operate("pr", "notebook_pr", request))

    async def notebook_review(
        self,
        number: Annotated[int, Field(ge=1, description="Of the pull request")],
    ) -> Reviewed:
        """A pull request: what reviewers say, cell by cell (with handles for notebook_edit), the
        statuses, and what it still needs to be merged."""
        from octavo.proposals.review import ReviewRequest

        request = ReviewRequest(number=number)
        return reviewed(await self._processes.operate("review", "review", request))
