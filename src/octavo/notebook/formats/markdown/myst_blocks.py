"""Where the cells of a MyST document start and end.

Cells are fences at the left margin that say `{code-cell}` or `{raw-cell}`; all other text is cut
at `+++` lines, which may carry the metadata of the text below them as JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from textwrap import dedent
from typing import Any, NamedTuple

from octavo.errors import NotebookError
from octavo.notebook.formats.markdown.fences import Closings, Fence, opening_fence
from octavo.notebook.formats.markdown.parts import Block, unclosed
from octavo.notebook.formats.percent.header import plain
from octavo.notebook.model import CellKind

DIRECTIVES: Mapping[str, CellKind] = {"{code-cell}": "code", "{raw-cell}": "raw"}
REGION = re.compile(r"<!--\s*#(region|markdown|md|raw)(\s.*?)?\s*-->\s*$")
_BREAK = re.compile(r"\+[ \t]*\+[ \t]*\+[+ \t]*(.*)$")


class Landmark(NamedTuple):
    """A line that matters: a fence with its last line (None: never closed), or a break."""

    at: int
    fence: Fence | None = None
    close: int | None = None

    @property
    def kind(self) -> CellKind | None:
        """The kind of cell that a fence is."""
        if self.fence is None or self.fence.indent:
            return None
        names = (name for name in DIRECTIVES if self.fence.info.startswith(name))
        return DIRECTIVES.get(next(names, ""))


def landmarks(lines: Sequence[str], first: int) -> Iterator[Landmark]:
    """Fences and breaks that are inside of nothing else, in their order."""
    closings = Closings(lines)
    at = first
    while at < len(lines):
        line = lines[at]
        if line.startswith("<!--"):
            at = _comment_end(lines, at) + 1
            continue
        if line.startswith("+") and _BREAK.match(line):
            yield Landmark(at)
        elif fence := opening_fence(line):
            close = closings.closing(at, fence)
            yield Landmark(at, fence, close)
            at = at if close is None else close
        at += 1


def has_directive(lines: Sequence[str], first: int = 0) -> bool:
    """Whether there is a cell in MyST's spelling, outside of Jupytext's regions."""
    if not any(name in line for line in lines for name in DIRECTIVES):
        return False
    return any(mark.kind for mark in landmarks(_without_regions(lines[first:]), 0))


def _without_regions(lines: Sequence[str]) -> list[str]:
    found, name = [], ""
    for line in lines:
        start = None if name else REGION.match(line)
        if not name and not start:
            found.append(line)
        name = start[1] if start else "" if f"#end{name} " in line else name
    return found


def _comment_end(lines: Sequence[str], at: int) -> int:
    end = at
    while end < len(lines) and "-->" not in lines[end]:
        end += 1
    return end


def find_blocks(lines: Sequence[str], first: int, path: str) -> list[Block]:
    """The cells from line `first` on."""
    found: list[Block] = []
    start, options, text = first, None, first
    for mark in landmarks(lines, first):
        if mark.fence is not None and mark.kind is None:
            continue
        found += _text(lines, start, text, mark.at, options)
        if mark.fence is None:
            options = _break_options(lines[mark.at], f"{path}:{mark.at + 1}")
            start, text = mark.at, mark.at + 1
        else:
            found.append(_directive(lines, mark, path))
            options, start, text = None, found[-1].end, found[-1].end
    found += _text(lines, start, text, len(lines), options)
    following = [*(block.start for block in found), len(lines)][1:]
    return [block._replace(stop=stop) for block, stop in zip(found, following, strict=False)]


def _text(
    lines: Sequence[str], start: int, body: int, end: int, options: Mapping[str, Any] | None
) -> list[Block]:
    """The text between two lines as a cell; none when all of it is blank."""
    plain_start = start == body
    while body < end and not lines[body].strip():
        body += 1
    while end > body and not lines[end - 1].strip():
        end -= 1
    if body == end:
        return []
    return [Block("markdown", body if plain_start else start, body, end, end, end, options)]


def _break_options(line: str, place: str) -> dict[str, Any] | None:
    match = _BREAK.match(line)
    text = match[1].strip() if match else ""
    if not text:
        return None
    try:
        options = json.loads(text)
    except ValueError:
        options = None
    if isinstance(options, dict):
        return options
    hint = 'write it as in +++ {"tags": ["a"]}, or leave it out'
    message = "what follows +++ is not a JSON object"
    raise NotebookError("notebook-invalid", message, place=place, hint=hint)


def _directive(lines: Sequence[str], mark: Landmark, path: str) -> Block:
    fence, kind = mark.fence, mark.kind
    assert fence is not None and kind is not None
    if mark.close is None:
        hint = f"close it with a line {fence.sign * fence.length}"
        raise unclosed("cell", path, mark.at + 1, hint)
    options, body = _options(lines, mark.at + 1, mark.close, path)
    if body < mark.close and not lines[body].strip():
        body += 1
    language = fence.info.partition("}")[2].strip()
    end = mark.close + 1
    return Block(kind, mark.at, body, mark.close, end, end, options, language)


def _options(
    lines: Sequence[str], first: int, close: int, path: str
) -> tuple[Mapping[str, Any], int]:
    """The options at the top of a directive, and the line after them."""
    at = first
    if at < close and lines[at].startswith("---"):
        at += 1
        while at < close and not lines[at].startswith("---"):
            at += 1
        text = "\n".join(lines[first + 1 : at])
        return _load(dedent(text), f"{path}:{first + 1}"), min(at + 1, close)
    while at < close and lines[at].lstrip().startswith(":"):
        at += 1
    text = "\n".join(line.lstrip()[1:] for line in lines[first:at])
    return (_load(text, f"{path}:{first + 1}") if text else {}), at


def _load(text: str, place: str) -> Mapping[str, Any]:
    import yaml

    try:
        options = yaml.safe_load(text)
    except yaml.YAMLError:
        options = ""
    if isinstance(options, Mapping | None):
        loaded: Mapping[str, Any] = plain(options or {})
        return loaded
    hint = "write them as in :tags: [parameters], or put a blank line before the code"
    message = "the options of the cell are not a YAML mapping"
    raise NotebookError("notebook-invalid", message, place=place, hint=hint)
