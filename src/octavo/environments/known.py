"""What was learnt about an interpreter by starting it once, so that it is not started again.

One small file per interpreter: its real path, its overlay, and the files and folders whose times
must be as they were. Installing a package changes the time of `site-packages`, so that the
interpreter is asked again.
"""

from __future__ import annotations

import os
from zlib import crc32

from octavo.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FORMAT = "1"


class Known(Value):
    """An interpreter that has shown that it can run notebooks."""

    python: str
    overlay: str | None
    root: str | None


def recall(cache: str, name: str) -> Known | None:
    """What is known about an interpreter, unless it has changed since."""
    try:
        with open(_file(cache, name), encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().split("\n")
    except (OSError, ValueError):
        return None
    if lines[:2] != [FORMAT, name] or len(lines) < 6 or lines[-1]:
        return None
    if any(_time(path) != time for time, _, path in (line.partition(" ") for line in lines[5:-1])):
        return None
    return Known(lines[2], lines[3] or None, lines[4] or None)


def remember(cache: str, name: str, known: Known, watched: Iterable[str]) -> None:
    """Keep what was learnt, until one of the watched paths changes."""
    times = [f"{_time(path)} {path}" for path in dict.fromkeys(watched)]
    head = [FORMAT, name, known.python, known.overlay or "", known.root or ""]
    file = _file(cache, name)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    temporary = f"{file}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8", errors="surrogateescape") as out:
        out.write("\n".join([*head, *times, ""]))
    os.replace(temporary, file)


def _file(cache: str, name: str) -> str:
    return os.path.join(cache, "interpreters", f"{crc32(os.fsencode(name)):08x}")


def _time(path: str) -> str:
    try:
        return str(os.stat(path).st_mtime_ns)
    except OSError:
        return "-"
