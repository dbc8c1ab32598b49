"""`--stdout-file` and `--stderr-file`: what cells write, in files of the user's as it comes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Self

from octavo.errors import OctavoError, StorageError, UsageError
from octavo.events.types import KernelEvent, Stream

STANDARD = {"-": "/dev/stdout"}


class StreamFiles:
    """The files that streams are written to, by name of the stream; none at all is usual."""

    def __init__(self, stdout: str | None, stderr: str | None, cwd: str) -> None:
        self._paths: dict[str, str] = {}
        self._open: dict[str, int] = {}
        for name, path in (("stdout", stdout), ("stderr", stderr)):
            if path is not None:
                self._paths[name] = _absolute(path, cwd)

    @property
    def wanted(self) -> bool:
        return bool(self._paths)

    def __enter__(self) -> Self:
        """Begin the files anew; UsageError where one cannot be written."""
        try:
            for path in self._paths.values():
                if path not in self._open:
                    self._open[path] = _opened(path)
        except OctavoError:
            self._close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._close()

    def take(self, events: Iterable[KernelEvent]) -> None:
        """Write the text of those events that have any."""
        for event in events:
            if isinstance(event, Stream) and event.name in self._paths:
                _write(self._paths[event.name], self._open, event.text)

    def _close(self) -> None:
        for descriptor in self._open.values():
            os.close(descriptor)
        self._open.clear()


def _absolute(path: str, cwd: str) -> str:
    return os.path.normpath(os.path.join(cwd, STANDARD.get(path, path)))


def _opened(path: str) -> int:
    # What is a terminal or a pipe is written to where it stands; a file begins anew.
    anew = 0 if path.startswith("/dev/") else os.O_TRUNC
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | anew
    try:
        return os.open(path, flags, 0o666)
    except OSError as error:
        raise UsageError(
            "output-unwritable",
            f"what cells write cannot go there: {os.strerror(error.errno or 0).lower()}",
            place=path,
            hint="choose another path, in a folder that exists",
        ) from error


def _write(path: str, open_files: dict[str, int], text: str) -> None:
    data = text.encode("utf-8", "replace")
    try:
        while data:
            data = data[os.write(open_files[path], data) :]
    except OSError as error:
        raise StorageError(
            "storage",
            f"what a cell wrote could not be passed on: {os.strerror(error.errno or 0).lower()}",
            place=path,
            hint="the record has all of it; free some space, or choose another path",
        ) from error
