"""One call to a Jupyter server over HTTP. Only whoever really asks a server imports this."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPResponse
from typing import Any

from octavo.errors import InfrastructureError
from octavo.kernels.remote import failures
from octavo.kernels.remote.server import Server

#: How long a server may say nothing, and how long it may take to say all of it.
PATIENCE_SECONDS = 30.0
WHOLE_SECONDS = 120.0
LARGEST_ANSWER = 512 << 20
_PIECE = 1 << 20


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token goes to nobody but the server it was given for."""

    def redirect_request(self, *args: Any, **named: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())


def answer(server: Server, method: str, path: str, body: Any) -> Any:
    """What the server says, as JSON; None where it says nothing."""
    data = None if body is None else json.dumps(body).encode()
    headers = {**server.headers, "Content-Type": "application/json"}
    request = urllib.request.Request(
        server.address(path), data=data, method=method, headers=headers
    )
    try:
        with _OPENER.open(request, timeout=PATIENCE_SECONDS) as answered:
            content = _read(answered)
    except urllib.error.HTTPError as error:
        with error:
            raise _refused(server, error) from None
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise failures.unreachable(server.url, str(reason) or type(error).__name__) from None
    except ValueError:  # its text would show the token
        raise failures.status(server.url, 403, "", bool(server.token)) from None
    return _parsed(server, content)


def _read(answered: HTTPResponse) -> bytes:
    """All that a server says; one that says it drop by drop, or breaks off, is not waited for."""
    until = time.monotonic() + WHOLE_SECONDS
    pieces: list[bytes] = []
    size = 0
    while size <= LARGEST_ANSWER and (piece := answered.read1(_PIECE)):
        pieces.append(piece)
        size += len(piece)
        if time.monotonic() > until:
            raise TimeoutError(f"its answer was not whole after {WHOLE_SECONDS:g} s")
    if answered.length and size <= LARGEST_ANSWER:
        raise ConnectionError("its answer breaks off")
    return b"".join(pieces)


def _parsed(server: Server, content: bytes) -> Any:
    if len(content) > LARGEST_ANSWER:
        raise failures.strange(server.url, "its answer is larger than 512 MB")
    if not content.strip():
        return None
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise failures.strange(server.url, "it does not answer in JSON") from None


def _refused(server: Server, error: urllib.error.HTTPError) -> InfrastructureError:
    said = ""
    try:
        said = str(json.loads(error.read(100_000)).get("message") or "")
    except (ValueError, OSError, AttributeError, RecursionError):
        pass
    return failures.status(server.url, error.code, said, bool(server.token))
