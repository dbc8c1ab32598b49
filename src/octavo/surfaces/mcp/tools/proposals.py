"""Tools that commit, propose and look at what reviewers say."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from octavo.surfaces.mcp.declaring import ADDS_TO_FORGE, READS_FORGE, REPLACES_ON_FORGE, Declared
from octavo.surfaces.mcp.desk import Desk
from octavo.surfaces.mcp.results import Committed, Opened, Reviewed
from octavo.surfaces.mcp.tools.notebooks import Path, refuse_missing

Text = Annotated[str, Field(max_length=100_000)]
_BODY = 4000
#: As many letters of a commit name it.
_COMMIT = 12


class ProposalTools:
    """Small steps towards a merged notebook."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

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
        done = await self._desk.operate("notebook_commit", request)
        following = f'notebook_pr(branch="{done.branch}", …)'
        told = {**done.to_json(), "commit": done.commit[:_COMMIT], "pushed": done.pushed or None}
        return Committed(**told, next=following)

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
        opened = await self._desk.operate("notebook_pr", request)
        return Opened(**opened.to_json(), next=f"notebook_review(number={opened.number})")

    async def notebook_review(
        self,
        number: Annotated[int, Field(ge=1, description="Of the pull request")],
    ) -> Reviewed:
        """A pull request: what reviewers say, cell by cell (with handles for notebook_edit), the
        statuses, and what it still needs to be merged."""
        from octavo.proposals.review import ReviewRequest

        review = await self._desk.operate("review", ReviewRequest(number=number))
        plain = review.to_json()
        proposal = plain["proposal"]
        return Reviewed(
            number=proposal.get("number"),
            title=proposal.get("title"),
            state=proposal.get("state"),
            url=proposal.get("url"),
            findings=[_short(each) for each in plain["findings"][:50]],
            reviews=[_short(each) for each in plain["reviews"]],
            statuses=[_short(each) for each in plain["statuses"]],
            mergeable=plain["mergeable"],
            hidden=plain["hidden"] or None,
        )


def _short(plain: dict[str, Any]) -> dict[str, Any]:
    """Without what is empty; long texts cut."""
    told = {name: each for name, each in plain.items() if each not in (None, "", [], {}, False)}
    return {
        name: f"{each[:_BODY]}…" if isinstance(each, str) and len(each) > _BODY else each
        for name, each in told.items()
    }
