"""The text that is to become the source of a cell: where it comes from, and what is refused."""

from __future__ import annotations

import os
import re
import sys

from octavo.errors import NotebookError, UsageError
from octavo.notebook.formats.percent.blocks import find_blocks
from octavo.sources import read_text

STANDARD = "-"
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str, what: str = "the source") -> str:
    """A text whose lines end in one way, and not in blank ones; what no file holds is refused."""
    if "\0" in text:
        raise _refused(f"{what} holds a NUL character", "it looks like binary data; give text")
    if _SURROGATE.search(text):
        raise _refused(f"{what} is not UTF-8 text", "convert it to UTF-8 first")
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


def clean_part(text: str) -> str:
    """The same for a part of a source, which keeps the line breaks at its end."""
    return clean(f"{text}.")[:-1]


def text_from(name: str, cwd: str) -> str:
    """The text of a file, or of standard input."""
    if name != STANDARD:
        return read_text(os.path.join(cwd, name), "wrong-argument").removeprefix("\ufeff")
    try:
        data = sys.stdin.buffer.read() if sys.stdin else b""
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        hint = "convert it first, for example with `iconv -f LATIN1 -t UTF-8`"
        raise _refused("standard input is not UTF-8", hint) from None


def refuse_markers(source: str, index: int, path: str) -> None:
    """Code with a line that opens a cell in a script was probably meant to be several cells."""
    lines = source.split("\n")
    found = [block for block in find_blocks(lines, 0) if block.start != block.body]
    if not found:
        return
    raise NotebookError(
        "notebook-invalid",
        f"line {found[0].start + 1} of the source would start another cell: "
        f"{lines[found[0].start].strip()[:60]}",
        place=f"{path}, cell {index}",
        hint="insert each cell by itself; --force keeps the line in this cell, as a comment",
    )


def _refused(message: str, hint: str) -> UsageError:
    return UsageError("wrong-argument", message, hint=hint)
