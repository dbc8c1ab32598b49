"""The journal of a job, read from a cursor on: whole lines only, each of them once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from octavo.errors import UsageError
from octavo.events.codec import decode
from octavo.events.types import Event

#: So much is read at once; what is left comes with the next cursor.
PIECE = 8 * 1024 * 1024


class Reader:
    """Reads on from a place in a journal. What its writer has not finished is left for later."""

    def __init__(self, path: Path, offset: int = 0) -> None:
        self._path = path
        self.offset = offset
        #: Whether there is more to read at once.
        self.more = False

    def events(self, most: int = PIECE) -> Iterator[Event]:
        """What was written since; a torn line, or one of a newer version, is passed over."""
        for line in self._lines(most):
            try:
                yield decode(line)
            except ValueError:
                continue

    def _lines(self, most: int) -> Iterator[bytes]:
        read = 0
        self.more = False
        if not self._path.exists():
            return  # an old record may be kept without its journal
        with self._path.open("rb", buffering=1024 * 1024) as journal:
            journal.seek(self.offset)
            for line in journal:
                if not line.endswith(b"\n"):
                    return
                if read and read + len(line) > most:
                    self.more = True
                    return
                read += len(line)
                self.offset += len(line)
                yield line


def place_of(cursor: str | None, path: Path) -> int:
    """The place that a cursor means; UsageError for one that is of no use here."""
    if not cursor:
        return 0
    try:
        offset = int(cursor) if cursor.isascii() and cursor.isdecimal() else -1
        if offset == 0:
            return 0
        with path.open("rb") as journal:
            journal.seek(max(0, offset - 1))
            if offset > 0 and journal.read(1) == b"\n":
                return offset
    except (OSError, ValueError, OverflowError):
        pass
    raise UsageError(
        "wrong-argument",
        f"{cursor[:40]!r} is no cursor of this job",
        hint="give the one that the last poll gave, or none to begin at the beginning",
    )
