"""Texts that a forge takes: within its limits, and the same when they are given again."""

from __future__ import annotations

import re

_UNSENDABLE = re.compile("[\x00\ud800-\udfff]")


def sendable(text: str) -> str:
    """A text without what no forge keeps: NUL, and halves of characters."""
    return _UNSENDABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str, limit: int) -> str:
    """A text as one line that is no longer than `limit` characters."""
    line = " ".join(sendable(text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def bounded(text: str, limit: int) -> str:
    """A text of at most `limit` characters; one that was longer says so at its end."""
    text = sendable(text)
    if len(text) <= limit:
        return text
    note = f"\n\n*This text was cut: {len(text):,} characters are more than fit here.*\n"
    kept = text[: max(limit - len(note) - 4, 0)]
    kept = kept.rpartition("\n")[0] or kept
    # A block of code that is cut open would swallow the note.
    fence = "\n```" if f"\n{kept}".count("\n```") % 2 else ""
    return f"{kept}{fence}{note}"
