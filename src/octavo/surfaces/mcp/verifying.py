"""Tokens of requests over HTTP."""

from __future__ import annotations

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_REQUEST

from octavo.surfaces.mcp.identity import Tokens


class Verifier:
    """Knows whose a token is."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    async def verify_token(self, token: str) -> AccessToken | None:
        """Whose token this is, as the SDK wants it told; the token itself goes no further."""
        identity = self._tokens.identity_of(token)
        if identity is None:
            return None
        return AccessToken(token="", client_id=identity, subject=identity, scopes=[])


def who_calls() -> str:
    """The identity of the request that is being answered."""
    access = get_access_token()
    if access is None:
        raise MCPError(code=INVALID_REQUEST, message="no token: nobody to answer to")
    return access.client_id
