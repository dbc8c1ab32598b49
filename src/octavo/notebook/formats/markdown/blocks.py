"""Where the cells of a Markdown document start and end, in Jupytext's spelling.

Code fences in a language that kernels speak are code, `<!-- #region -->` comments mark text, and
all other text is cut where two blank lines stand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from octavo.notebook.formats.markdown.fences import Closings, Fence, opening_fence
from octavo.notebook.formats.markdown.languages import is_cell_language
from octavo.notebook.formats.markdown.myst_blocks import REGION
from octavo.notebook.formats.markdown.options import read_options, read_title
from octavo.notebook.formats.markdown.parts import Block, unclosed

INDENT = "    "
NO_CELL = ".noeval"


class Opening(NamedTuple):
    """The line that starts a marked cell: a code fence, or a region of some name."""

    options: Mapping[str, Any]
    fence: Fence | None = None
    language: str = ""
    region: str = ""


class TextEnd(NamedTuple):
    """Where text ends and what follows it starts.

    `dangling` when a fence in it is never closed, `indented` when it ends in indented code.
    """

    end: int
    stop: int
    dangling: bool = False
    indented: bool = False


class Finder:
    """Finds the cells in the lines of one document."""

    def __init__(
        self, lines: Sequence[str], path: str, language: str | None, split_at_heading: bool = False
    ) -> None:
        self._lines = lines
        self._path = path
        self._language = language
        self._split_at_heading = split_at_heading
        self._closings = Closings(lines)

    def blocks(self, first: int) -> list[Block]:
        """The cells from line `first` on. Blank lines are space, never a cell."""
        found: list[Block] = []
        at = self._past_blanks(first)
        while at < len(self._lines):
            opening = self.opening(at)
            block = self._text(at) if opening is None else self._marked(at, opening)
            found.append(block)
            at = block.stop
        return found

    def opening(self, at: int) -> Opening | None:
        """What the line starts, when it starts a marked cell."""
        line = self._lines[at]
        if line.startswith("<!--"):
            match = REGION.match(line)
            return Opening({}, region=match[1]) if match else None
        if not line.startswith("```"):
            return None
        fence = opening_fence(line)
        word, _, rest = fence.info.partition(" ") if fence else ("", "", "")
        if not word or not is_cell_language(word, self._language):
            return None
        options = read_options(rest)
        if NO_CELL in options and options[NO_CELL] is None:
            return None
        language = options.pop("language", word)
        return Opening(options, fence, language if isinstance(language, str) else word)

    def _past_blanks(self, at: int) -> int:
        while at < len(self._lines) and not self._lines[at].strip():
            at += 1
        return at

    def _marked(self, at: int, opening: Opening) -> Block:
        if opening.fence is not None:
            close = self._closings.closing(at, opening.fence)
            if close is None:
                sign = "`" * opening.fence.length
                raise unclosed("code fence", self._path, at + 1, f"close it with a line {sign}")
            stop = self._past_blanks(close + 1)
            return Block(
                "code", at, at + 1, close, close + 1, stop, opening.options, opening.language
            )
        close = self._region_end(at, opening.region)
        options = _region_options(self._lines[at], opening.region)
        kind = "raw" if opening.region == "raw" else "markdown"
        stop = self._past_blanks(close + 1)
        return Block(kind, at, at + 1, close, close + 1, stop, options)  # type: ignore[arg-type]

    def _region_end(self, at: int, name: str) -> int:
        pattern = re.compile(rf"<!--\s*#end{name}\s*-->\s*$")
        for end in range(at + 1, len(self._lines)):
            line = self._lines[end]
            if line.startswith("<!--") and pattern.match(line):
                return end
        hint = f"close it with a line <!-- #end{name} -->"
        raise unclosed("region", self._path, at + 1, hint)

    def _text(self, at: int) -> Block:
        found = self.text_end(at)
        return Block("markdown", at, at, found.end, found.end, found.stop)

    def text_end(self, start: int) -> TextEnd:
        """Where the text that starts at a line ends: before a marked cell or two blank lines."""
        at, blanks, indented, dangling = start, 0, False, False
        while at < len(self._lines):
            line = self._lines[at]
            if not line.strip():
                blanks, at = blanks + 1, at + 1
                continue
            if line.startswith(INDENT) and (indented or blanks):
                indented, blanks, at = True, 0, at + 1
                continue
            if at > start and self.opening(at) is not None:
                return TextEnd(at - min(blanks, 1), at, dangling)
            if blanks and not indented and self._is_cut(line, blanks):
                return TextEnd(at - min(blanks, 2), at, dangling)
            fence = opening_fence(line)
            close = self._closings.closing(at, fence) if fence else None
            dangling = dangling or (fence is not None and close is None)
            indented, blanks, at = False, 0, (at if close is None else close) + 1
        return TextEnd(at, at, dangling, indented)

    def _is_cut(self, line: str, blanks: int) -> bool:
        """Whether a line after blank ones starts another text cell."""
        return blanks >= 2 or (self._split_at_heading and line.startswith("#"))


def _region_options(line: str, name: str) -> dict[str, Any]:
    match = REGION.match(line)
    title, options = read_title((match[2] or "").strip() if match else "")
    if title:
        options["title"] = title
    if name in ("markdown", "md"):
        options["region_name"] = name
    return options
