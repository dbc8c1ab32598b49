"""One piece of a text replaced by another, so that it can be taken out again to the byte."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from octavo.value import Value


class Splice(Value):
    """At an offset, `removed` became `inserted`. A file that was made has no `before`."""

    offset: int
    removed: bytes
    inserted: bytes
    #: Whether there was a file at all.
    existed: bool = True

    @classmethod
    def between(cls, before: bytes | None, after: bytes) -> Splice:
        """The smallest piece that differs."""
        old = before or b""
        start = _common(old, after)
        end = _common(old[start:][::-1], after[start:][::-1])
        return cls(
            start,
            old[start : len(old) - end],
            after[start : len(after) - end],
            before is not None,
        )

    def undone(self, now: bytes) -> bytes | None:
        """The content without the piece; None where it cannot be told which part it is.

        What stands around it may have changed since.
        """
        there = now[self.offset : self.offset + len(self.inserted)] == self.inserted
        if there:
            at = self.offset
        elif self.inserted and now.count(self.inserted) == 1:
            at = now.index(self.inserted)
        else:
            return None
        return now[:at] + self.removed + now[at + len(self.inserted) :]

    def to_json(self) -> dict[str, Any]:
        return {
            "offset": self.offset,
            "removed": b64encode(self.removed).decode(),
            "inserted": b64encode(self.inserted).decode(),
            "existed": self.existed,
        }

    @classmethod
    def from_json(cls, noted: Any) -> Splice:
        return cls(
            int(noted["offset"]),
            b64decode(noted["removed"]),
            b64decode(noted["inserted"]),
            bool(noted["existed"]),
        )


def _common(one: bytes, other: bytes) -> int:
    """How many bytes both begin with."""
    shorter = min(len(one), len(other))
    if one[:shorter] == other[:shorter]:
        return shorter
    low, high = 0, shorter
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
