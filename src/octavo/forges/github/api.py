"""GitHub's REST API: where it is, its headers, its pages, and its limits on the rate of calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.request import Request

from octavo.errors import InfrastructureError, OctavoError
from octavo.forges.github.refusals import meaning
from octavo.forges.http import Answer, Api, Refused, said_by, understood
from octavo.git.credentials import Token

#: The version of the API whose description the tests hold us to.
VERSION = "2022-11-28"
_PAGE = 100
#: How long one call waits in all when GitHub says that there were too many.
_PATIENCE = 60.0


def api_address(address: str) -> str:
    """The API of a GitHub: github.com, one with its own `ghe.com` name, or Enterprise Server."""
    scheme, _, rest = address.rpartition("://")
    host = rest.rstrip("/")
    if host in ("github.com", "www.github.com", "ssh.github.com"):
        return "https://api.github.com"
    if host.endswith(".ghe.com"):
        return f"https://api.{host}"
    return f"{scheme or 'https'}://{host}/api/v3"


def graph_address(base: str) -> str:
    """GraphQL's address beside that of the REST API."""
    return base.removesuffix("/v3") if base.endswith("/api/v3") else base


class GitHubApi(Api):
    """An API of GitHub. A call that was refused because of too many is made again in time."""

    def __init__(
        self,
        base: str,
        token: Token | None,
        *,
        timeout: float = 30.0,
        attempts: int = 4,
        wait: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(
            base,
            f"Bearer {token.secret}" if token else "",
            accept="application/vnd.github+json",
            timeout=timeout,
            attempts=attempts,
            wait=wait,
        )
        self._now = now
        self.token = token

    def graph(self) -> GitHubApi:
        """The API that GraphQL is asked through."""
        return GitHubApi(
            graph_address(self.base),
            self.token,
            timeout=self._timeout,
            attempts=self._attempts,
            wait=self._wait,
            now=self._now,
        )

    def all(self, path: str, /, key: str = "", **query: Any) -> Iterator[Any]:
        """The items of all pages; `key` is where they are when a page is a mapping."""
        page = 1
        while True:
            answer = self.call("GET", path, query={**query, "per_page": _PAGE, "page": page})
            with understood(path):
                items = list(answer.body[key] if key else answer.body)
            yield from items
            if 'rel="next"' not in answer.headers.get("link", ""):
                return
            page += 1

    def _meaning(self, refused: Refused) -> OctavoError:
        return meaning(refused)

    def _request(
        self, method: str, path: str, query: Mapping[str, Any], data: bytes | None, media_type: str
    ) -> Request:
        request = super()._request(method, path, query, data, media_type)
        request.add_header("X-GitHub-Api-Version", VERSION)
        return request

    def _once(self, request: Request) -> Answer:
        patience = _PATIENCE
        while True:
            answer = super()._once(request)
            seconds = self._told_to_wait(answer)
            if seconds is None:
                return answer
            if seconds > patience:
                raise self._too_many(answer, seconds)
            patience -= max(seconds, 1.0)
            self._wait(seconds)

    def _told_to_wait(self, answer: Answer) -> float | None:
        """The seconds that GitHub wants to be left alone for; None when it does not say so."""
        if answer.status not in (403, 429):
            return None
        told = answer.headers.get("retry-after", "")
        if told.isdigit():
            return float(told)
        if answer.headers.get("x-ratelimit-remaining") == "0":
            reset = answer.headers.get("x-ratelimit-reset", "")
            return max(float(reset) - self._now(), 1.0) if reset.isdigit() else _PATIENCE
        if answer.status == 429 or "rate limit" in said_by(answer.body).lower():
            return _PATIENCE
        return None

    def _too_many(self, answer: Answer, seconds: float) -> InfrastructureError:
        until = datetime.fromtimestamp(self._now() + seconds, UTC)
        why = said_by(answer.body) or "too many calls were made"
        hint = "" if self.token else "set a token, which allows more calls, or "
        return InfrastructureError(
            "forge-down",
            f"GitHub takes no more calls until {until:%H:%M:%S} UTC: {why}",
            place=self.base,
            hint=f"{hint}run the same command again after that; what was done is not done twice",
            details={"status": answer.status, "retry_after": round(seconds)},
        )
