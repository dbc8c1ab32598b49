"""Markdown for a terminal: headings, lists, quotes, code, tables, and emphasis within lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from octavo.render.code import code_lines
from octavo.render.columns import fit, plain, wrap
from octavo.render.grids import GridDrawer
from octavo.render.html import Grid
from octavo.render.style import Style

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r"\s*(```+|~~~+)\s*([\w+-]*)")
_ITEM = re.compile(r"(\s*)([-*+]|\d+[.)])\s+(.*)")
_RULE = re.compile(r"\s*([-*_])(\s*\1){2,}\s*$")
_UNDERLINE = re.compile(r"\s{0,3}(=+|-+)\s*$")
_DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
_BAR = re.compile(r"(?<!\\)\|")
_TAG = re.compile(
    r"</?(?:a|abbr|b|big|br|center|cite|code|del|details|div|em|font|h[1-6]|hr|i|img|ins|kbd|li"
    r"|mark|ol|p|pre|s|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|tt|u|ul)"
    r"(?:\s[^<>]{0,500})?/?>|<!--.{0,500}?-->",
    re.IGNORECASE,
)
# What has no end is looked for only so far: else a page of opening marks takes minutes.
_INLINE = re.compile(
    r"(?P<code>`+)(?P<coded>.{1,300}?)(?P=code)"
    r"|!?\[(?P<text>[^\]]{0,500}+)\]\((?P<url>[^)\s]{0,2000}+)[^)]{0,500}+\)"
    r"|(?P<strong>\*\*|__)(?=\S)(?P<bold>.{1,300}?)(?<=\S)(?P=strong)"
    r"|~~(?=\S)(?P<struck>.{1,300}?)~~"
    r"|(?P<mark>(?<!\w)[*_])(?=\S)(?P<italic>.{1,300}?)(?<=\S)(?P=mark)(?!\w)"
)


def markdown_lines(text: str, style: Style, columns: int) -> list[str]:
    """Markdown as lines that fit."""
    reader = _Reader(style, columns)
    for line in plain(text).expandtabs(4).split("\n"):
        reader.take(line)
    return reader.done()


_BOXES = {"[ ] ": ("☐", "[ ]"), "[x] ": ("☑", "[x]")}


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
        self._table: list[str] = []

    def take(self, line: str) -> None:
        if self._fence:
            self._take_code(line)
        elif self._takes_table(line):
            return
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
        self._end_table()
        self._flush()
        return list(_without_double_blanks(self._lines))

    def _special(self, line: str) -> bool:
        """Whether a line is more than a part of a paragraph."""
        if heading := _HEADING.match(line):
            self._flush()
            self._heading(heading[2], len(heading[1]))
        elif self._paragraph and not self._indent[0] and (under := _UNDERLINE.match(line)):
            text = " ".join(self._paragraph)
            self._paragraph.clear()
            self._heading(text, 1 if under[1][0] == "=" else 2)
        elif _RULE.match(line):
            self._flush()
            rule = self._style.pick("─", "-") * min(40, self._columns)
            self._lines.append(self._style.paint(rule, "dim"))
        elif item := _ITEM.match(line):
            self._flush()
            bullet = item[2] if item[2][0].isdigit() else self._style.pick("•", "-")
            text = item[3]
            if box := _BOXES.get(text[:4].lower()):
                bullet, text = self._style.pick(*box), text[4:]
            first = f"{item[1]}{bullet} "
            self._indent = (first, " " * len(first))
            self._paragraph.append(text)
        elif line.lstrip().startswith(">"):
            self._quote(line.lstrip()[1:].strip())
        else:
            return False
        return True

    def _heading(self, text: str, level: int) -> None:
        names = ("bold", "underline") if level == 1 else ("bold",)
        words = _words(_plain_inline(_bare(text)), self._style, *names)
        self._lines += wrap(words, self._columns)

    def _takes_table(self, line: str) -> bool:
        """Whether a line is one of a table; what stands above the dashes is its head."""
        if self._table and "|" in line:
            self._table.append(line)
            return True
        self._end_table()
        if "|" not in line or not _DELIMITER.match(line) or not self._paragraph:
            return False
        head = self._paragraph.pop()
        if len(_cells(head)) != len(_cells(line)):
            self._paragraph.append(head)
            return False
        self._flush()
        self._table = [head, line]
        return True

    def _end_table(self) -> None:
        if not self._table:
            return
        head, delimiter, *body = self._table
        self._table = []
        aligns = [_align(cell) for cell in _cells(delimiter)]
        rows = [[_plain_inline(_bare(cell)) for cell in _cells(line)][: len(aligns)]
                for line in (head, *body)]  # fmt: skip
        grid = Grid(tuple(map(tuple, rows)), 1)
        self._lines += GridDrawer(self._style, self._columns).lines(grid, aligns)

    def _quote(self, text: str) -> None:
        bar = f"{self._style.pick('│', '|')} "
        if self._indent[0] != bar:
            self._flush()
            self._indent = (bar, bar)
        self._paragraph.append(text)

    def _flush(self) -> None:
        first, rest = self._indent
        if self._paragraph:
            text = _inline(_bare(" ".join(self._paragraph)), self._style)
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
        self._lines += [
            f"    {part}" for line in lines for part in fit(line, max(8, self._columns - 4))
        ]
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
        if match["struck"] is not None:
            return _words(_plain_inline(match["struck"]), style, "dim")
        url = match["url"]
        shown = match["text"] or url
        link = _words(_plain_inline(shown), style, "underline")
        return link if shown == url or not url.startswith("http") else f"{link} ({url})"

    return _INLINE.sub(painted, text)


def _plain_inline(text: str) -> str:
    return _INLINE.sub(
        lambda m: (
            m["coded"] or m["bold"] or m["italic"] or m["struck"] or m["text"] or m["url"] or ""
        ),
        text,
    )


def _words(text: str, style: Style, *names: str) -> str:
    return " ".join(style.paint(word, *names) for word in text.split(" "))


def _bare(text: str) -> str:
    """Text without tags and entities, except in code."""
    if "<" not in text and "&" not in text:
        return text
    parts = text.split("`")
    parts[::2] = [unescape(_TAG.sub("", part)) for part in parts[::2]]
    return plain("`".join(parts))


def _cells(line: str) -> list[str]:
    """The cells of a line of a table; a bar that is escaped or in code parts nothing."""
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.replace("\\|", "|").strip() for cell in _BAR.split(inner)]


def _align(cell: str) -> str | None:
    if cell.startswith(":") and cell.endswith(":") and len(cell) > 1:
        return "centre"
    return "right" if cell.endswith(":") else "left" if cell.startswith(":") else None


def _without_double_blanks(lines: list[str]) -> Iterator[str]:
    last = ""
    for line in lines:
        if line or last:
            yield line
        last = line
