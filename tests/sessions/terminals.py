"""A person at a terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sessions.live_projects import Live


class Terminal:
    """What a person sees, and types."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._seen = ""

    def send(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def until(self, text: str) -> None:
        while text not in self._seen:
            ready = select.select([self._descriptor], [], [], 60)[0]
            assert ready, f"{text!r} never came: {self._seen!r}"
            self._seen += os.read(self._descriptor, 4096).decode().replace("\r\n", "\n")
        self._seen = self._seen.partition(text)[2]


@contextmanager
def terminal_with(live: Live, *words: str) -> Iterator[tuple[Terminal, subprocess.Popen[bytes]]]:
    """A terminal in which a command of octavo runs."""
    ours, theirs = pty.openpty()
    program = subprocess.Popen(
        [sys.executable, "-m", "octavo", *words],
        cwd=live.root,
        env={**live.variables, "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(ours), program
    finally:
        program.kill()
        program.wait()
        os.close(ours)
