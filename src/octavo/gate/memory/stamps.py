"""The content of files as hashes, without reading again what has not been touched.

A stamp is what the system says of a file (times, size, number) and the hash that its content had
then. One that was taken right after the file was written is not kept: within the resolution of
its clock a system may show two contents under the same time.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

#: In place of a hash. What cannot be read is the same only as long as it cannot be read.
ABSENT, FOLDER, UNREADABLE, ENDLESS = "", "folder", "unreadable", "endless"
#: A file must have been left alone for so long before what the system says of it is trusted.
SETTLED_NS = 2_000_000_000

Stamp = list[Any]


class Stamps:
    """Hashes of the files of a project, and of those outside that it uses."""

    def __init__(self, project: Path, known: dict[str, Stamp]) -> None:
        self._project = str(project)
        self._real = os.path.realpath(project)
        self.known = known
        self.learnt: dict[str, Stamp] = {}

    def name(self, path: str) -> str:
        """A path as it is remembered: relative to the project if it lies in it."""
        for root in (self._project, self._real):
            if path.startswith(f"{root}{os.sep}"):
                return path[len(root) + 1 :]
            if path == root:
                return "."
        return path

    def path(self, name: str) -> str:
        """Where something lies that is remembered by a name."""
        return os.path.normpath(os.path.join(self._project, name))

    def digest(self, name: str) -> str:
        """The hash of what a file holds now, or a word that says why there is none."""
        path = self.path(name)
        try:
            found = os.stat(path)
        except OSError:
            return ABSENT
        if not stat.S_ISREG(found.st_mode):
            return FOLDER if stat.S_ISDIR(found.st_mode) else ENDLESS
        seen = [found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino]
        stamp = self.known.get(name)
        if stamp is not None and stamp[:4] == seen:
            return str(stamp[4])
        return self._read(name, path, seen)

    def _read(self, name: str, path: str, seen: Stamp) -> str:
        now = time.time_ns()
        try:
            with open(path, "rb") as file:
                digest = file_digest(file, "sha256").hexdigest()
        except OSError:
            return UNREADABLE
        if now - max(seen[:2]) > SETTLED_NS:
            self.known[name] = self.learnt[name] = [*seen, digest]
        return digest

    def listing(self, name: str) -> str:
        """The hash of the names in a folder. Hidden ones are the business of programs."""
        try:
            names = os.listdir(self.path(name))
        except OSError:
            return ABSENT
        return of_names(each for each in names if each[0] != "." and each != "__pycache__")

    def matches(self, pattern: str) -> list[str]:
        """The files that a pattern matches now, by the names that they are remembered by.

        A folder that is named as it is stands for all files in it.
        """
        from glob import escape, glob, has_magic

        whole = os.path.normpath(os.path.join(escape(self._project), pattern))
        found = glob(whole, recursive=True)
        if not has_magic(os.path.basename(pattern)):
            found = [file for path in found for file in _files_of(path)]
        return sorted(self.name(path) for path in found if os.path.isfile(path))


def _files_of(path: str) -> Iterator[str]:
    """A file, or those in a folder and below; hidden ones are the business of programs."""
    if not os.path.isdir(path):
        yield path
    for root, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name[0] != "." and name != "__pycache__"]
        yield from (os.path.join(root, name) for name in names if name[0] != ".")


def of_names(names: Iterable[str]) -> str:
    """The hash of some names, in whatever order they come."""
    text = "\0".join(sorted(names))
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
