"""Where text for people goes: a terminal with its width and colours, or a plain stream."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TextIO

from octavo.render.style import Style

WIDTH_WITHOUT_TERMINAL = 100
NARROWEST = 20


class Screen:
    """Standard output or standard error, and what it can do."""

    def __init__(self, stream: TextIO, environ: Mapping[str, str]) -> None:
        self._stream = stream
        self._environ = environ
        self.is_terminal = _is_terminal(stream)
        #: Whether lines may be drawn again in their place.
        self.live = self.is_terminal and environ.get("TERM", "dumb") not in ("dumb", "")
        self.style = Style(colour=self._colour(), unicode=_is_unicode(stream))

    def _colour(self) -> bool:
        if self._environ.get("NO_COLOR"):
            return False
        return self.live or bool(self._environ.get("FORCE_COLOR"))

    @property
    def columns(self) -> int:
        """How wide a line may be now."""
        return max(NARROWEST, self._size()[0])

    @property
    def rows(self) -> int:
        return self._size()[1]

    def _size(self) -> tuple[int, int]:
        try:
            size = os.get_terminal_size(self._stream.fileno())
        except (OSError, ValueError):
            return self._told_columns() or WIDTH_WITHOUT_TERMINAL, 24
        return size.columns or self._told_columns() or 80, size.lines or 24

    def _told_columns(self) -> int:
        told = self._environ.get("COLUMNS", "")
        return int(told) if told.isdecimal() else 0

    def write(self, text: str) -> None:
        """Write and flush; OSError where nobody reads."""
        try:
            self._stream.write(text)
        except UnicodeEncodeError:
            self._stream.write(self.encoded(text).decode(self._encoding))
        self._stream.flush()

    def encoded(self, text: str) -> bytes:
        """Text as the bytes that this screen understands."""
        try:
            return text.encode(self._encoding)
        except UnicodeEncodeError:
            return text.replace("…", "...").encode(self._encoding, "backslashreplace")

    @property
    def _encoding(self) -> str:
        return self._stream.encoding or "ascii"

    def print(self, *lines: str) -> None:
        self.write("".join(f"{line}\n" for line in lines))


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (OSError, ValueError):
        return False


def _is_unicode(stream: TextIO) -> bool:
    encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "")
    return encoding.startswith("utf")
