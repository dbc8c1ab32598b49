"""A server on loopback that misbehaves as it is told: it stalls, drips, lies and hangs up."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A request as the server saw it."""

    method: str
    path: str
    authorization: str
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Says:
    """An answer. `lies` is the length that it claims to have."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    lies: int | None = None


class HangsUp:
    """No answer: the connection ends."""


class Stalls:
    """No answer until the client goes away."""


class Drips:
    """An answer whose body never ends, a byte at a time."""


Answer = Says | HangsUp | Stalls | Drips
PAGE = Says(200, "<!DOCTYPE html><title>Log in</title>")


class Hostile:
    """A server that runs; `asked` are the requests that came."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.asked: list[Asked] = []
        self.answers: Callable[[Asked], Answer] = lambda _: Says(500)
        self.over = threading.Event()

    def will(self, *answers: Answer) -> None:
        """Give these answers one after the other, the last one for ever."""
        waiting = list(answers)
        self.answers = lambda _: waiting.pop(0) if len(waiting) > 1 else waiting[0]

    def posts(self, ending: str) -> list[Asked]:
        """The requests that wrote to paths with this ending."""
        return [a for a in self.asked if a.method != "GET" and a.path.endswith(ending)]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hostile: Hostile

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        authorization = self.headers.get("Authorization", "")
        asked = Asked(self.command, self.path, authorization, body)
        self.hostile.asked.append(asked)
        answer = self.hostile.answers(asked)
        self.close_connection = True
        if isinstance(answer, Says):
            self._say(answer)
        elif isinstance(answer, Stalls):
            self.hostile.over.wait()
        elif isinstance(answer, Drips):
            self._drip()
        else:
            self.connection.shutdown(socket.SHUT_RDWR)

    def _say(self, answer: Says) -> None:
        is_text = isinstance(answer.body, str)
        content = answer.body.encode() if is_text else json.dumps(answer.body).encode()
        if answer.body is None:
            content = b""
        self.send_response(answer.status)
        self.send_header("Content-Type", "text/html" if is_text else "application/json")
        self.send_header("Content-Length", str(answer.lies or len(content)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _drip(self) -> None:
        self.send_response(200)
        self.end_headers()
        while not self.hostile.over.wait(0.005):
            self.wfile.write(b" ")
            self.wfile.flush()

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def hostile_server() -> Iterator[Hostile]:
    """A hostile server for as long as the block lasts."""
    handler = type("Handler", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    handler.hostile = hostile = Hostile(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield hostile
    finally:
        hostile.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
