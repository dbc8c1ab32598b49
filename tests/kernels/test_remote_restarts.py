"""The first words of a kernel may come late; those of another process mean a restart."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.web import Application
from tornado.websocket import WebSocketHandler

from octavo.kernels.port import Code
from octavo.kernels.remote.kernel import RemoteKernel
from octavo.kernels.remote.server import server_at


def _said(channel: str, kind: str, content: Any, session: str, parent: Any = None) -> str:
    header = {"msg_id": kind, "msg_type": kind, "session": session}
    words = {"parent_header": parent or {}, "metadata": {}, "content": content}
    return json.dumps({"channel": channel, "header": header, **words})


class _Kernel(WebSocketHandler):
    """Answers who it is; before it answers a cell, it says `starting` in the name of the code."""

    def on_message(self, message: str | bytes) -> None:
        asked = json.loads(message)
        parent, kind = asked["header"], asked["header"]["msg_type"]
        if kind == "kernel_info_request":
            info = {"implementation": "ipython", "protocol_version": "5.3"}
            self.write_message(_said("control", "kernel_info_reply", info, "first", parent))
            return
        starting = {"execution_state": "starting"}
        self.write_message(_said("iopub", "status", starting, asked["content"]["code"]))
        reply = {"status": "ok", "execution_count": 1}
        self.write_message(_said("shell", "execute_reply", reply, "first", parent))
        idle = {"execution_state": "idle"}
        self.write_message(_said("iopub", "status", idle, "first", parent))


async def _statuses(*sessions: str) -> list[str]:
    """How cells end before which a process of that name says that it starts."""
    listening, port = bind_unused_port()
    server = HTTPServer(Application([("/api/kernels/abcd/channels", _Kernel)]))
    server.add_socket(listening)
    address = server_at(f"http://127.0.0.1:{port}", "a token")
    kernel = RemoteKernel(address, "abcd", lambda events: None, owned=False)
    await kernel.ready(60)
    found = [(await kernel.execute(Code(n, name))).status for n, name in enumerate(sessions)]
    await kernel.stop()
    server.stop()
    await server.close_all_connections()
    return [str(status) for status in found]


def test_late_words_of_the_process_that_answered_are_no_restart() -> None:
    assert asyncio.run(_statuses("first", "first")) == ["ok", "ok"]


def test_first_words_of_another_process_are_a_restart() -> None:
    assert asyncio.run(_statuses("first", "second", "first")) == ["ok", "died", "died"]
