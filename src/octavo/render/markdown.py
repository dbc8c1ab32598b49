"""Markdown for a terminal: headings, lists, quotes, code, tables, and emphasis within lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from octavo.render.code import code_lines
from octavo.render.columns import coloured, wrap
from octavo.render.style import Style

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r"\s*(```+|~~~+)\s*([\w+-]*)")
_ITEM = re.compile(r"(\s*)([-*+]|\d+[.)])\s+(.*)")
_RULE = re.compile(r"\s*([-*_])(\s*\1){2,}\s*$")
_INLINE = re.compile(
    r"(?P<code>`+)(?P<coded>.+?)(?P=code)"
    r"|!?\[(?P<text>[^\]]*)\]\((?P<url>[^)\s]*)[^)]*\)"
    r"|(?P<strong>\*\*|__)(?=\S)(?P<bold>.+?)(?<=\S)(?P=strong)"
    r"|(?P<mark>(?<!\w)[*_])(?=\S)(?P<italic>.+?)(?<=\S)(?P=mark)(?!\w)"
)


def markdown_lines(text: str, style: Style, columns: int) -> list[str]:
    """Markdown as lines that fit."""
    reader = _Reader(style, columns)
    for line in coloured(text).expandtabs(4).split("\n"):
        reader.take(line)
    return reader.done()


class _Reader:
    """Takes lines, gathers paragraphs, and gives painted lines."""

    def __init__(self, style: Style, columns: int) -> None:
        self._style = style
        self._columns = columns
        self._lines: list[str] = []
        self._paragraph: list[str] = []
        self._indent = ("", "")
        self._fence = ""
        self._code: list[str] = []
        self._language = ""

    def take(self, line: str) -> None:
        if self._fence:
            self._take_code(line)
        elif fence := _FENCE.match(line):
            self._flush()
            self._fence, self._language = fence[1], fence[2]
        elif not line.strip():
            self._flush()
            self._lines.append("")
        elif not self._special(line):
            self._paragraph.append(line.strip())

    def done(self) -> list[str]:
        if self._fence:
            self._end_code()
        self._flush()
        return list(_without_double_blanks(self._lines))

    def _special(self, line: str) -> bool:
        """Whether a line is more than a part of a paragraph."""
        if heading := _HEADING.match(line):
            self._flush()
            names = ("bold", "underline") if len(heading[1]) == 1 else ("bold",)
            self._lines.append(self._style.paint(_plain_inline(heading[2]), *names))
        elif _RULE.match(line):
            self._flush()
            rule = self._style.pick("─", "-") * min(40, self._columns)
            self._lines.append(self._style.paint(rule, "dim"))
        elif item := _ITEM.match(line):
            self._flush()
            bullet = item[2] if item[2][0].isdigit() else self._style.pick("•", "-")
            first = f"{item[1]}{bullet} "
            self._indent = (first, " " * len(first))
            self._paragraph.append(item[3])
        elif line.lstrip().startswith(">"):
            self._quote(line.lstrip()[1:].strip())
        elif line.lstrip().startswith("|"):
            self._flush()
            self._lines.append(line)
        else:
            return False
        return True

    def _quote(self, text: str) -> None:
        bar = f"{self._style.pick('│', '|')} "
        if self._indent[0] != bar:
            self._flush()
            self._indent = (bar, bar)
        self._paragraph.append(text)

    def _flush(self) -> None:
        first, rest = self._indent
        if self._paragraph:
            text = _inline(" ".join(self._paragraph), self._style)
            lines = wrap(text, self._columns - len(rest))
            self._lines += [(rest if at else first) + line for at, line in enumerate(lines)]
        self._paragraph.clear()
        self._indent = ("", "")

    def _take_code(self, line: str) -> None:
        if line.strip().startswith(self._fence) and not line.strip().strip("`~"):
            self._end_code()
        else:
            self._code.append(line)

    def _end_code(self) -> None:
        lines = code_lines("\n".join(self._code), self._language or "text", self._style)
        self._lines += [f"    {line}" for line in lines]
        self._code.clear()
        self._fence = ""


def _inline(text: str, style: Style) -> str:
    """Emphasis, code and links. Every word is painted by itself, so that lines can be broken."""

    def painted(match: re.Match[str]) -> str:
        if match["coded"] is not None:
            return _words(match["coded"].strip(), style, "cyan")
        if match["bold"] is not None:
            return _words(_plain_inline(match["bold"]), style, "bold")
        if match["italic"] is not None:
            return _words(_plain_inline(match["italic"]), style, "italic")
        url = match["url"]
        shown = match["text"] or url
        link = _words(_plain_inline(shown), style, "underline")
        return link if shown == url or not url.startswith("http") else f"{link} ({url})"

    return _INLINE.sub(painted, text)


def _plain_inline(text: str) -> str:
    return _INLINE.sub(
        lambda m: m["coded"] or m["bold"] or m["italic"] or m["text"] or m["url"] or "", text
    )


def _words(text: str, style: Style, name: str) -> str:
    return " ".join(style.paint(word, name) for word in text.split(" "))


def _without_double_blanks(lines: list[str]) -> Iterator[str]:
    last = ""
    for line in lines:
        if line or last:
            yield line
        last = line
