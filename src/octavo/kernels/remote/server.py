"""A Jupyter server, asked over HTTP: where it is, who we are there, and what it answers."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit, urlunsplit

from octavo.errors import UsageError
from octavo.value import Value


class Server(Value):
    """The address of a server and the token for it, which no text of this value shows."""

    url: str
    token: str = ""

    def __repr__(self) -> str:
        return f"Server({self.url!r})"

    def to_dict(self) -> dict[str, Any]:
        return {"url": self.url}

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"token {self.token}"} if self.token else {}

    def address(self, path: str) -> str:
        """The address of something in the server's API."""
        return f"{self.url}/{path}"

    def socket_address(self, path: str) -> str:
        return "ws" + self.address(path).removeprefix("http")


def server_at(url: str, token: str = "") -> Server:
    """A server from what a person would write, or copy from the address line of a browser."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        known = False
    if not known:
        raise UsageError(
            "wrong-argument",
            f"{_without_secrets(url)!r} is not the address of a Jupyter server",
            hint="write it as http://127.0.0.1:8888, as `jupyter server list` shows it",
        )
    if parts.username or parts.password or "token" in parse_qs(parts.query):
        raise UsageError(
            "wrong-argument",
            "the address of the Jupyter server holds a secret, which others can see",
            place=_without_secrets(url),
            hint="give the address without it, and the token in the variable JUPYTER_TOKEN",
        )
    plain = urlunsplit((parts.scheme, parts.netloc, _root(parts.path), "", ""))
    return Server(plain, token)


def _root(path: str) -> str:
    """The root of the server in the path of one of its pages."""
    for page in ("/lab", "/tree", "/doc", "/notebooks", "/login"):
        at = path.find(page)
        if at >= 0 and path[at + len(page) : at + len(page) + 1] in ("", "/"):
            path = path[:at]
    return path.rstrip("/")


def _without_secrets(url: str) -> str:
    return url.partition("?")[0].rpartition("@")[2]


def quoted(path: str) -> str:
    """A path on the server as it stands in an address."""
    return quote(path.strip("/"))


async def call(server: Server, method: str, path: str, body: Any = None) -> Any:
    """What the server's API answers, as JSON; None where it answers nothing."""
    from octavo.kernels.remote.http import answer

    return await asyncio.to_thread(answer, server, method, path, body)
