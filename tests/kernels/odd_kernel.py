"""A kernel that misbehaves in a chosen way: `python odd_kernel.py WAY CONNECTION_FILE`."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import zmq
from jupyter_client.session import Session

WAY, FILE = sys.argv[1], sys.argv[2]
INFO = {
    "status": "ok",
    "protocol_version": "5.3",
    "implementation": "odd",
    "implementation_version": "1",
    "language_info": {"name": "odd"},
    "banner": "",
}


class Odd:
    """Answers requests, each way in its own."""

    def __init__(self) -> None:
        with open(FILE) as file:
            self.info = json.load(file)
        self.context = zmq.Context()
        key = b"wrong" if WAY == "unsigned" else self.info["key"].encode()
        self.session = Session(key=key)
        self.reading = Session(key=self.info["key"].encode())
        self.shell = self.bound(zmq.ROUTER, "shell")
        self.control = self.bound(zmq.ROUTER, "control")
        self.iopub = self.bound(zmq.PUB, "iopub")

    def bound(self, kind: int, name: str) -> Any:
        socket = self.context.socket(kind)
        socket.sndhwm = 0  # it must not drop what is to be counted
        port, ip = self.info[f"{name}_port"], self.info["ip"]
        tcp = self.info["transport"] == "tcp"
        socket.bind(f"tcp://{ip}:{port}" if tcp else f"ipc://{ip}-{port}")
        return socket

    def publish(self, kind: str, content: Any, parent: Any) -> None:
        self.session.send(self.iopub, kind, content, parent=parent)

    def state(self, state: str, parent: Any) -> None:
        self.publish("status", {"execution_state": state}, parent)

    def serve(self) -> None:
        poller = zmq.Poller()
        poller.register(self.shell, zmq.POLLIN)
        poller.register(self.control, zmq.POLLIN)
        while True:
            for socket, _ in poller.poll():
                identities, frames = self.reading.feed_identities(socket.recv_multipart())
                self.answer(socket, identities, self.reading.deserialize(frames))

    def answer(self, socket: Any, identities: Any, request: Any) -> None:
        kind = request["header"]["msg_type"]
        if kind == "shutdown_request":
            sys.exit(0)
        if WAY == "garbage":
            parts = [b"<IDS|MSG>", b"", b"{", b"nonsense", b"}", b"\xff"]
            socket.send_multipart([*identities, *parts])
            return
        if WAY == "shapeless":
            socket.send_multipart([*identities, b"only this"])
            return
        self.state("busy", request)
        reply: Any = INFO
        if kind == "execute_request":
            reply = self.execute(request)
        if reply is not None:
            self.session.send(socket, kind.replace("request", "reply"), reply, parent=request,
                              ident=identities)  # fmt: skip
        if WAY != "never-idle" or kind != "execute_request":
            self.state("idle", request)

    def execute(self, request: Any) -> Any:
        ok: Any = {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}
        if WAY == "strangers":
            stranger = {"header": {**request["header"], "msg_id": "somebody-else"}}
            self.publish("stream", {"name": "stdout", "text": "not yours\n"}, stranger)
            self.publish("unheard_of", {"a": 1}, request)
            self.iopub.send_multipart([b"<IDS|MSG>", b"bad", b"{}", b"{}", b"{}", b"{}"])
            self.iopub.send(b"\x00\xff")
        if WAY == "malformed":
            self.publish("stream", {"name": "stdout"}, request)
            self.publish("display_data", {"data": "text"}, request)
            self.publish("error", {}, request)
        if WAY == "flood":
            for number in range(int(request["content"]["code"])):
                self.publish("stream", {"name": "stdout", "text": f"{number:099d}\n"}, request)
        self.publish("stream", {"name": "stdout", "text": "yours\n"}, request)
        if WAY == "asks-input":
            ok["status"], ok["ename"], ok["evalue"] = "error", "NoInput", "nobody is there"
            ok["traceback"] = ["NoInput: nobody is there"]
        if WAY == "leaves":
            ok["payload"] = [{"source": "ask_exit", "keepkernel": False}]
        return None if WAY == "no-reply" else ok


if __name__ == "__main__":
    if WAY == "ends":
        sys.stderr.write("the licence has expired\n")
        sys.exit(7)
    if WAY == "silent":
        sys.stderr.write("waiting for the moon\n")
        sys.stderr.flush()
        os.read(os.pipe()[0], 1)
    Odd().serve()
