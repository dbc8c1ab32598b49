"""Where a kernel and its runner meet: five addresses and a key, in a folder of their own."""

from __future__ import annotations

import json
import os
import shutil
import socket
import tempfile
from collections.abc import Mapping
from typing import Any, Literal

from octavo.value import Value

Transport = Literal["ipc", "tcp"]
CHANNELS = ("shell", "iopub", "stdin", "control", "hb")

#: A path of a Unix socket has to fit into 108 bytes.
LONGEST_PATH = 100
SOCKETS = "k"


class Connection(Value):
    """One meeting place. `folder` is private (0700) and goes when the kernel does."""

    folder: str
    transport: Transport
    key: str
    ports: Mapping[str, int]

    @property
    def ip(self) -> str:
        if self.transport == "tcp":
            return "127.0.0.1"
        return os.path.join(self.folder, SOCKETS)

    @property
    def file(self) -> str:
        """The connection file, as kernels read it."""
        return os.path.join(self.folder, "connection.json")

    @property
    def home(self) -> str:
        """Where a kernel may keep what it would else put into the home folder."""
        return os.path.join(self.folder, "home")

    def address(self, channel: str) -> str:
        separator = ":" if self.transport == "tcp" else "-"
        return f"{self.transport}://{self.ip}{separator}{self.ports[channel]}"

    def write(self, kernel_name: str) -> None:
        content: dict[str, Any] = {
            "transport": self.transport,
            "ip": self.ip,
            "key": self.key,
            "signature_scheme": "hmac-sha256",
            "kernel_name": kernel_name,
            **{f"{channel}_port": port for channel, port in self.ports.items()},
        }
        os.mkdir(self.home)
        descriptor = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(content, file)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def open_connection(transport: Transport, folder: str | None = None) -> Connection:
    """A new meeting place, in a folder of the caller's if one is given and its path is short;
    where no short folder can be had, sockets have ports.
    """
    if folder is None or not fits(folder):
        folder = _folder()
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if not fits(folder):
        transport = "tcp"
    numbers = _free_ports() if transport == "tcp" else range(1, len(CHANNELS) + 1)
    ports = dict(zip(CHANNELS, numbers, strict=True))
    return Connection(folder, transport, os.urandom(24).hex(), ports)


def fits(folder: str) -> bool:
    """Whether sockets can lie in a folder."""
    return len(os.fsencode(folder)) + len(SOCKETS) + 3 <= LONGEST_PATH


def _folder() -> str:
    usual = tempfile.gettempdir()
    short = usual if len(usual) <= LONGEST_PATH - 30 or not os.path.isdir("/tmp") else "/tmp"
    return tempfile.mkdtemp(prefix="octavo-", dir=short)


def _free_ports() -> list[int]:
    """Ports that nobody uses now; held together, so that they differ."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in CHANNELS]
    try:
        return [int(each.getsockname()[1]) for each in held]
    finally:
        for each in held:
            each.close()
