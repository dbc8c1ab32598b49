"""The outputs of a cell, for a terminal: of every bundle the form that it can show best."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from octavo.records.scraps import is_scrap, scraps_in
from octavo.render.columns import coloured, fit, plain, settled
from octavo.render.figures import size_text, value_text
from octavo.render.images import How, image_lines
from octavo.render.markdown import markdown_lines
from octavo.render.style import Style

#: An output with more lines than this is folded to its head and its tail.
LONGEST, HEAD, TAIL = 24, 14, 6


class OutputDrawer:
    """Draws outputs in a style and a width. `full` folds nothing."""

    def __init__(self, style: Style, columns: int, images: How, *, full: bool) -> None:
        self._style = style
        self._columns = columns
        self._images = images
        self._full = full

    def lines(self, outputs: Sequence[Mapping[str, Any]]) -> list[str]:
        """All outputs of a cell, one below the other."""
        return [line for output in outputs for line in self._one(output)]

    def _one(self, output: Mapping[str, Any]) -> list[str]:
        kind = output.get("output_type")
        if kind == "stream":
            return self._folded(self._text(joined(output.get("text", ""))))
        if kind == "error":
            return self._error(output)
        return self._bundle(output.get("data") or {})

    def _error(self, output: Mapping[str, Any]) -> list[str]:
        traceback = "\n".join(output.get("traceback") or ())
        if not traceback:
            traceback = f"{output.get('ename')}: {output.get('evalue')}"
        return self._text(traceback)

    def _bundle(self, data: Mapping[str, Any]) -> list[str]:
        if is_scrap(data):
            return self._scraps(data)
        image = data.get("image/png")
        if image is not None:
            return self._image(joined(image), data)
        if "text/markdown" in data:
            return markdown_lines(joined(data["text/markdown"]), self._style, self._columns)
        if "text/plain" in data:
            return self._folded(self._text(joined(data["text/plain"])))
        if "application/json" in data:
            text = json.dumps(data["application/json"], indent=2, ensure_ascii=False, default=str)
            return self._folded(self._text(text))
        return [self._note(mime, value) for mime, value in list(data.items())[:1]]

    def _scraps(self, data: Mapping[str, Any]) -> list[str]:
        return [
            self._style.paint(f"scrap {name} = {value_text(value, self._columns - 20)}", "dim")
            for name, value in scraps_in(data).items()
        ]

    def _image(self, encoded: str, data: Mapping[str, Any]) -> list[str]:
        drawn = image_lines(encoded, self._images, self._columns)
        if drawn is not None:
            return drawn
        text = joined(data.get("text/plain", ""))
        return [self._note("image/png", encoded), *self._folded(self._text(text) if text else [])]

    def _note(self, mime: str, value: Any) -> str:
        """What stands for something that a terminal cannot show."""
        text = value if isinstance(value, str) else json.dumps(value, default=str)
        size = len(text) * 3 // 4 if mime == "image/png" else len(text)
        return self._style.paint(f"[{mime}, {size_text(size)}]", "dim")

    def _text(self, text: str) -> list[str]:
        clean = (coloured if self._style.colour else plain)(settled(text)).expandtabs()
        return [part for line in clean.rstrip("\n").split("\n") for part in self._fit(line)]

    def _fit(self, line: str) -> list[str]:
        return fit(line, self._columns)

    def _folded(self, lines: list[str]) -> list[str]:
        if self._full or len(lines) <= LONGEST:
            return lines
        gone = len(lines) - HEAD - TAIL
        note = self._style.paint(f"… {gone:,} lines left out, --full shows them …", "dim")
        return [*lines[:HEAD], note, *lines[-TAIL:]]


def joined(value: Any) -> str:
    """Text that nbformat may hold as a list of lines."""
    return "".join(map(str, value)) if isinstance(value, list) else str(value)
