"""`octavo merge`: a proposal becomes part of its base."""

from __future__ import annotations

from typing import Any, cast

from octavo.archive.automatic import after_merge
from octavo.errors import OctavoError, UsageError
from octavo.forges.port import MERGE_METHODS, MergeMethod, Proposal
from octavo.forges.request import ForgeRequest
from octavo.git.objects import delete_ref
from octavo.git.worktrees import checked_out
from octavo.proposals.context import ProposalContext
from octavo.proposals.green import LONGEST, refuse_closed, refuse_missing, until_green
from octavo.proposals.site import Site, site_for
from octavo.requests import argument, option, seconds
from octavo.runs.context import Said
from octavo.value import Value


class MergeRequest(ForgeRequest):
    """Which proposal to merge, and how."""

    number: int = argument("the number of a proposal", metavar="N")
    method: str = option(
        "--method", help="how it gets into its base", default="merge", choices=MERGE_METHODS
    )
    keep_branch: bool = option("--keep-branch", help="do not delete the branch", default=False)
    when_green: bool = option(
        "--when-green", help="wait for the statuses that its base requires", default=False
    )
    timeout: float | None = option(
        "--timeout",
        help="with --when-green: the longest time to wait (default: 30m)",
        metavar="TIME",
        parse=seconds,
    )


class MergeResult(Value):
    """The commit that the base is at, and whether the branch is gone."""

    proposal: Proposal
    commit: str
    method: str
    branch_deleted: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.proposal.number,
            "url": self.proposal.url,
            "base": self.proposal.base,
            "branch": self.proposal.branch,
            "commit": self.commit,
            "method": self.method,
            "branch_deleted": self.branch_deleted,
        }


async def merge(request: MergeRequest, context: ProposalContext) -> MergeResult:
    """Merge a proposal as soon as its forge allows it, and delete its branch."""
    if request.timeout is not None and not request.when_green:
        raise UsageError(
            "wrong-argument",
            "--timeout is for waiting, and nothing is waited for",
            place="--timeout",
            hint=f"octavo merge {request.number} --when-green --timeout 30m",
        )
    with site_for(request, context) as site:
        proposal = await _ready(request, site, context)
        method = cast(MergeMethod, request.method)
        wanted = context.settings.archive_after_merge
        before = site.base_commit(proposal.base) if wanted else ""
        commit = site.forge.merge(request.number, method, proposal.head)
        deleted = not request.keep_branch and _deleted(site, proposal, context)
        if site.remote is not None:
            site.base_commit(proposal.base)
        if before:
            after_merge(site.repository, before, commit, context)
        return MergeResult(proposal, commit, request.method, deleted)


async def _ready(request: MergeRequest, site: Site, context: ProposalContext) -> Proposal:
    """A proposal that is merged already, or may be; an error says what it lacks."""
    proposal = site.forge.proposal(request.number)
    refuse_closed(proposal)
    if proposal.state == "open" and request.when_green:
        limit = LONGEST if request.timeout is None else request.timeout
        return await until_green(site.forge, proposal, limit, context.emit)
    if proposal.state == "open":
        refuse_missing(proposal, site.forge.mergeable(proposal.number))
    return proposal


def _deleted(site: Site, proposal: Proposal, context: ProposalContext) -> bool:
    """Delete the branch on the forge, and the one here where nobody has added to it.

    The proposal is merged already: a branch that somebody works on stays, which is told.
    """
    try:
        site.forge.delete_branch(proposal.branch)
    except OctavoError as error:
        if error.kind != "forge-refused":
            raise
        context.emit(Said(f"the branch stays: {error.message}"))
        return False
    repository = site.repository
    ref = f"refs/heads/{proposal.branch}"
    somewhere = any(at == ref for _, at in checked_out(repository))
    if repository.commit(ref) == proposal.head and not somewhere:
        delete_ref(repository.git, ref, proposal.head)
    if site.remote is not None:
        tracking = f"refs/remotes/{site.remote.name}/{proposal.branch}"
        known = repository.commit(tracking)
        if known is not None:
            delete_ref(repository.git, tracking, known)
    return True
