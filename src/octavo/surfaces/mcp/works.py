"""What is on disk of work that is no run: who does it, what it said, and its answer.

It lies beside the records until it is asked for, so that any later server can tell of it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from octavo.surfaces.mcp.folders import folder_in, made_in
from octavo.value import Value

_FOLDER = "works"
#: How the names of works begin that a server does itself, which end with it.
OF_SERVERS = "work-"
#: For how long an answer is kept, in seconds.
_KEPT = 7 * 86400.0
_ID = re.compile(r"[a-z]+-[0-9a-f]{12}")
_LONGEST = 50_000_000
_LAST = 2000


class About(Value):
    """The process that does a work; `began` tells it from a later one of the same number."""

    pid: int
    began: str | None
    kind: str
    #: The tool that was called.
    tool: str = ""


class Works:
    """The works of one project, those of earlier servers too."""

    def __init__(self, project: str) -> None:
        self._project = project

    def has(self, job: str) -> bool:
        return _ID.fullmatch(job) is not None and os.path.isdir(self.path(job))

    def path(self, job: str, name: str = "") -> str:
        return os.path.join(folder_in(self._project, _FOLDER), job, name)

    def make(self, job: str) -> None:
        """A place for a new work; answers that nobody came for within a week go."""
        self._forget_old(made_in(self._project, _FOLDER))
        os.mkdir(self.path(job), mode=0o700)

    def note(self, job: str, about: About) -> None:
        """Write down who does it."""
        self._write(job, "about.json", about.to_dict())

    def answered(self, job: str, plain: Any) -> None:
        """Write down what came of it."""
        self._write(job, "out.json", plain)

    def mark_cancelled(self, job: str) -> None:
        with suppress(OSError), open(self.path(job, "cancelled"), "wb"):
            pass

    def was_cancelled(self, job: str) -> bool:
        return os.path.exists(self.path(job, "cancelled"))

    def about(self, job: str) -> About | None:
        """Who does it, or did."""
        plain = self._read(job, "about.json")
        try:
            return About(**plain)
        except TypeError:
            return None

    def answer(self, job: str) -> Any:
        """What came of it; None where nothing was written, or not all."""
        return self._read(job, "out.json")

    def said(self, job: str) -> str:
        """The last line that it said about how it goes on."""
        try:
            with open(self.path(job, "err.txt"), "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _LAST))
                lines = file.read().decode("utf-8", "replace").split("\n")
        except OSError:
            return ""
        return next((line.strip() for line in reversed(lines[:-1]) if line.strip()), "")

    def opened(self, job: str) -> int | None:
        """The process that does a work, if it still is that process. What a server did itself is
        done once there is an answer, though the server goes on."""
        about = self.about(job)
        if about is None or (job.startswith(OF_SERVERS) and self.answer(job) is not None):
            return None
        try:
            descriptor = os.pidfd_open(about.pid)
        except OSError:
            return None
        if about.began is None or began(about.pid) != about.began:
            os.close(descriptor)
            return None
        return descriptor

    def goes_on(self, job: str) -> bool:
        descriptor = self.opened(job)
        if descriptor is None:
            return False
        os.close(descriptor)
        return True

    def under_way(self) -> Iterator[str]:
        """Those that go on."""
        try:
            names = os.listdir(folder_in(self._project, _FOLDER))
        except OSError:
            return
        yield from (name for name in names if _ID.fullmatch(name) and self.goes_on(name))

    def _write(self, job: str, name: str, plain: Any) -> None:
        path = self.path(job, name)
        with open(f"{path}-", "w", encoding="utf-8") as file:
            json.dump(plain, file, default=str)
        os.replace(f"{path}-", path)

    def _read(self, job: str, name: str) -> Any:
        try:
            with open(self.path(job, name), encoding="utf-8") as file:
                return json.loads(file.read(_LONGEST))
        except (OSError, ValueError):
            return None

    def _forget_old(self, folder: str) -> None:
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            with suppress(OSError):
                if time.time() - os.stat(path).st_mtime > _KEPT and not self.goes_on(name):
                    shutil.rmtree(path, ignore_errors=True)


def began(pid: int) -> str | None:
    """When a process began, by which it is told from a later one of the same number; None for
    one that has ended, though nobody asked for its exit code yet."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in ("Z", "X") else fields[19]
