"""What every operation that talks to a forge can be asked."""

from __future__ import annotations

from octavo.requests import Request, option

FORGE = "Forge"


class ForgeRequest(Request):
    """Where the forge is, when that is not to be told by the remote."""

    forge: str = option(
        "--forge",
        help="gitea, github, local or a plug-in (default: what the remote's address tells)",
        default="",
        metavar="FORGE",
        group=FORGE,
    )
    remote: str = option(
        "--remote",
        help="the remote of the forge (default: the branch's, else origin)",
        default="",
        metavar="NAME",
        group=FORGE,
    )
