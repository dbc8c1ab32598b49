"""A kernel's process where there is no keeper (macOS, Windows).

It has a process group of its own, which ends with it. A process that has left the group is not
found, limits are not watched, and nobody ends the kernel when the runner is killed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from octavo.errors import InfrastructureError
from octavo.kernels.jupyter.running import TAIL_CHARACTERS

GRACE_SECONDS = 15.0
#: Some kernels answer that they will end, and then hang: they are asked by a signal.
REMINDER_SECONDS = 2.5


class LogFile:
    """What the program says of itself, in a file; there is no guest who would say more."""

    guest = False

    def __init__(self, folder: str) -> None:
        self.file = open(os.path.join(folder, "log"), "w+b")  # noqa: SIM115
        self._from = 0

    def last_words(self) -> str:
        if self.file.closed:
            return ""
        size = os.fstat(self.file.fileno()).st_size
        self.file.seek(max(self._from, size - TAIL_CHARACTERS))
        return self.file.read().decode("utf-8", "replace")

    def forget(self) -> None:
        self._from = os.fstat(self.file.fileno()).st_size

    def rest(self) -> list[Any]:
        return []

    def close(self) -> None:
        self.file.close()


class PlainProcess:
    """Starts a program and tells what becomes of it."""

    has_room = False

    def __init__(
        self,
        launch: dict[str, Any],
        log: LogFile,
        on_message: Callable[[dict[str, Any]], None],
        on_end: Callable[[], None],
    ) -> None:
        _refuse_limits(launch["limits"])
        self.pid = 0
        self._on_message = on_message
        self._on_end = on_end
        self._killed = False
        self._loop = asyncio.get_running_loop()
        try:
            self._process = _start(launch, log)
        except OSError as error:
            step = "program" if os.path.isdir(launch["cwd"]) else "folder"
            reason = error.strerror or str(error)
            self._loop.call_soon(on_message, {"type": "failed", "step": step, "reason": reason})
            self._loop.call_soon(on_end)
            return
        self.pid = self._process.pid
        threading.Thread(target=self._wait, daemon=True).start()

    def command(self, name: str) -> None:
        """End or interrupt the kernel; "stop" leaves it some time to do so itself."""
        if name == "interrupt":
            self._signal(signal.SIGINT)
            self._on_message({"type": "interrupted"})
        elif name == "stop":
            self._loop.call_later(REMINDER_SECONDS, self._signal, signal.SIGTERM)
            self._loop.call_later(GRACE_SECONDS, self._kill)
        else:
            self._kill()

    def hold(self, held: bool) -> None:
        if sys.platform != "win32":
            self._signal(signal.SIGSTOP if held else signal.SIGCONT)

    def _kill(self) -> None:
        if self.pid:
            self._killed = True
            self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def _signal(self, number: int) -> None:
        if not self.pid:
            return
        try:
            if sys.platform == "win32":
                self._process.send_signal(number)
            else:
                os.killpg(self.pid, number)
        except OSError:
            pass

    def _wait(self) -> None:
        code = self._process.wait()
        try:
            self._loop.call_soon_threadsafe(self._ended, code)
        except RuntimeError:
            pass  # the loop is closed: nobody waits any more

    def _ended(self, code: int) -> None:
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))  # those it has left in its group
        self.pid = 0
        self._on_message(
            {
                "type": "ended",
                "exit_code": code if code >= 0 else None,
                "signal": -code if code < 0 else None,
                "killed": self._killed,
            }
        )
        self._on_end()


def _start(launch: dict[str, Any], log: LogFile) -> subprocess.Popen[bytes]:
    flags: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # Windows only
    return subprocess.Popen(
        launch["argv"],
        executable=launch["program"],
        cwd=launch["cwd"],
        env=launch["variables"],
        stdin=subprocess.DEVNULL,
        stdout=log.file,
        stderr=subprocess.STDOUT,
        start_new_session=sys.platform != "win32",
        creationflags=flags,
    )


def _refuse_limits(limits: dict[str, Any]) -> None:
    wanted = [name.replace("_", " ") for name, value in limits.items() if value is not None]
    if wanted:
        raise InfrastructureError(
            "platform",
            f"limits ({', '.join(wanted)}) are watched on Linux only, this is {sys.platform}",
            hint="run without them, or on Linux",
        )
