"""Gitea's API for one repository, with what its refusals mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from octavo.errors import OctavoError, UsageError
from octavo.forges.http import Answer, Api, Refused, segment, understood
from octavo.git.credentials import VARIABLES, Token
from octavo.git.program import without_secrets

#: What a token needs for everything that a proposal does.
SCOPES = ("write:repository", "write:issue", "read:user")
_SCOPES = re.compile(r"required=\[?([\w:,\s-]+?)\]?(?:,|$)")


class RepositoryApi:
    """The calls below `/repos/OWNER/NAME`."""

    def __init__(
        self, address: str, owner: str, name: str, token: Token | None, api: Api | None
    ) -> None:
        self.address = _checked(address)
        self.token = token
        self.name = f"{owner}/{name}"
        authorization = f"token {token.secret}" if token else ""
        self.http = api or Api(f"{self.address}/api/v1", authorization)
        self._path = f"repos/{segment(owner)}/{segment(name)}"

    def call(self, method: str, path: str, body: Any = None, **named: Any) -> Answer:
        """One call; `Refused` and other errors when the forge does not do it."""
        with self._meaning():
            return self.http.call(method, self._below(path), body, **named)

    def get(self, path: str = "", **query: Any) -> Any:
        """The JSON at a path."""
        with self._meaning():
            return self.http.get(self._below(path), **query)

    def all(self, path: str) -> list[Any]:
        """The items of a list that comes at once."""
        with understood(path):
            return [*(self.get(path) or ())]

    def pages(self, path: str, within: str = "", **query: Any) -> Iterator[Any]:
        """All items of a list that comes in pages."""
        with self._meaning():
            yield from self.http.pages(self._below(path), within=within, **query)

    def user(self) -> str:
        """Who the token belongs to; nobody where it may not tell."""
        try:
            with self._meaning():
                return str(self.http.get("user")["login"])
        except UsageError as error:
            if error.kind != "token-scope":
                raise
            return self.token.user if self.token else ""

    def needs_token(self) -> None:
        """Refuse early what no forge does for strangers."""
        if self.token is None:
            raise self.token_missing()

    def not_here(self, otherwise: OctavoError) -> OctavoError:
        """Why something is not there: the repository is not, or else what is given."""
        try:
            self.get()
        except Refused as error:
            if error.status == 404:
                return self._no_repository()
        return otherwise

    def token_missing(self) -> UsageError:
        names = " or ".join(VARIABLES["gitea"])
        return UsageError(
            "token-missing",
            f"{self.address} wants to know who asks, and no token for it is known",
            place=self.address,
            hint=f"make one at {self._tokens_page}, and set {names}",
        )

    @property
    def _tokens_page(self) -> str:
        return f"{self.address}/user/settings/applications"

    def _below(self, path: str) -> str:
        return f"{self._path}/{path}".rstrip("/")

    @contextmanager
    def _meaning(self) -> Iterator[None]:
        try:
            yield
        except Refused as error:
            meant = self._meant(error)
            if meant is error:
                raise
            raise meant from error
        except UsageError as error:
            if error.kind == "token-refused":
                raise self._unknown_token(error) from error
            raise

    def _meant(self, error: Refused) -> OctavoError:
        if error.status == 403 and "scope" in error.said:
            return self._scope_lacking(error.said)
        if error.status == 423:
            return UsageError(
                "forge-refused",
                f"the repository {self.name} is archived: nothing can be changed in it",
                place=self.address,
                hint="ask its owner to take it out of the archive",
            )
        return error

    def _scope_lacking(self, said: str) -> UsageError:
        found = _SCOPES.search(said)
        wanted = " or ".join(re.split(r"[,\s]+", found[1].strip())) if found else ""
        lacks = f"the scope {wanted}" if wanted else f"a scope ({said})"
        return UsageError(
            "token-scope",
            f"the token lacks {lacks}",
            place=self.address,
            hint=f"make one with {', '.join(SCOPES)} at {self._tokens_page}",
            details={"scope": wanted},
        )

    def _unknown_token(self, error: UsageError) -> UsageError:
        if self.token is None:
            return self.token_missing()
        return UsageError(
            "token-refused",
            f"{self.address} does not accept the token from {self.token.origin}",
            place=self.address,
            hint=f"make a new one at {self._tokens_page}",
            details={"said": error.message},
        )

    def _no_repository(self) -> UsageError:
        if self.token is None:
            return self.token_missing()
        return UsageError(
            "forge-refused",
            f"there is no repository {self.name}, or the token may not see it",
            place=self.address,
            hint="check the address of the remote, and whose token it is",
        )


def branch_path(name: str) -> str:
    """The name of a branch within a path: its slashes are slashes."""
    return segment(name).replace("%2F", "/")


def _checked(address: str) -> str:
    clean = without_secrets(address).rstrip("/")
    if not clean.startswith(("http://", "https://")):
        raise UsageError(
            "forge-unknown",
            f"a Gitea is reached by http or https, not at {clean!r}",
            place=clean,
            hint='say where its pages are: forge_url = "https://git.example.org" in octavo.toml',
        )
    return clean
