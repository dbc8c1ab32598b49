"""Errors: what was raised, the lines of the author that led to it, and libraries in a word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from octavo.render.compact_text import clean_lines, joined, short
from octavo.render.compact_value import Compact
from octavo.render.figures import counted

_HEAD = re.compile(
    r"\s*(?:(?P<cell>Cell In ?\[\d+\](?:, line \d+)?|Input In \[\d+\]|<ipython-input-[^>]*>)"
    r"|File (?P<file><[^>]{1,200}>|[^\s\"][^:]{0,400}):(?P<line>\d+)"
    r"|File \"(?P<quoted>[^\"]{1,400})\", line (?P<number>\d+)"
    r"|(?P<old>/[^:()]{1,400}\.py) in )"
)
_ARROW = re.compile(r"\s*-+> ?(\d+)\s?(.*)")
_RULE = re.compile(r"-{20,}$")
_TITLE = re.compile(r".{0,200}Traceback \(most recent call last\):?$")
_LIBRARY = re.compile(
    r".*(?:site|dist)-packages/([\w.-]+)"
    r"|.*/lib/python[\d.]+/([\w.-]+)"
    r"|<(frozen [\w.]+|[\w. -]+)>"
    r"|(?!/)([\w.-]+)/.*\.(?:pyx|pxi|pxd)$"  # compiled code knows itself by a path of its own
)


def error(output: Mapping[str, Any]) -> Compact:
    """An error output: name and message, then the frames in the author's own code."""
    name = short(output.get("ename") or "error", 80)
    value = short(output.get("evalue") or "", 400)
    raw = output.get("traceback") or ()
    text = "\n".join(map(str, raw)) if isinstance(raw, (list, tuple)) else joined(raw)
    cleaned = clean_lines(text)
    lines = tuple(_told(cleaned.lines))
    about = f"{name}: {value}" if value else name
    if lines and _says_again(short(lines[-1], 400), name, about):
        lines = lines[:-1]
    facts = {"ename": name, "evalue": value}
    if cleaned.gone:
        return Compact("error", about, cleaned.lines, facts, cleaned.before, cleaned.gone)
    return Compact("error", about, lines, facts)


def _says_again(last: str, name: str, about: str) -> bool:
    """Whether the last line of a traceback says what is told already, or less."""
    return last.startswith(name) and about.startswith(last.removesuffix(":"))


def _told(lines: Sequence[str]) -> Iterator[str]:
    """The traceback without what nobody needs to see twice."""
    libraries: list[str] = []
    at = 0
    while at < len(lines):
        head = _HEAD.match(lines[at])
        if head is None:
            if _says_something(lines[at]):
                yield from _folded(libraries)
                yield lines[at]
            at += 1
            continue
        end = _end_of_frame(lines, at)
        library = _library(head)
        if library:
            libraries.append(library)
        else:
            yield from _folded(libraries)
            yield from _own_frame(lines[at:end])
        at = end
    yield from _folded(libraries)


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not _RULE.match(line) and not _TITLE.match(line)


def _end_of_frame(lines: Sequence[str], at: int) -> int:
    """A frame goes on to a blank line, the next frame, or a line that is not indented."""
    end = at + 1
    while end < len(lines) and lines[end].strip() and not _HEAD.match(lines[end]):
        if not (lines[end][0].isspace() or _ARROW.match(lines[end])):
            break
        end += 1
    return end


def _library(head: re.Match[str]) -> str:
    """The library that a frame is in; empty for the author's own code."""
    path = head["file"] or head["quoted"] or head["old"]
    if path is None or path.startswith(("<stdin", "<string")):
        return ""
    found = _LIBRARY.match(path)
    return next((name for name in found.groups() if name), "") if found else ""


def _own_frame(frame: Sequence[str]) -> Iterator[str]:
    """Where it is, and the line itself; all of it where no line is marked."""
    yield frame[0].strip()
    marked = [found for line in frame[1:] if (found := _ARROW.match(line))]
    if marked:
        yield from (f"> {found[1]} {found[2]}".rstrip() for found in marked[:3])
    else:
        yield from frame[1:7]


def _folded(libraries: list[str]) -> Iterator[str]:
    """One line for all the frames in a row that are in libraries."""
    if libraries:
        names = ", ".join(dict.fromkeys(libraries))
        yield f"… {counted(len(libraries), 'frame')} in {short(names, 120)}"
        libraries.clear()
