"""`octavo review`: a proposal, what was said about it, and what it still needs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from octavo.authoring.files import replace_file
from octavo.forges.port import Mergeable, Proposal, Review, Status
from octavo.forges.request import ForgeRequest
from octavo.proposals.context import ProposalContext
from octavo.proposals.findings import Finding, finding_of
from octavo.proposals.site import Site, site_for
from octavo.requests import argument, option
from octavo.value import Value


class ReviewRequest(ForgeRequest):
    """Which proposal to look at."""

    number: int = argument("the number of a proposal", metavar="N")
    all: bool = option("--all", help="also findings that are resolved or outdated", default=False)
    export: str = option(
        "--export",
        help="write the text and its figures into a folder, to be read in a browser or an editor",
        default="",
        metavar="FOLDER",
    )


class ReviewResult(Value):
    """A proposal with its findings, verdicts and statuses. `hidden` counts findings left out.

    `exported` is the file that its text was written to.
    """

    proposal: Proposal
    findings: tuple[Finding, ...]
    reviews: tuple[Review, ...]
    statuses: tuple[Status, ...]
    mergeable: Mergeable | None
    hidden: int = 0
    exported: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "proposal": self.proposal.to_dict(),
            "findings": [each.to_json() for each in self.findings],
            "reviews": [each.to_dict() for each in self.reviews],
            "statuses": [each.to_dict() for each in self.statuses],
            "mergeable": self.mergeable.to_dict() if self.mergeable else None,
            "hidden": self.hidden,
            "exported": self.exported,
        }


async def review(request: ReviewRequest, context: ProposalContext) -> ReviewResult:
    """Everything about a proposal that an author wants to know."""
    with site_for(request, context) as site:
        proposal = site.forge.proposal(request.number)
        read = _reader(site, proposal)
        found = [
            finding_of(each, read, proposal.head) for each in site.forge.comments(request.number)
        ]
        shown = [each for each in found if request.all or not (each.resolved or each.outdated)]
        return ReviewResult(
            proposal,
            tuple(shown),
            site.forge.reviews(request.number),
            site.forge.statuses(proposal.head),
            site.forge.mergeable(request.number) if proposal.state == "open" else None,
            len(found) - len(shown),
            _exported(site, proposal, os.path.join(context.cwd, request.export))
            if request.export
            else None,
        )


def _exported(site: Site, proposal: Proposal, folder: str) -> str:
    """Write the text of a proposal; the local forge has its figures, others their addresses."""
    export = getattr(site.forge, "export", None)
    if export is not None:
        return str(export(proposal.number, folder))
    path = Path(folder) / "body.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, f"# {proposal.title}\n\n{proposal.body}".encode())
    return str(path)


def _reader(site: Site, proposal: Proposal) -> Any:
    """Reads files at the head of a proposal, which is brought here first when it is not known."""
    texts: dict[str, str | None] = {}

    def read(path: str) -> str | None:
        if path not in texts:
            if site.repository.commit(proposal.head) is None:
                site.there(proposal.branch)
            content = site.repository.read(proposal.head, path)
            texts[path] = None if content is None else content.decode("utf-8", "replace")
        return texts[path]

    return read
