"""`octavo comment` and `octavo approve`: what a reviewer says."""

from __future__ import annotations

import os
from typing import Any

from octavo.errors import UsageError
from octavo.forges.port import Comment, Proposal, Review, Verdict
from octavo.forges.request import ForgeRequest
from octavo.notebook import formats
from octavo.proposals.context import ProposalContext
from octavo.proposals.site import Site, site_for
from octavo.requests import argument, option
from octavo.value import Value


class CommentRequest(ForgeRequest):
    """What to say about which proposal, and where."""

    number: int = argument("the number of a proposal", metavar="N")
    text: str = argument("what to say, in Markdown", metavar="TEXT")
    path: str = option("--path", help="the file it is about", default="", metavar="FILE")
    line: int | None = option("--line", help="the line of that file", metavar="LINE", parse=int)
    cell: int | None = option(
        "--cell",
        help="the cell of that notebook, from 0; its first line",
        metavar="CELL",
        parse=int,
    )


class CommentResult(Value):
    """The comment as it is on the forge."""

    number: int
    comment: Comment

    def to_json(self) -> dict[str, Any]:
        return {"number": self.number, **self.comment.to_dict()}


async def comment(request: CommentRequest, context: ProposalContext) -> CommentResult:
    """Comment on a proposal, or on a line or a cell of it."""
    if not request.text.strip():
        hint = 'octavo comment 3 "Why 0.9?"'
        raise UsageError("wrong-argument", "the comment is empty", place="TEXT", hint=hint)
    with site_for(request, context) as site:
        proposal = site.forge.proposal(request.number)
        path = _path(request, site, context)
        line = _line(request, site, proposal, path)
        made = site.forge.comment(request.number, request.text, path=path or None, line=line)
        return CommentResult(request.number, made)


def _path(request: CommentRequest, site: Site, context: ProposalContext) -> str:
    if not request.path:
        if request.line is not None or request.cell is not None:
            hint = "add --path notebooks/report.py"
            raise UsageError("wrong-argument", "a line of which file?", place="--line", hint=hint)
        return ""
    return site.repository.name_of(os.path.join(context.cwd, request.path))


def _line(request: CommentRequest, site: Site, proposal: Proposal, path: str) -> int | None:
    if not path or (request.line is None and request.cell is None):
        return request.line
    if site.repository.commit(proposal.head) is None:
        site.there(proposal.branch)
    content = site.repository.read(proposal.head, path)
    if content is None:
        hint = "name a file that the proposal has"
        raise UsageError("wrong-argument", "the proposal has no such file", place=path, hint=hint)
    if request.cell is None:
        return request.line
    cells = formats.read(content.decode("utf-8", "replace"), path).cells
    if not 0 <= request.cell < len(cells):
        raise UsageError(
            "cell-not-found",
            f"there is no cell {request.cell}",
            place=path,
            hint=f"cells are 0 to {len(cells) - 1}",
        )
    return cells[request.cell].line


class ApproveRequest(ForgeRequest):
    """Which proposal to give a verdict on."""

    number: int = argument("the number of a proposal", metavar="N")
    text: str = option("-m", "--message", help="what to say with it", default="", metavar="TEXT")
    changes: bool = option(
        "--request-changes", help="ask for changes in place of approving", default=False
    )


class ApproveResult(Value):
    """The verdict as it is on the forge."""

    number: int
    review: Review

    def to_json(self) -> dict[str, Any]:
        return {"number": self.number, **self.review.to_dict()}


async def approve(request: ApproveRequest, context: ProposalContext) -> ApproveResult:
    """Approve the newest commit of a proposal, or ask for changes."""
    if request.changes and not request.text.strip():
        raise UsageError(
            "wrong-argument", "say which changes", place="-m", hint='-m "the threshold is too low"'
        )
    verdict: Verdict = "changes" if request.changes else "approved"
    with site_for(request, context) as site:
        given = site.forge.review(request.number, verdict, request.text)
    return ApproveResult(request.number, given)
