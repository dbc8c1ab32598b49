"""Cells on a page, with what their tags and their metadata ask for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from octavo.render.figures import counted, duration
from octavo.render.page.code import code_html
from octavo.render.page.markup import joined, listed, mapping, text
from octavo.render.page.outputs import OutputWriter, Tools

#: Shorter cells do not say how long they took.
WORTH_TELLING = 0.1
#: Longer code is folded.
OPEN_LINES = 200

_SPOKEN = {"failed", "timed-out", "interrupted", "kernel-died", "skipped", "not-run", "running"}
_PAPERMILL = {"failed": "failed", "pending": "not-run", "running": "running"}


class CellWriter:
    """Draws cells; `code` says whether code is seen without opening it."""

    def __init__(self, tools: Tools, language: str, *, code: bool) -> None:
        self._tools = tools
        self._language = language
        self._code = code
        self._outputs = OutputWriter(tools)

    def html(self, cell: Mapping[str, Any], number: int | None) -> str:
        """A cell; `number` is its index in the author's file, None for one that was put in."""
        if _asks(cell, "remove-cell"):
            return ""
        source = joined(cell.get("source", ""))
        kind = cell.get("cell_type")
        if kind == "markdown":
            return self._markdown(cell, number, source)
        if kind == "code":
            return self._code_cell(cell, number, source)
        return self._raw(cell, number, source) if source.strip() else ""

    def _markdown(self, cell: Mapping[str, Any], number: int | None, source: str) -> str:
        if _asks(cell, "remove-input"):
            return ""
        attached = mapping(cell.get("attachments"))
        prose = self._tools.prose.html(source, attached)
        if _asks(cell, "hide-cell", "hide-input"):
            prose = f'<details class="rest"><summary>text</summary>\n{prose}</details>\n'
        return self._section(cell, number, "prose", prose)

    def _raw(self, cell: Mapping[str, Any], number: int | None, source: str) -> str:
        return self._section(cell, number, "raw", f"<pre>{text(source.rstrip())}</pre>\n")

    def _code_cell(self, cell: Mapping[str, Any], number: int | None, source: str) -> str:
        outputs = self._shown_outputs(cell)
        code = self._shown_code(cell, source)
        if not code and not outputs:
            return ""
        status = _status(cell)
        kinds = f"code {status}" if status in _SPOKEN else "code"
        body = f"{code}{outputs}"
        if _asks(cell, "hide-cell"):
            body = f'<details class="rest"><summary>cell</summary>\n{body}</details>\n'
        return self._section(cell, number, kinds, _head(cell, number, status) + body)

    def _shown_code(self, cell: Mapping[str, Any], source: str) -> str:
        if _asks(cell, "remove-input") or not source.strip():
            return ""
        shown = f'<pre class="source"><code>{code_html(source, self._language)}</code></pre>\n'
        lines = source.rstrip("\n").count("\n") + 1
        hidden = mapping(mapping(cell.get("metadata")).get("jupyter")).get("source_hidden") is True
        if self._code and not hidden and not _asks(cell, "hide-input") and lines <= OPEN_LINES:
            return shown
        title = f"code, {counted(lines, 'line')}"
        return f'<details class="input"><summary>{title}</summary>\n{shown}</details>\n'

    def _shown_outputs(self, cell: Mapping[str, Any]) -> str:
        if _asks(cell, "remove-output"):
            return ""
        outputs = self._outputs.html(listed(cell.get("outputs")))
        if not outputs:
            return ""
        metadata = mapping(cell.get("metadata"))
        hidden = mapping(metadata.get("jupyter")).get("outputs_hidden") is True
        if hidden or metadata.get("collapsed") is True or _asks(cell, "hide-output"):
            count = counted(len(listed(cell.get("outputs"))), "output")
            outputs = f'<details class="rest"><summary>{count}</summary>\n{outputs}</details>\n'
        return f'<div class="outputs">\n{outputs}</div>\n'

    def _section(self, cell: Mapping[str, Any], number: int | None, kinds: str, body: str) -> str:
        """The cell with its anchors: by its number, and by its name where it has one."""
        ids = self._tools.ids
        by_number = ids.ours(f"cell-{number}" if number is not None else "cell-parameters")
        name = _slug(_name(cell))
        anchor = ""
        if name:
            anchor = f'<a id="{text(ids.ours(f"cell-{name}"))}"></a>'
        return f'<section class="cell {kinds}" id="{by_number}">{anchor}\n{body}</section>\n'


def _head(cell: Mapping[str, Any], number: int | None, status: str) -> str:
    """A line with the number of the cell, its name, and how it went where that is worth telling."""
    shown = "+" if number is None else str(number)
    link = _slug(_name(cell)) or ("parameters" if number is None else shown)
    words = [f'<a class="at" href="#cell-{text(link)}">[{shown}]</a>']
    if name := _name(cell):
        words.append(f'<span class="name">{text(name)}</span>')
    elif number is None:
        words.append('<span class="name">given parameters</span>')
    if status in _SPOKEN:
        words.append(f'<span class="status">{text(status.replace("-", " "))}</span>')
    took = mapping(mapping(cell.get("metadata")).get("papermill")).get("duration")
    if isinstance(took, (int, float)) and WORTH_TELLING <= took < 1e9:
        words.append(f'<span class="took">{duration(took)}</span>')
    return f'<p class="head">{" ".join(words)}</p>\n'


def _status(cell: Mapping[str, Any]) -> str:
    metadata = mapping(cell.get("metadata"))
    told = mapping(metadata.get("octavo")).get("status")
    if isinstance(told, str):
        return told
    return _PAPERMILL.get(str(mapping(metadata.get("papermill")).get("status")), "")


def _name(cell: Mapping[str, Any]) -> str:
    metadata = mapping(cell.get("metadata"))
    for key in ("name", "title"):
        given = metadata.get(key)
        if isinstance(given, str) and given.strip():
            return given.strip()[:120]
    return ""


def _slug(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name.lower()).strip("-")[:80]


def tags_of(cell: Mapping[str, Any]) -> set[str]:
    """The tags of a cell; `remove_input` and `remove-input` are the same."""
    tags = listed(mapping(cell.get("metadata")).get("tags"))
    return {str(tag).replace("_", "-").lower() for tag in tags[:100]}


def _asks(cell: Mapping[str, Any], *tags: str) -> bool:
    return not tags_of(cell).isdisjoint(tags)
