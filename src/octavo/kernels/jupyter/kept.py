"""A kernel's process under the eyes of a keeper, which leaves nothing behind (Linux)."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

from octavo.kernels.local.wire import Reader, pack, send_launch

_PACKAGES = __file__.rpartition("/octavo/kernels/")[0]
PROGRAM = os.path.join(_PACKAGES, "octavo_runtime", "program.py")
CONTROL = 3


class KeptProcess:
    """Starts a program and tells what becomes of it: messages of its keeper, then the end."""

    has_room = True

    def __init__(
        self,
        launch: dict[str, Any],
        descriptors: list[int],
        on_message: Callable[[dict[str, Any]], None],
        on_end: Callable[[], None],
    ) -> None:
        self.pid = 0
        self._on_message = on_message
        self._on_end = on_end
        ours, theirs = socket.socketpair()
        with theirs:
            self._keeper = _spawn(theirs)
        send_launch(ours, launch, descriptors)
        self._socket = ours
        self._reader = Reader(ours, self._heard, self._ended)

    def command(self, name: str) -> None:
        """Tell the keeper to "interrupt", "stop" within its time, or "kill"."""
        try:
            self._socket.send(pack({"op": name}))
        except OSError:
            pass

    def hold(self, held: bool) -> None:
        """Stop the kernel for a while, or let it go on. Called from any thread."""
        if self.pid:
            try:
                os.killpg(self.pid, signal.SIGSTOP if held else signal.SIGCONT)
            except OSError:
                pass

    def _heard(self, message: dict[str, Any]) -> None:
        if message["type"] == "started":
            self.pid = message["pid"]
        elif message["type"] == "ended":
            self.pid = 0
        self._on_message(message)

    def _ended(self) -> None:
        self.pid = 0
        try:
            os.waitpid(self._keeper, 0)  # it has let go of its socket, which is the last it does
        except ChildProcessError:
            pass
        self._on_end()


def _spawn(control: socket.socket) -> int:
    return os.posix_spawn(
        sys.executable,
        [sys.executable, "-I", "-S", PROGRAM, str(CONTROL)],
        {"LANG": "C.UTF-8"},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_DUP2, control.fileno(), CONTROL),
        ],
        setsigdef=(signal.SIGPIPE,),
    )
