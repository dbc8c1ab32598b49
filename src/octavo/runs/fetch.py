"""One request to a web server: bounded in size, time and redirects, whatever the server does."""

from __future__ import annotations

import time
from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from http.client import HTTPResponse
    from urllib.request import OpenerDirector

SCHEMES = ("http", "https")
REDIRECTS = 5
#: How long a server may be silent, and how long all of it may take.
SILENCE = 30.0
IN_ALL = 300.0
_CHUNK = 1 << 16
#: The window of zlib that takes what gzip packed and what zlib did.
_EITHER = 47


class TooLarge(ValueError):
    """More came than was asked for at most."""


class Broken(ValueError):
    """The answer cannot be used; the text says why."""


def fetch(address: str, headers: Mapping[str, str], largest: int) -> bytes:
    """The content at an address: complete, unpacked, and in time, or an exception."""
    until = time.monotonic() + IN_ALL
    return _in_time(lambda: _fetched(address, headers, largest, until))


def _in_time(work: Callable[[], bytes]) -> bytes:
    """In a thread, since a header that comes byte by byte is never silent and never ends."""
    import threading

    done: list[bytes | BaseException] = []

    def keep() -> None:
        try:
            done.append(work())
        except Exception as error:
            done.append(error)

    worker = threading.Thread(target=keep, daemon=True, name="octavo-fetch")
    worker.start()
    worker.join(IN_ALL)
    if not done:
        raise TimeoutError(_too_slow())
    if isinstance(done[0], BaseException):
        raise done[0]
    return done[0]


def _too_slow() -> str:
    return f"it has not sent everything within {IN_ALL:g} seconds"


def _fetched(address: str, headers: Mapping[str, str], largest: int, until: float) -> bytes:
    from urllib.request import Request

    request = Request(address, headers={"Accept-Encoding": "gzip", **headers})
    with _opener().open(request, timeout=SILENCE) as answer:
        parts = _unpacked(_received(answer, until), answer.headers.get("Content-Encoding", ""))
        return _joined(parts, largest)


def _opener() -> OpenerDirector:
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class Redirects(HTTPRedirectHandler):
        max_redirections = REDIRECTS
        max_repeats = REDIRECTS
        inf_msg = "after too many redirects, the last: "

        def redirect_request(self, req: Request, *answer: Any) -> Request | None:
            new = super().redirect_request(req, *answer)
            if new is not None and new.type not in SCHEMES:
                raise Broken(f"it leads to {new.type}://, which is not supported")
            if new is not None and (new.type, new.host) != (req.type, req.host):
                # A login is for the server that it was given for.
                new.remove_header("Authorization")
            return new

    return build_opener(Redirects)


def _received(answer: HTTPResponse, until: float) -> Iterator[bytes]:
    """What comes, until the announced length; an answer that breaks off is an error."""
    missing = answer.length
    while chunk := answer.read1(_CHUNK):
        yield chunk
        missing = None if missing is None else missing - len(chunk)
        if missing == 0:
            return
        if time.monotonic() > until:
            raise TimeoutError(_too_slow())
    if missing:
        raise Broken(f"the answer breaks off, {missing:,} bytes are missing")


def _unpacked(parts: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """The content as it was before the server packed it."""
    import zlib

    if encoding.lower() in ("", "identity"):
        yield from parts
        return
    if encoding.lower() not in ("gzip", "x-gzip", "deflate"):
        raise Broken(f"the answer is packed as {encoding}, which nobody asked for")
    unpack = zlib.decompressobj(_EITHER)
    try:
        for part in parts:
            while part:
                if unpack.eof:
                    unpack = zlib.decompressobj(_EITHER)
                yield unpack.decompress(part, _CHUNK)
                part = unpack.unconsumed_tail or unpack.unused_data
        yield unpack.flush()
    except zlib.error as error:
        raise Broken(f"the answer cannot be unpacked: {error}") from error
    if not unpack.eof:
        raise Broken("the answer breaks off")


def _joined(parts: Iterator[bytes], largest: int) -> bytes:
    chunks: list[bytes] = []
    left = largest
    for chunk in parts:
        left -= len(chunk)
        if left < 0:
            raise TooLarge
        chunks.append(chunk)
    return b"".join(chunks)
