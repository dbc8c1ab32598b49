"""HTML as blocks of text and tables: enough to read what a notebook shows, and nothing more.

A reader of its own: that of the standard library takes minutes for 60 kB of unclosed tags, and
fails on some. This one goes over the text once, whatever is in it, and looks at a bounded part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from octavo.value import Value

#: More of a document is not looked at; tables have at most so many cells.
MOST_CHARACTERS, MOST_CELLS, MOST_SPAN = 4_000_000, 200_000, 1000

_UNSEEN = frozenset(("script", "style", "template", "svg", "math", "title", "noscript"))
_BREAKING = frozenset((
    "address", "article", "aside", "blockquote", "br", "dd", "details", "div", "dl", "dt",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
    "li", "main", "nav", "ol", "p", "pre", "section", "summary", "ul",
))  # fmt: skip
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_SPAN = re.compile(r"\b(col|row)span\s*=\s*[\"']?(\d{1,4})", re.IGNORECASE)
_NAME = re.compile(r"/?([a-zA-Z][a-zA-Z0-9]*)")
_END_OF_RAW = re.compile(r"</(?:script|style)", re.IGNORECASE)


class Text(Value):
    """A line or more of running text; `kind` is `text`, `heading`, `item` or `code`."""

    text: str
    kind: str = "text"


class Grid(Value):
    """A table; the first `heads` rows are headings. Rows may differ in length."""

    rows: tuple[tuple[str, ...], ...]
    heads: int = 0


def html_blocks(html: str) -> list[Text | Grid]:
    """What a document shows, from top to bottom."""
    reader = _Reader()
    for is_tag, piece in _tokens(html[:MOST_CHARACTERS]):
        if is_tag:
            reader.tag(piece)
        else:
            reader.text(unescape(piece))
    return reader.done()


def has_table(html: str) -> bool:
    """Whether there is a table in a document."""
    return "<table" in html[:MOST_CHARACTERS].lower()


def _tokens(html: str) -> Iterator[tuple[bool, str]]:
    """Tags without their brackets, and the text between them; comments are left out."""
    at, end = 0, len(html)
    while at < end:
        start = html.find("<", at)
        start = end if start < 0 else start
        if start > at:
            yield False, html[at:start]
        if html.startswith("<!--", start):
            close = html.find("-->", start + 4)
            at = end if close < 0 else close + 3
        elif _begins_tag(html[start + 1 : start + 2]):
            close = html.find(">", start)
            if close < 0:
                yield False, html[start:]
                return
            tag = html[start + 1 : close]
            yield True, tag
            at = _after_raw(html, close + 1) if _is_raw(tag) else close + 1
        else:
            yield False, html[start : start + 1]
            at = start + 1


def _begins_tag(character: str) -> bool:
    return character.isalpha() or character in ("/", "!", "?")


def _is_raw(tag: str) -> bool:
    """Whether `<` means nothing in what follows a tag."""
    found = _NAME.match(tag)
    return found is not None and found[0].lower() in ("script", "style")


def _after_raw(html: str, at: int) -> int:
    found = _END_OF_RAW.search(html, at)
    return found.start() if found else len(html)


class _Reader:
    """Takes tags and text, and gathers blocks."""

    def __init__(self) -> None:
        self._blocks: list[Text | Grid] = []
        self._words: list[str] = []
        self._kind = "text"
        self._hidden = ""
        self._hidden_depth = 0
        self._table: _Table | None = None
        self._depth = 0

    def tag(self, content: str) -> None:
        found = _NAME.match(content)
        if found is None:
            return
        name, closing = found[1].lower(), content.startswith("/")
        if name in _UNSEEN:
            self._hide(name, closing, content)
        elif self._hidden:
            return
        elif name == "table":
            self._tables(closing)
        elif self._table is not None:
            self._table.tag(name, closing, content)
        elif name in _BREAKING:
            self._break(name, closing)

    def text(self, text: str) -> None:
        if self._hidden:
            return
        if self._table is not None:
            self._table.text(text)
        else:
            self._words.append(text)

    def done(self) -> list[Text | Grid]:
        self._end_table()
        self._flush()
        return self._blocks

    def _hide(self, name: str, closing: bool, content: str) -> None:
        """Nothing is seen until the outermost of these is closed."""
        if self._hidden not in ("", name):
            return
        if closing:
            self._hidden_depth = max(0, self._hidden_depth - 1)
        elif not content.endswith("/"):
            self._hidden_depth += 1
        self._hidden = name if self._hidden_depth else ""

    def _tables(self, closing: bool) -> None:
        """Only the outermost table is one; what is in it is text of its cells."""
        self._depth = max(0, self._depth + (-1 if closing else 1))
        if closing and self._depth == 0:
            self._end_table()
        elif self._table is None:
            self._flush()
            self._table = _Table()

    def _end_table(self) -> None:
        if self._table is not None and (grid := self._table.grid()).rows:
            self._blocks.append(grid)
        self._table = None

    def _break(self, name: str, closing: bool) -> None:
        self._flush()
        if closing or name in ("br", "hr"):
            self._kind = self._kind if name == "br" else "text"
        elif name in _HEADINGS:
            self._kind = "heading"
        else:
            self._kind = {"li": "item", "pre": "code"}.get(name, "text")

    def _flush(self) -> None:
        text = "".join(self._words)
        text = text.strip("\n") if self._kind == "code" else " ".join(text.split())
        if text:
            self._blocks.append(Text(text, self._kind))
        self._words.clear()


class _Table:
    """The rows of a table while they come; a cell over several rows leaves blanks below it."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = []
        self._row: list[str] | None = None
        self._cell: list[str] | None = None
        self._span = (1, 1)
        self._reaching: dict[int, int] = {}
        self._fresh: dict[int, int] = {}
        self._heads = 0
        self._in_head = False
        self._only_heads = True
        self._left = MOST_CELLS

    def tag(self, name: str, closing: bool, content: str) -> None:
        if name == "thead":
            self._end_row()
            self._in_head = not closing
        elif name == "tr":
            self._end_row()
            if not closing:
                self._begin_row()
        elif name in ("td", "th"):
            self._end_cell()
            if not closing:
                self._begin_cell(name, content)
        elif name in _BREAKING:
            self.text(" ")

    def text(self, text: str) -> None:
        if self._cell is not None:
            self._cell.append(text)

    def grid(self) -> Grid:
        self._end_row()
        return Grid(tuple(map(tuple, self._rows)), self._heads)

    def _begin_row(self) -> None:
        self._row, self._only_heads = [], True
        self._skip_reached()

    def _begin_cell(self, name: str, content: str) -> None:
        if self._row is None:
            self._begin_row()
        spans = {kind.lower(): int(number) for kind, number in _SPAN.findall(content)}
        self._span = (spans.get("col", 1), spans.get("row", 1))
        self._cell = []
        self._only_heads = self._only_heads and name == "th"

    def _end_cell(self) -> None:
        if self._cell is None or self._row is None:
            return
        text = " ".join("".join(self._cell).split())
        across, down = (min(MOST_SPAN, max(1, span)) for span in self._span)
        self._cell = None
        self._left -= across
        if self._left < 0:
            return
        if down > 1:
            self._fresh.update({len(self._row) + at: down - 1 for at in range(across)})
        self._row += [text, *[""] * (across - 1)]
        self._skip_reached()

    def _skip_reached(self) -> None:
        """Room for cells that reach down from rows above."""
        assert self._row is not None
        while self._reaching.get(len(self._row), 0):
            self._row.append("")

    def _end_row(self) -> None:
        self._end_cell()
        row, self._row = self._row, None
        self._left -= len(self._reaching)
        if self._left < 0:
            self._reaching, self._fresh = {}, {}
        if row is None or self._left < 0:
            return
        still = {at: down - 1 for at, down in self._reaching.items() if down > 1}
        self._reaching = {**still, **self._fresh}
        self._fresh = {}
        if any(row):
            is_head = self._in_head or self._only_heads
            self._heads += is_head and self._heads == len(self._rows)
            self._rows.append(row)
