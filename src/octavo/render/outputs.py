"""The outputs of a cell, for a terminal: of every bundle the form that it can show best."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from octavo.records.scraps import is_scrap, is_scrap_type, scraps_in
from octavo.render.code import code_lines
from octavo.render.columns import closed, coloured, fit, one_line, plain, settled, wrap
from octavo.render.figures import size_text
from octavo.render.grids import GridDrawer
from octavo.render.html import Grid, Text, has_table, html_blocks
from octavo.render.images import How, image_lines
from octavo.render.markdown import markdown_lines
from octavo.render.scraps import scrap_text
from octavo.render.style import Style

#: An output with more lines than this is folded to its head and its tail.
LONGEST, HEAD, TAIL = 24, 14, 6
#: Of a traceback the end says most.
LONGEST_ERROR, HEAD_OF_ERROR, TAIL_OF_ERROR = 80, 12, 40

#: What IPython writes for an object that has only a rich form.
_PLACEHOLDER = re.compile(r"<[\w.]+(?: object)?(?: at 0x[0-9a-fA-F]+)?>$|<Figure size .*>$")


class OutputDrawer:
    """Draws outputs in a style and a width. `full` folds nothing."""

    def __init__(self, style: Style, columns: int, images: How, *, full: bool) -> None:
        self._style = style
        self._columns = columns
        self._images = images
        self._full = full
        self._grids = GridDrawer(style, columns, full=full)

    def lines(self, outputs: Sequence[Mapping[str, Any]]) -> list[str]:
        """All outputs of a cell, one below the other."""
        return [line for _, lines in self.groups(outputs) for line in lines]

    def groups(self, outputs: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[str]]]:
        """The lines of each output, and what it is: `output`, `stderr` or `error`."""
        for output in outputs:
            kind = output.get("output_type")
            if kind == "stream":
                tone = "stderr" if output.get("name") == "stderr" else "output"
                yield tone, self._folded(self._text(joined(output.get("text", ""))))
            elif kind == "error":
                yield "error", self._error(output)
            else:
                yield "output", self._bundle(output.get("data") or {})

    def _error(self, output: Mapping[str, Any]) -> list[str]:
        traceback = "\n".join(map(str, output.get("traceback") or ()))
        if not traceback:
            traceback = f"{output.get('ename')}: {output.get('evalue')}"
        lines = self._text(traceback)
        return self._folded(lines, LONGEST_ERROR, HEAD_OF_ERROR, TAIL_OF_ERROR)

    def _bundle(self, data: Mapping[str, Any]) -> list[str]:
        if is_scrap(data):
            shown = {mime: value for mime, value in data.items() if not is_scrap_type(mime)}
            return [*self._scraps(data), *(self._bundle(shown) if shown else ())]
        image = data.get("image/png")
        if image is not None:
            return self._image(joined(image), data)
        if "text/markdown" in data:
            text = joined(data["text/markdown"])
            return self._folded(markdown_lines(text, self._style, self._columns))
        plain_text = joined(data.get("text/plain", ""))
        html = joined(data.get("text/html", ""))
        if html and has_table(html) and (_says_little(plain_text) or "\n" in plain_text):
            blocks = html_blocks(html)
            if any(isinstance(each, Grid) and len(each.rows) > each.heads for each in blocks):
                return self._html(blocks)
        if not _says_little(plain_text):
            return self._folded(self._text(plain_text))
        return self._rich(data, html) or (self._text(plain_text) if plain_text else [])

    def _rich(self, data: Mapping[str, Any], html: str) -> list[str]:
        """What has no text of its own: its source where people read that, else a note."""
        if "text/latex" in data:
            return self._folded(self._text(joined(data["text/latex"])))
        if "application/json" in data:
            text = json.dumps(data["application/json"], indent=2, ensure_ascii=False, default=str)
            return self._folded(self._code(text, "json"))
        if html and (lines := self._html(html_blocks(html))):
            return lines
        others = [mime for mime in data if mime != "text/plain"]
        rich = [mime for mime in others if mime != "text/html"] or others
        return [self._note(mime, data[mime]) for mime in rich[:1]]

    def _html(self, blocks: Sequence[Text | Grid]) -> list[str]:
        lines: list[str] = []
        for block in blocks:
            if isinstance(block, Grid):
                lines += self._grids.lines(block)
            else:
                lines += self._folded(self._block(block))
        return lines

    def _block(self, block: Text) -> list[str]:
        if block.kind == "code":
            return self._text(block.text)
        first = f"{self._style.pick('•', '-')} " if block.kind == "item" else ""
        room = self._columns - len(first)
        lines = [part for line in wrap(plain(block.text), room) for part in fit(line, room)]
        names = ("bold",) if block.kind == "heading" else ()
        rest = " " * len(first)
        return [(rest if at else first) + self._style.paint(line, *names)
                for at, line in enumerate(lines)]  # fmt: skip

    def _scraps(self, data: Mapping[str, Any]) -> list[str]:
        return [
            self._style.paint(
                f"scrap {plain(name)} = {scrap_text(value, self._columns - 20)}", "dim"
            )
            for name, value in scraps_in(data).items()
        ]

    def _image(self, encoded: str, data: Mapping[str, Any]) -> list[str]:
        drawn = image_lines(encoded, self._images, self._columns)
        if drawn is not None:
            return drawn
        text = joined(data.get("text/plain", ""))
        said = [] if _says_little(text) else self._folded(self._text(text))
        return [self._note("image/png", encoded), *said]

    def _note(self, mime: str, value: Any) -> str:
        """What stands for something that a terminal cannot show."""
        text = joined(value) if isinstance(value, (str, list)) else json.dumps(value, default=str)
        binary = mime.startswith("image/") and "svg" not in mime
        size = len(text) * 3 // 4 if binary else len(text)
        return self._style.paint(f"[{one_line(mime, 60)}, {size_text(size)}]", "dim")

    def _text(self, text: str) -> list[str]:
        clean = (coloured if self._style.colour else plain)(settled(text)).expandtabs()
        lines = closed(clean.rstrip("\n").split("\n"))
        return [part for line in lines for part in self._fit(line)]

    def _code(self, text: str, language: str) -> list[str]:
        lines = code_lines(plain(text), language, self._style)
        return [part for line in lines for part in self._fit(line)]

    def _fit(self, line: str) -> list[str]:
        return fit(line, self._columns)

    def _folded(
        self, lines: list[str], longest: int = LONGEST, head: int = HEAD, tail: int = TAIL
    ) -> list[str]:
        if self._full or len(lines) <= longest:
            return lines
        gone = len(lines) - head - tail
        mark = self._style.pick("…", "...")
        note = self._style.paint(f"{mark} {gone:,} lines left out, --full shows them {mark}", "dim")
        return [*lines[:head], note, *lines[-tail:]]


def joined(value: Any) -> str:
    """Text that nbformat may hold as a list of lines."""
    return "".join(map(str, value)) if isinstance(value, list) else str(value)


def _says_little(text: str) -> bool:
    """Whether a text is none, or only names the kind of an object that has a rich form."""
    return not text.strip() or _PLACEHOLDER.match(text.strip()) is not None
