"""Work that the command line does in a process of its own, so that it outlives this server.

What it prints as JSON is the answer; it lies beside the records until it is asked for.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

from octavo.errors import KINDS, InfrastructureError, OctavoError, UsageError
from octavo.surfaces.mcp.caller import caller
from octavo.surfaces.mcp.desk import Desk, StillRunning
from octavo.surfaces.mcp.folders import folder_in, made_in

_FOLDER = "works"
#: For how long an answer is kept, in seconds.
_KEPT = 7 * 86400.0
_ID = re.compile(r"[a-z]+-[0-9a-f]{12}")
_LONGEST = 50_000_000


class Processes:
    """The processes of one project, those of earlier servers too."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    async def run(self, kind: str, words: list[str]) -> dict[str, Any]:
        """What a command answers; StillRunning when it takes longer than a call may."""
        job = self._start(kind, words)
        if not await self.ended(job, self._desk.patience):
            raise StillRunning(job)
        return self.answer(job)

    def knows(self, job: str) -> bool:
        """Whether a job is one of these, and the caller's."""
        return (
            _ID.fullmatch(job) is not None
            and os.path.isdir(self._path(job))
            and self._desk.owners.has(job, caller().identity)
        )

    async def ended(self, job: str, seconds: float) -> bool:
        """Whether it has come to its end, within some time."""
        until = time.monotonic() + seconds
        child = self._children.get(job)
        if child is not None:
            child.poll()
        while (descriptor := self._open(job)) is not None:
            try:
                await _exit_of(descriptor, until - time.monotonic())
            finally:
                os.close(descriptor)
            if child is not None:
                child.poll()
            if time.monotonic() >= until:
                return self._open_and_shut(job)
        return True

    def answer(self, job: str) -> dict[str, Any]:
        """What it printed; the error that it told, or that it died."""
        plain = self._printed(job)
        if not isinstance(plain, dict):
            message = f"{job} ended before it had an answer"
            raise InfrastructureError("internal", message, hint="try again; see its err.txt")
        if isinstance(plain.get("error"), dict):
            raise _told(plain["error"])
        return plain

    def cancel(self, job: str) -> bool:
        """Ask it to end, as Ctrl-C does; whether there was something to ask."""
        descriptor = self._open(job)
        if descriptor is None:
            return False
        try:
            signal.pidfd_send_signal(descriptor, signal.SIGINT)
        except ProcessLookupError:
            return False
        finally:
            os.close(descriptor)
        return True

    def _start(self, kind: str, words: list[str]) -> str:
        job = f"{kind}-{secrets.token_hex(6)}"
        self._forget_old(made_in(self._desk.project, _FOLDER))
        folder = self._path(job)
        os.mkdir(folder, mode=0o700)
        self._desk.owners.note(job, caller().identity)
        with open(f"{folder}/out.json", "wb") as out, open(f"{folder}/err.txt", "wb") as err:
            child = subprocess.Popen(
                [sys.executable, "-m", "octavo", *words],
                cwd=self._desk.project,
                env=self._desk.environ,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        with open(f"{folder}/about.json", "w", encoding="utf-8") as about:
            json.dump({"pid": child.pid, "began": _began(child.pid), "kind": kind}, about)
        self._children[job] = child
        return job

    def _open(self, job: str) -> int | None:
        """The process of a job, if it still is that process."""
        try:
            with open(f"{self._path(job)}/about.json", encoding="utf-8") as file:
                about = json.load(file)
            descriptor = os.pidfd_open(about["pid"])
        except (OSError, ValueError, KeyError):
            return None
        if _began(about["pid"]) != about["began"]:
            os.close(descriptor)
            return None
        return descriptor

    def _open_and_shut(self, job: str) -> bool:
        descriptor = self._open(job)
        if descriptor is None:
            return True
        os.close(descriptor)
        return False

    def _printed(self, job: str) -> Any:
        try:
            with open(f"{self._path(job)}/out.json", encoding="utf-8") as file:
                return json.loads(file.read(_LONGEST))
        except (OSError, ValueError):
            return None

    def _path(self, job: str) -> str:
        return os.path.join(folder_in(self._desk.project, _FOLDER), job)

    def _forget_old(self, folder: str) -> None:
        """Answers that nobody came for within a week."""
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            with suppress(OSError):
                if time.time() - os.stat(path).st_mtime > _KEPT and self._open_and_shut(name):
                    shutil.rmtree(path, ignore_errors=True)


async def _exit_of(descriptor: int, seconds: float) -> None:
    """Wait until a process ends, or for so long."""
    loop = asyncio.get_running_loop()
    gone = asyncio.Event()
    loop.add_reader(descriptor, gone.set)
    try:
        await asyncio.wait_for(gone.wait(), max(0.0, seconds))
    except TimeoutError:
        return
    finally:
        loop.remove_reader(descriptor)


def _began(pid: int) -> str | None:
    """When a process began, by which it is told from a later one of the same number; None for
    one that has ended, though nobody asked for its exit code yet."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in ("Z", "X") else fields[19]


def _told(plain: dict[str, Any]) -> OctavoError:
    kind = str(plain.get("kind"))
    known = kind if kind in KINDS else "internal"
    return UsageError(
        known,
        str(plain.get("message")),
        place=str(plain.get("place") or ""),
        hint=str(plain.get("hint") or ""),
    )
