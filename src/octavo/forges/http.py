"""Calls to a forge's API over HTTP: bounded, tried again where that is safe, with clear errors."""

from __future__ import annotations

import http.client
import json
import random
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from octavo.errors import InfrastructureError, OctavoError, UsageError
from octavo.value import EMPTY, Value
from octavo.version import VERSION

_BUSY = (429, 500, 502, 503, 504)
_LARGEST = 64 * 1024 * 1024
_LONGEST_WAIT = 30.0
#: A body may take so many times the time of one answer; who sends it drop by drop is slow.
_BODY_TIMES = 4
_Made = TypeVar("_Made")


class Answer(Value):
    """What a forge answered. `body` is decoded JSON, None when there was no content."""

    status: int
    headers: Mapping[str, str]
    body: Any


class ForgeDown(InfrastructureError):
    """The forge cannot be reached, or cannot answer now."""

    retryable = True


class Refused(OctavoError):
    """The forge answered with a status from 400 to 499; adapters turn it into what it means."""

    exit_code = 2

    def __init__(self, answer: Answer, place: str) -> None:
        self.answer = answer
        self.status = answer.status
        self.said = said_by(answer.body)
        super().__init__(
            "forge-refused",
            f"the forge answers {answer.status}: {self.said or 'no reason was given'}",
            place=place,
            hint="check the name of the repository, and what the token may do",
            details={"status": answer.status},
        )


class Api:
    """One API. `authorization` is the header that carries the token; empty without one."""

    def __init__(
        self,
        base: str,
        authorization: str = "",
        *,
        accept: str = "application/json",
        timeout: float = 30.0,
        attempts: int = 4,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        if not (authorization.isascii() and authorization.isprintable()):
            raise _no_token(base)
        self.base = base.rstrip("/")
        self._authorization = authorization
        self._secret = authorization.rpartition(" ")[2].encode()
        self._accept = accept
        self._timeout = timeout
        self._attempts = attempts
        self._wait = wait
        self._opener = build_opener(_SameHost())

    def get(self, path: str, /, **query: Any) -> Any:
        """The JSON at a path."""
        return self.call("GET", path, query=query).body

    def pages(self, path: str, /, size: int = 50, within: str = "", **query: Any) -> Iterator[Any]:
        """All items of a list that comes in pages; `within` is its key where it has one."""
        page, seen = 1, 0
        while True:
            asked = {**query, "limit": size, "per_page": size, "page": page}
            answer = self.call("GET", path, query=asked)
            with understood(path):
                items = _listed(answer.body[within] if within else answer.body)
            yield from items
            seen += len(items)
            if not _more(answer.headers, len(items), seen, size):
                return
            page += 1

    def once(self, do: Callable[[], _Made], done: Callable[[], _Made | None]) -> _Made:
        """Do what must not be done twice.

        After a failure that leaves open whether it was done, `done` is asked before another try.
        """
        for attempt in range(1, self._attempts + 1):
            try:
                return do()
            except InfrastructureError:
                self._pause(attempt, None)
                found = done()
                if found is not None:
                    return found
                if attempt == self._attempts:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def pause(self, attempt: int, first: float = 0.5) -> None:
        """Wait before something is looked at again: twice as long with each attempt."""
        self._wait(min(first * 2 ** (attempt - 1), _LONGEST_WAIT))

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] = EMPTY,
        data: bytes | None = None,
        media_type: str = "application/json",
        repeatable: bool | None = None,
    ) -> Answer:
        """One call. It is tried again when the forge is busy or cannot be reached, if that is safe:

        by default for every method but POST, which may have done its work before it failed.
        """
        if body is not None:
            data = json.dumps(body).encode()
        request = self._request(method, path, query, data, media_type)
        again = method != "POST" if repeatable is None else repeatable
        for attempt in range(1, self._attempts + 1):
            last = attempt == self._attempts or not again
            try:
                answer = self._once(request)
            except ForgeDown:
                if last:
                    raise
                self._pause(attempt, None)
                continue
            if answer.status in _BUSY and not last:
                self._pause(attempt, answer.headers.get("retry-after"))
                continue
            return self._checked(answer, request)
        raise AssertionError("the last attempt returns or raises")

    def _request(
        self, method: str, path: str, query: Mapping[str, Any], data: bytes | None, media_type: str
    ) -> Request:
        words = {name: _word(value) for name, value in query.items() if value is not None}
        address = f"{self.base}/{path.lstrip('/')}" + (f"?{urlencode(words)}" if words else "")
        request = Request(address, data=data, method=method)
        request.add_header("Accept", self._accept)
        request.add_header("User-Agent", f"octavo/{VERSION}")
        if data is not None:
            request.add_header("Content-Type", media_type)
        if self._authorization:
            request.add_unredirected_header("Authorization", self._authorization)
        return request

    def _once(self, request: Request) -> Answer:
        try:
            try:
                response = self._opener.open(request, timeout=self._timeout)
            except HTTPError as error:
                response = error
            with response:
                content = _read(response, time.monotonic() + _BODY_TIMES * self._timeout)
        except (URLError, TimeoutError, OSError, http.client.HTTPException) as error:
            raise _unreachable(self.base, error) from error
        if self._secret:
            # Some proxies show the headers that they were sent in their pages of errors.
            content = content.replace(self._secret, b"[token]")
        return _answer(response.status, response.headers, content, request)

    def _pause(self, attempt: int, told: str | None) -> None:
        wanted = float(told) if told and told.isdigit() else 0.5 * 2 ** (attempt - 1)
        self._wait(min(wanted, _LONGEST_WAIT) * random.uniform(0.8, 1.2))

    def _checked(self, answer: Answer, request: Request) -> Answer:
        place = urlsplit(request.full_url).path
        if answer.status >= 500 or answer.status == 429:
            raise ForgeDown(
                "forge-down",
                f"the forge answers {answer.status}: {said_by(answer.body) or 'it is busy'}",
                place=f"{self.base} {place}",
                hint="try the same command again later; what was done is not done twice",
            )
        if answer.status == 401:
            raise UsageError(
                "token-refused",
                f"the forge does not know the token: {said_by(answer.body)}",
                place=self.base,
                hint="make a new token there, and hand it in by OCTAVO_FORGE_TOKEN",
            )
        if answer.status >= 400:
            raise self._meaning(Refused(answer, place))
        if answer.status >= 300:
            raise _redirected(request, answer)
        return answer

    def _meaning(self, refused: Refused) -> OctavoError:
        """What a refusal means, where a forge says more than that it refuses."""
        return refused


class _SameHost(HTTPRedirectHandler):
    """Redirects stay on their host and keep their method, or are not followed.

    Nor are those that leave an encrypted connection: the token would be sent in the open.
    """

    def redirect_request(
        self, request: Request, response: Any, code: int, message: str, headers: Any, address: str
    ) -> Request | None:
        there, here = urlsplit(address), urlsplit(request.full_url)
        if there.netloc != here.netloc or there.scheme not in (here.scheme, "https"):
            return None
        followed = Request(
            address,
            data=request.data,
            headers=dict(request.header_items()),
            method=request.get_method(),
        )
        return followed


def segment(text: str) -> str:
    """A name as one part of a path."""
    return quote(text, safe="")


def said_by(body: Any) -> str:
    """What an answer gives as its reason."""
    if isinstance(body, Mapping):
        message = str(body.get("message") or body.get("error") or "")
        errors = body.get("errors")
        if isinstance(errors, list):
            told = [
                str(each.get("message") or each) if isinstance(each, Mapping) else str(each)
                for each in errors
            ]
            message = ": ".join(part for part in (message, ", ".join(told)) if part)
        return message.strip()[:500]
    return ""


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@contextmanager
def understood(place: str) -> Iterator[None]:
    """What is read in here from an answer is there, or the forge answers nonsense."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise InfrastructureError(
            "forge-answer",
            "the forge answers with JSON that its API does not know",
            place=place,
            hint="check the address of the remote, and which forge it is: --forge says so",
            details={"reason": f"{type(error).__name__}: {error}"},
        ) from error


def _listed(items: Any) -> list[Any]:
    if not isinstance(items, list | None):
        raise TypeError("not a list")
    return items or []


def _more(headers: Mapping[str, str], got: int, seen: int, size: int) -> bool:
    """Whether a list goes on. A forge may give fewer per page than it was asked for."""
    if got == 0:
        return False
    if "link" in headers:
        return 'rel="next"' in headers["link"]
    total = headers.get("x-total-count", "")
    return seen < int(total) if total.isdigit() else got >= size


def _read(response: Any, until: float) -> bytes:
    content = bytearray()
    while piece := response.read1(1 << 16):
        content += piece
        if time.monotonic() > until:
            raise TimeoutError("timed out")
        if len(content) > _LARGEST:
            raise http.client.HTTPException(f"its answer is larger than {_LARGEST >> 20} MB")
    if getattr(response, "length", None):
        raise http.client.HTTPException("its answer ends in the middle")
    return bytes(content)


def _answer(status: int, headers: Any, content: bytes, request: Request) -> Answer:
    names = {name.lower(): value for name, value in headers.items()}
    if not content.strip():
        return Answer(status, names, None)
    try:
        return Answer(status, names, json.loads(content))
    except (ValueError, RecursionError):
        if status >= 300:
            return Answer(status, names, None)
        raise _no_json(request, names.get("content-type", ""), content) from None


def _no_json(request: Request, media_type: str, content: bytes) -> InfrastructureError:
    what = "a page" if "html" in media_type or content.lstrip()[:1] == b"<" else "no JSON"
    return InfrastructureError(
        "forge-answer",
        f"the forge answers with {what} where its API should be",
        place=request.full_url.partition("?")[0],
        hint="check the address of the remote, and whether a proxy or a login page is in between",
    )


def _no_token(base: str) -> UsageError:
    return UsageError(
        "token-refused",
        "the token has characters that no token has, such as a line end",
        place=base,
        hint="set OCTAVO_FORGE_TOKEN to the token and nothing else",
    )


def _redirected(request: Request, answer: Answer) -> InfrastructureError:
    there = urlsplit(answer.headers.get("location", ""))
    return InfrastructureError(
        "forge-answer",
        f"the forge sends us elsewhere: {there.scheme}://{there.hostname or ''}{there.path}",
        place=request.full_url.partition("?")[0],
        hint="if that is where it lives now, change the address of the remote",
    )


def _unreachable(base: str, error: Exception) -> InfrastructureError:
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError) or "timed out" in str(reason):
        message = "the forge does not answer in time"
    elif isinstance(reason, ssl.SSLError):
        message = f"the connection is not trusted: {reason.reason or reason}"
    else:
        message = f"the forge cannot be reached: {getattr(reason, 'strerror', None) or reason}"
    return ForgeDown(
        "forge-down", message, place=base, hint="check the address and the network, and try again"
    )
