"""What answers under the address of a Jupyter server, and is none or is broken."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from octavo.errors import InfrastructureError
from octavo.kernels.remote import http
from octavo.kernels.remote.finding import running
from octavo.kernels.remote.server import server_at

Say = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def _answering(say: Say) -> Iterator[str]:
    """A server that says this to everybody; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            say(self)

        def log_message(self, *words: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def _said(content: bytes, code: int = 200, length: int | None = None) -> Say:
    def say(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        handler.send_header("Content-Length", str(len(content) if length is None else length))
        handler.end_headers()
        handler.wfile.write(content)

    return say


def _refused(say: Say) -> InfrastructureError:
    with _answering(say) as url, pytest.raises(InfrastructureError) as refused:
        asyncio.run(running(server_at(url, "a token")))
    assert refused.value.hint
    return refused.value


@pytest.mark.parametrize(
    "content",
    [
        b"<html>",
        b"[" * 100_000,
        b"{}",
        b"[5]",
        json.dumps([{}]).encode(),
        json.dumps([{"id": "../../etc"}]).encode(),
        rb'[{"id": "\ud800"}]',
    ],
)
def test_what_is_no_list_of_kernels_is_told(content: bytes) -> None:
    error = _refused(_said(content))
    assert (error.kind, "does not look like" in error.message) == ("jupyter-server", True)


def test_a_refusal_that_is_nonsense_is_a_refusal() -> None:
    assert _refused(_said(b"[" * 50_000, code=401)).kind == "jupyter-token"


def test_an_answer_that_breaks_off_is_not_taken_for_the_whole() -> None:
    assert "breaks off" in _refused(_said(b"[]", length=1000)).message


def test_an_answer_that_comes_drop_by_drop_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "WHOLE_SECONDS", 0.0)
    given_up = threading.Event()

    def say(handler: BaseHTTPRequestHandler) -> None:
        _said(b" ", length=1000)(handler)
        handler.wfile.flush()
        given_up.wait(60)

    with _answering(say) as url:
        try:
            with pytest.raises(InfrastructureError) as refused:
                asyncio.run(running(server_at(url)))
        finally:
            given_up.set()
    assert "not whole" in refused.value.message


def test_odd_words_about_a_kernel_do_no_harm() -> None:
    odd = {"id": "abcd", "name": "\ud800", "type": "notebook", "kernel": "abcd", "path": 5}
    with _answering(_said(json.dumps([odd]).encode())) as url:
        (found,) = asyncio.run(running(server_at(url)))
    assert found.words() == "abcd (?)"
