"""An output, told in few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.render.compact_text import Lines
from octavo.value import EMPTY, Value


class Compact(Value):
    """`kind` is a word, `about` one line, `lines` all that can be read of an output.

    Of a very long output `gone` lines after the first `before` are not among `lines`, and
    `encoded` characters are told by their size. `facts` are for programs: plain values, bounded
    in size.
    """

    kind: str
    about: str
    lines: tuple[str, ...] = ()
    facts: Mapping[str, Any] = EMPTY
    before: int = 0
    gone: int = 0
    encoded: int = 0

    @classmethod
    def of_lines(cls, kind: str, about: str, text: Lines) -> Compact:
        return cls(kind, about, text.lines, EMPTY, text.before, text.gone, text.encoded)
