"""`octavo merge`: a proposal becomes part of its base."""

from __future__ import annotations

from typing import Any, cast

from octavo.errors import ConflictError, OctavoError, UsageError
from octavo.forges.port import MERGE_METHODS, MergeMethod, Proposal
from octavo.git.objects import delete_ref
from octavo.git.worktrees import checked_out
from octavo.proposals.context import ProposalContext
from octavo.proposals.site import ForgeRequest, Site, site_for
from octavo.requests import argument, option
from octavo.runs.context import Said
from octavo.value import Value


class MergeRequest(ForgeRequest):
    """Which proposal to merge, and how."""

    number: int = argument("the number of a proposal", metavar="N")
    method: str = option(
        "--method", help="how it gets into its base", default="merge", choices=MERGE_METHODS
    )
    keep_branch: bool = option("--keep-branch", help="do not delete the branch", default=False)


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
    with site_for(request, context) as site:
        proposal = site.forge.proposal(request.number)
        if proposal.state == "closed":
            raise UsageError(
                "proposal-not-mergeable",
                f"proposal {request.number} was closed without a merge",
                place=proposal.url,
                hint="open it again on the forge, or propose the notebook anew",
            )
        if proposal.state == "open":
            _refuse_missing(site, proposal)
        method = cast(MergeMethod, request.method)
        commit = site.forge.merge(request.number, method, proposal.head)
        deleted = not request.keep_branch and _deleted(site, proposal, context)
        if site.remote is not None:
            site.base_commit(proposal.base)
        return MergeResult(proposal, commit, request.method, deleted)


def _refuse_missing(site: Site, proposal: Proposal) -> None:
    found = site.forge.mergeable(proposal.number)
    if found.allowed:
        return
    if found.conflict:
        raise ConflictError(
            "merge-conflict",
            f"{proposal.branch} does not merge with {proposal.base}",
            place=proposal.url,
            hint=f"git switch {proposal.branch} && git merge {proposal.base}, then propose again",
        )
    missing = " and ".join(found.missing) or "the forge does not say what"
    raise UsageError(
        "proposal-not-mergeable",
        f"proposal {proposal.number} cannot be merged yet; missing: {missing}",
        place=proposal.url,
        hint=f"octavo review {proposal.number} shows where it stands",
        details={"missing": list(found.missing)},
    )


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
