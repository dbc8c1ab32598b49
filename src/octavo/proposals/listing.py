"""`octavo proposals`: what is offered for review."""

from __future__ import annotations

from typing import Any, Literal, cast

from octavo.forges.port import Proposal
from octavo.forges.request import ForgeRequest
from octavo.proposals.context import ProposalContext
from octavo.proposals.site import site_for
from octavo.requests import option
from octavo.value import Value

STATES = ("open", "closed", "all")


class ProposalsRequest(ForgeRequest):
    """Which proposals to list."""

    state: str = option(
        "--state", help="which ones; closed are merged ones too", default="open", choices=STATES
    )
    limit: int = option("-n", "--limit", help="at most so many", default=30, metavar="N")


class ProposalsResult(Value):
    """The proposals, the newest first. `total` counts those beyond the limit too."""

    proposals: tuple[Proposal, ...]
    total: int
    forge: str
    state: str

    def to_json(self) -> dict[str, Any]:
        return {
            "forge": self.forge,
            "total": self.total,
            "proposals": [each.to_dict() for each in self.proposals],
        }


async def proposals(request: ProposalsRequest, context: ProposalContext) -> ProposalsResult:
    """List proposals."""
    with site_for(request, context) as site:
        state = cast(Literal["open", "closed", "all"], request.state)
        found = site.forge.proposals(state)
        return ProposalsResult(found[: request.limit], len(found), site.forge.name, request.state)
