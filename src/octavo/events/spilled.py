"""What a notebook shows of text that went over the cap: a line about it, and its tail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

#: Bytes `start` to `end` of a spilled file; fewer where the file has fewer.
ReadSpilled = Callable[[str, int, int], bytes]

#: How far into the tail a line may be looked for, to begin with a whole one.
_LINE_SEARCH = 4096


def no_spilled(file: str, start: int, end: int) -> bytes:
    return b""


@dataclass(slots=True)
class Stretch:
    """Bytes of a spilled file that belong at one place of a stream."""

    file: str
    start: int
    end: int
    tail: int


class Tail:
    """The end of what a cell has spilled, over all its streams, in the order it was written."""

    def __init__(self, stretches: Sequence[Stretch], read: ReadSpilled) -> None:
        self._read = read
        self._begin: dict[int, int] = {}
        self._hidden: dict[str, int] = {}
        left = stretches[-1].tail if stretches else 0
        for stretch in reversed(stretches):
            begin = max(stretch.start, stretch.end - left)
            left -= stretch.end - begin
            self._begin[id(stretch)] = begin
            hidden = self._hidden.get(stretch.file, 0)
            self._hidden[stretch.file] = hidden + begin - stretch.start

    def join(self, parts: Sequence[str | Stretch]) -> str:
        """The text of a stream, with the line that tells what was left out, once per file."""
        pieces: list[str] = []
        for part in parts:
            if isinstance(part, str):
                pieces.append(part)
            else:
                pieces.extend(self._show(part, at_line_start=_ends_line(pieces)))
        return "".join(pieces)

    def _show(self, stretch: Stretch, *, at_line_start: bool) -> list[str]:
        begin = self._begin[id(stretch)]
        raw = self._read(stretch.file, begin, stretch.end) if begin < stretch.end else b""
        gone = stretch.end - begin - len(raw)
        hidden = self._hidden.get(stretch.file, 0) + gone
        pieces = []
        if hidden:
            self._hidden[stretch.file] = 0
            where = f"{stretch.file} is cut short" if gone else f"the whole is in {stretch.file}"
            fresh_line = "" if at_line_start else "\n"
            pieces.append(f"{fresh_line}… {size_text(hidden)} left out, {where} …\n")
        pieces.append(_text(raw, cut=begin > stretch.start))
        return pieces


def _ends_line(pieces: Sequence[str]) -> bool:
    return not pieces or pieces[-1].endswith("\n")


def _text(raw: bytes, *, cut: bool) -> str:
    """Bytes as text; where they were cut, from the next line or at least the next character."""
    start = 0
    if cut:
        start = raw.find(b"\n", 0, _LINE_SEARCH) + 1
        while start < len(raw) and raw[start] & 0xC0 == 0x80:
            start += 1
    try:
        return raw[start:].decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return raw[start:].decode("utf-8", "replace")


def size_text(size: int) -> str:
    """A number of bytes for people: 93.4 MB."""
    if size < 1000:
        return f"{size} bytes"
    amount = size / 1000
    for unit in ("kB", "MB"):
        if amount < 999.95:
            return f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"
