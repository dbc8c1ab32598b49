"""Several versions of one `.ipynb`, read together: a cell that stands in many is read once.

In nbformat's own spelling the text of a cell can be cut out without reading it. What is read
from equal text is one object, so that later steps see at a glance what nobody changed, and its
text is at hand when it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.errors import NotebookError
from octavo.notebook.formats import ipynb

Document = dict[str, Any]
_FIRST = ipynb.HEAD + "\n  {\n"
_BETWEEN = "\n  },\n  {\n"
_LAST = "\n  }\n ],"
_ALONE = '{{"cells": [{{{}}}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}'
_ALONE_KEYS = 4


class Reader:
    """Reads versions of one file; `path` is named in errors."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._cells: dict[str, Document] = {}
        self._texts: dict[int, str] = {}

    def read(self, text: str) -> Document:
        """The checked dictionary of a version; NotebookError when it is none."""
        try:
            found = self._read_in_parts(text)
        except (NotebookError, KeyError):
            found = None  # Reading it whole tells what is wrong, and where.
        return ipynb.parse(text, self._path) if found is None else found

    def text_of(self, cell: Mapping[str, Any]) -> str | None:
        """The text that a cell was read from, for `dumps`; None when it was made since."""
        return self._texts.get(id(cell))

    def _read_in_parts(self, text: str) -> Document | None:
        end = text.rfind(_LAST)
        if not text.startswith(_FIRST) or end < 0:
            return None
        rest = ipynb.parse('{"cells": [],' + text[end + len(_LAST) :], self._path)
        cells = [self._cell(part) for part in text[len(_FIRST) : end].split(_BETWEEN)]
        ids = [cell["id"] for cell in cells] if rest["nbformat_minor"] >= 5 else []
        if rest["cells"] or rest["nbformat"] != 4 or len(ids) != len(set(ids)):
            return None
        return {**rest, "cells": cells}

    def _cell(self, part: str) -> Document:
        if part not in self._cells:
            alone = ipynb.parse(_ALONE.format(part), self._path)
            if len(alone) != _ALONE_KEYS or len(alone["cells"]) != 1:
                raise KeyError("it was cut in the wrong place")
            self._cells[part] = cell = alone["cells"][0]
            self._texts[id(cell)] = f"\n  {{\n{part}\n  }}"
        return self._cells[part]
