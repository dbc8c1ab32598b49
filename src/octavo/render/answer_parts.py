"""The outputs of a cell as items of an answer, before anything is cut."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any

from octavo.render.compact import Compact, compact
from octavo.render.compact_text import Lines, clean_lines, joined
from octavo.value import Value

#: Puts an image where it can be opened and gives its path: the output's index, the media type,
#: the content. None where it cannot be kept.
Keep = Callable[[int, str, bytes], str | None]

_CELL = re.compile(r"In ?\[(\d+)\](?:, line (\d+))?(?: \(([^()]{1,300}:\d+)\))?")
_FILE = re.compile(r"File \"?(?P<path>[^\s\"][^:\"]{0,400})(?:\", line |:)(?P<line>\d+)")
_LONGEST_MESSAGE = 400
#: Of longer text only the two ends are looked at, half of this each.
_LOOKED_AT = 200_000


class Author(Value):
    """The author's file, and where in it executed cells begin, by their execution counts."""

    file: str
    lines: Mapping[int, int]

    def place(self, count: int, line: int) -> str | None:
        """`report.py:15` for a line of an executed cell; None for one that is not in the file."""
        first = self.lines.get(count)
        return f"{self.file}:{first + line - 1}" if first is not None and self.file else None


class Part(Value):
    """An item with all keys but the one that holds its text, which may be long.

    `unseen` characters of it are in lines that nobody looked at, or are encoded data.
    """

    index: int
    item: Mapping[str, Any]
    key: str
    text: Lines = Lines(())
    unseen: int = 0


def part(index: int, output: Mapping[str, Any], author: Author | None, keep: Keep | None) -> Part:
    """An output as an item. Images go through `keep`, and are never in it."""
    if output.get("output_type") == "stream":
        return _stream(index, output)
    told = compact(output)
    if told.kind == "error":
        return _error(index, told, author)
    if told.kind in ("image", "svg"):
        return _image(index, output, told, keep)
    kind = "result" if output.get("output_type") == "execute_result" else "display"
    return Part(index, {"type": kind, "kind": told.kind}, "text", _lines(told), told.encoded)


def _lines(told: Compact) -> Lines:
    head = (told.about,) if told.about else ()
    before = told.before + len(head) if told.gone else 0
    return Lines((*head, *told.lines), before, told.gone, told.encoded)


def _stream(index: int, output: Mapping[str, Any]) -> Part:
    """Text that was written. Nobody can pay for all of a very long one, so it is not cleaned."""
    name = "stderr" if output.get("name") == "stderr" else "stdout"
    text = joined(output.get("text", ""))
    lines = _lines(compact(output)) if len(text) <= _LOOKED_AT else clean_lines(text, _LOOKED_AT)
    shown = sum(map(len, lines.lines)) + len(lines.lines)
    unseen = max(0, len(text) - shown) if lines.gone else lines.encoded
    return Part(index, {"type": "text", "name": name}, "text", lines, unseen)


def _error(index: int, told: Compact, author: Author | None) -> Part:
    lines = tuple(_named(line, author) for line in told.lines)
    item = {
        "type": "error",
        "name": str(told.facts.get("ename") or "error"),
        "message": str(told.facts.get("evalue") or "")[:_LONGEST_MESSAGE],
        "where": _where(lines),
    }
    return Part(index, item, "lines", Lines(lines, told.before, told.gone))


def _named(line: str, author: Author | None) -> str:
    """A line of a traceback with the place in the author's file behind the cell's number."""
    found = _CELL.search(line) if author is not None else None
    if author is None or found is None or found[2] is None or found[3]:
        return line
    place = author.place(int(found[1]), int(found[2]))
    return f"{line[: found.end()]} ({place}){line[found.end() :]}" if place else line


def _where(lines: tuple[str, ...]) -> str:
    """The innermost line of the author's own code."""
    for line in reversed(lines):
        if cell := _CELL.search(line):
            return cell[3] or f"Cell {cell[0]}"
        if file := _FILE.match(line.strip()):
            return f"{file['path']}:{file['line']}"
    return ""


def _image(index: int, output: Mapping[str, Any], told: Compact, keep: Keep | None) -> Part:
    data: Mapping[str, Any] = output["data"]
    mime = "image/svg+xml" if told.kind == "svg" else str(told.facts["mime"])
    content = _content(mime, joined(data[mime]))
    if content is None:
        return Part(index, {"type": "display", "kind": "other"}, "text", _lines(told))
    pixels = told.facts.get("pixels")
    item = {
        "type": "image",
        "mime": mime,
        "path": keep(index, mime, content) if keep is not None else None,
        **({"width": pixels[0], "height": pixels[1]} if pixels else {}),
        "bytes": len(content),
    }
    return Part(index, item, "text", Lines(told.lines, told.before, told.gone))


def _content(mime: str, text: str) -> bytes | None:
    """The bytes of an image; None where they are not what they are said to be."""
    if mime == "image/svg+xml":
        return text.encode("utf-8", "replace")
    try:
        return b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
