"""Work that is done in a process of its own, so that it outlives this server."""

from __future__ import annotations

import asyncio
import os
import pickle
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from typing import IO, Any

from octavo.errors import KINDS, InfrastructureError, OctavoError, UsageError
from octavo.surfaces.mcp.caller import caller
from octavo.surfaces.mcp.desk import WORK, Desk, StillRunning
from octavo.surfaces.mcp.works import About, began

_WORKER = "octavo.surfaces.mcp.worker"
#: How often whoever waits is told how it goes on, in seconds.
_STEP = 1.0


class Processes:
    """The processes of one project, those of earlier servers too."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._works = desk.on_disk
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    async def run(self, kind: str, words: list[str]) -> dict[str, Any]:
        """What a command answers; StillRunning when it takes longer than a call may."""
        return await self._answered(self._start(kind, ["octavo", *words], None))

    async def operate(self, kind: str, operation: str, request: Any) -> dict[str, Any]:
        """What an operation of the table answers; StillRunning when it takes too long."""
        with tempfile.TemporaryFile() as handed:
            # From a file: whatever becomes of us, all of it is there to be read.
            pickle.dump((operation, request), handed)
            handed.seek(0)
            job = self._start(kind, [_WORKER], handed)
        return await self._answered(job)

    async def _answered(self, job: str) -> dict[str, Any]:
        if not await self.ended(job, self._desk.patience):
            raise StillRunning(job)
        return self.answer(job)

    def knows(self, job: str) -> bool:
        """Whether a job is one of these, and the caller's."""
        return self._works.has(job) and self._desk.owners.has(job, caller().identity)

    def kind(self, job: str) -> str:
        """What kind of work it is."""
        about = self._works.about(job)
        return about.kind if about is not None else ""

    async def ended(self, job: str, seconds: float) -> bool:
        """Whether it has come to its end, within some time."""
        until, said = time.monotonic() + seconds, ""
        self._reap(job)
        while (descriptor := self._works.opened(job)) is not None:
            left = until - time.monotonic()
            try:
                await _exit_of(descriptor, min(_STEP, left))
            finally:
                os.close(descriptor)
            self._reap(job)
            if left <= 0:
                return False
            said = self._tell(job, said)
        return True

    def answer(self, job: str) -> dict[str, Any]:
        """What it came to; the error that it told, or that it ended without a word."""
        plain = self._works.answer(job)
        if not isinstance(plain, dict):
            raise self._lost(job)
        if isinstance(plain.get("error"), dict):
            raise _told(plain["error"])
        return plain

    def was_cancelled(self, job: str) -> bool:
        """Whether it was stopped before it had an answer."""
        return self._works.was_cancelled(job) and not isinstance(self._works.answer(job), dict)

    def cancel(self, job: str) -> bool:
        """Ask it to end, as Ctrl-C does; whether there was something to ask."""
        descriptor = self._works.opened(job)
        if descriptor is None:
            return False
        try:
            self._works.mark_cancelled(job)
            signal.pidfd_send_signal(descriptor, signal.SIGINT)
        except ProcessLookupError:
            return False
        finally:
            os.close(descriptor)
        return True

    def _start(self, kind: str, module: list[str], handed: IO[bytes] | None) -> str:
        self._desk.bounds.room_for_jobs()
        job = f"{kind}-{secrets.token_hex(6)}"
        self._works.make(job)
        self._desk.owners.note(job, caller().identity)
        path = self._works.path
        with open(path(job, "out.json"), "wb") as out, open(path(job, "err.txt"), "wb") as err:
            child = subprocess.Popen(
                [sys.executable, "-m", *module],
                cwd=self._desk.project,
                env=self._desk.environ,
                stdin=handed or subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        self._works.note(job, About(child.pid, began(child.pid), kind, caller().tool))
        self._children[job] = child
        return job

    def _reap(self, job: str) -> None:
        child = self._children.get(job)
        if child is not None and child.poll() is not None:
            del self._children[job]

    def _tell(self, job: str, before: str) -> str:
        said = self._works.said(job)
        if said and said != before:
            caller().tell(self._desk.wording.text(said)[:200])
        return said

    def _lost(self, job: str) -> OctavoError:
        about = self._works.about(job)
        tool = (about.tool if about is not None else "") or "the tool"
        who = "the server that did it" if job.startswith(WORK) else "its process"
        message = f"{tool} was not done when {who} ended"
        return InfrastructureError(
            "job-lost", message, hint=f"call {tool} again: what is done already is not done twice"
        )


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


def _told(plain: dict[str, Any]) -> OctavoError:
    kind = str(plain.get("kind"))
    made = InfrastructureError if plain.get("usage") is False else UsageError
    error = made(
        kind if kind in KINDS else "internal",
        str(plain.get("message")),
        place=str(plain.get("place") or ""),
        hint=str(plain.get("hint") or ""),
    )
    error.retryable = bool(plain.get("retryable"))
    return error
