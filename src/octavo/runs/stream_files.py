"""`--stdout-file` and `--stderr-file`: what cells write, in files of the user's as it comes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Self

from octavo.errors import ConflictError, OctavoError, StorageError, UsageError
from octavo.events.types import KernelEvent, Stream
from octavo.runs.output_path import STANDARD
from octavo.systems import OURS

#: The descriptors that a path may stand for. What is open already is not opened anew: a pipe of
#: another program may be a socket, which cannot be.
_OPEN = {STANDARD: 1, "/dev/stdout": 1, "/dev/stderr": 2}


class StreamFiles:
    """The files that streams are written to, by name of the stream."""

    def __init__(
        self, stdout: str | None, stderr: str | None, cwd: str, others: Iterable[str] = ()
    ) -> None:
        """`others` are paths of the same run that must not be written over."""
        self._paths: dict[str, str] = {}
        self._open: dict[str, int] = {}
        self._others = tuple(others)
        for name, path in (("stdout", stdout), ("stderr", stderr)):
            if path is not None:
                self._paths[name] = _absolute(path, cwd)

    def __enter__(self) -> Self:
        """Begin the files anew; UsageError where one cannot be written."""
        for path in self._paths.values():
            _refuse_taken(path, self._others)
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
    return path if path == STANDARD else os.path.normpath(os.path.join(cwd, path))


def _refuse_taken(path: str, others: Iterable[str]) -> None:
    for other in others:
        if path == other or _is_same_file(path, other):
            raise ConflictError(
                "output-exists",
                "what cells write would take the place of the notebook",
                place=path,
                hint="name another file after --stdout-file and --stderr-file",
            )


def _is_same_file(path: str, other: str) -> bool:
    try:
        return os.path.isfile(path) and os.path.samefile(path, other)
    except OSError:
        return False


def _opened(path: str) -> int:
    # What is a terminal or a pipe is written to where it stands; a file begins anew.
    anew = 0 if path.startswith("/dev/") else os.O_TRUNC
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | OURS | anew
    try:
        return os.dup(_OPEN[path]) if path in _OPEN else os.open(path, flags, 0o666)
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
