"""A notebook, or a run of one, as Markdown, with its images as files or within it.

What the author wrote as Markdown stays Markdown. Code and outputs stand in fences that they
cannot close.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from octavo.records.scraps import is_scrap, is_scrap_type, scraps_in
from octavo.render.columns import plain, settled
from octavo.render.compact import compact
from octavo.render.compact_errors import error as compact_error
from octavo.render.figures import counted, duration, value_text
from octavo.render.html import Grid, has_table, html_blocks
from octavo.render.marks import code_span, fenced, table
from octavo.render.page.about import About, moment_text, status_words
from octavo.render.page.cells import tags_of
from octavo.render.page.markup import joined, listed, mapping
from octavo.render.page.prose import data_address
from octavo.render.page.whole import language_of, numbered
from octavo.render.scraps import scrap_text

#: Of longer outputs the beginning is kept; of a larger table the text.
MOST_LINES, MOST_ROWS = 500, 200

_SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp",
             "image/svg+xml": "svg"}  # fmt: skip
_ATTACHED = re.compile(r"attachment:([^\s)\"'<>]{1,400})")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$", re.MULTILINE)

Figures = list[tuple[str, bytes]]


def notebook_markdown(
    document: Mapping[str, Any], about: About, *, code: bool = True, folder: str | None = None
) -> tuple[str, Figures]:
    """The Markdown, and the images that go into `folder`; without one they are within it."""
    writer = _Writer(language_of(document), folder, code=code)
    blocks = [*_head(about)]
    for cell, _ in numbered(document):
        blocks += writer.cell(cell)
    return "\n\n".join(block for block in blocks if block) + "\n", writer.figures


def _head(about: About) -> Iterator[str]:
    if not about.status:
        return
    words = [f"**{status_words(about)}**", code_span(about.path)]
    if about.started is not None:
        words.append(moment_text(about.started))
    if about.duration_seconds is not None:
        words.append(duration(about.duration_seconds))
    if about.commit:
        words.append(f"commit {code_span(about.commit[:12])}{' with changes' * about.dirty}")
    if about.run_id:
        words.append(f"run {code_span(about.run_id)}")
    yield " · ".join(words)
    if about.failed:
        yield fenced(plain(about.failed)[:2000])
    values = {**about.defaults, **about.parameters}
    if values:
        rows = [(code_span(name), code_span(value_text(each, 200), 200))
                for name, each in values.items()]  # fmt: skip
        yield table(("parameter", "value"), rows)
    if about.scraps:
        rows = [(code_span(name), code_span(scrap_text(each, 200), 200))
                for name, each in about.scraps.items()]  # fmt: skip
        yield table(("scrap", "value"), rows)


class _Writer:
    """Writes cells, and gathers their images."""

    def __init__(self, language: str, folder: str | None, *, code: bool) -> None:
        self.figures: Figures = []
        self._language = re.sub(r"[^\w+#.-]", "", language)
        self._folder = folder
        self._code = code

    def cell(self, cell: Mapping[str, Any]) -> Iterator[str]:
        tags = tags_of(cell)
        source = joined(cell.get("source", "")).rstrip()
        kind = cell.get("cell_type")
        if "remove-cell" in tags:
            return
        if kind == "markdown":
            yield self._prose(source, mapping(cell.get("attachments")))
        elif kind == "code":
            if self._code and source and "remove-input" not in tags:
                hidden = not tags.isdisjoint(("hide-input", "hide-cell"))
                yield _folded("code", self._fenced(source), hidden)
            if "remove-output" not in tags:
                for output in listed(cell.get("outputs")):
                    yield from self._output(mapping(output))
        elif source:
            yield fenced(plain(source))

    def _fenced(self, source: str) -> str:
        return fenced(plain(source), self._language)

    def _prose(self, source: str, attachments: Mapping[str, Any]) -> str:
        """The author's text; what is open at its end is closed, or it would take in the rest."""

        def address(found: re.Match[str]) -> str:
            for mime, data in mapping(attachments.get(found[1])).items():
                if mime in _SUFFIXES:
                    return self._address(mime, joined(data)) or found[0]
            return found[0]

        return _closed(_ATTACHED.sub(address, source) if attachments else source)

    def _output(self, output: Mapping[str, Any]) -> Iterator[str]:
        kind = output.get("output_type")
        if kind == "stream":
            yield _text(joined(output.get("text", "")))
        elif kind == "error":
            told = compact_error(output)
            yield fenced("\n".join([*told.lines[:40], told.about]))
        else:
            data = mapping(output.get("data"))
            try:
                yield from self._bundle(data)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                yield code_span(compact(output).about, 200)

    def _bundle(self, data: Mapping[str, Any]) -> Iterator[str]:
        if is_scrap(data):
            for name, value in scraps_in(data).items():
                yield f"{code_span(name)} = {code_span(scrap_text(value, 200), 200)}"
            data = {mime: value for mime, value in data.items() if not is_scrap_type(mime)}
        image = next((mime for mime in _SUFFIXES if mime in data), None)
        address = self._address(image, joined(data[image])) if image else None
        if address:
            yield f"![figure {len(self.figures) or ''}]({address})".replace(" ]", "]")
        elif "text/html" in data and (shown := _table(joined(data["text/html"]))):
            yield shown
        elif "text/markdown" in data:
            yield _closed(joined(data["text/markdown"]).rstrip())
        elif "text/latex" in data:
            yield _formula(joined(data["text/latex"]))
        elif "application/json" in data:
            shown = json.dumps(data["application/json"], indent=1, ensure_ascii=False, default=str)
            yield _text(shown, "json")
        elif data:
            yield _told(data)

    def _address(self, mime: str, data: str) -> str | None:
        """Where an image is: a file beside the text, or the data itself."""
        whole = data_address(mime, data)
        if whole is None or self._folder is None:
            return whole
        name = f"figure-{len(self.figures) + 1}.{_SUFFIXES[mime]}"
        self.figures.append((name, b64decode(whole.partition(",")[2] + "==")))
        return quote(f"{self._folder}/{name}")


def _text(raw: str, language: str = "text") -> str:
    lines = plain(settled(raw[:4_000_000])).expandtabs(4).rstrip("\n").split("\n")
    if not any(line.strip() for line in lines):
        return ""
    if len(lines) > MOST_LINES:
        gone = counted(len(lines) - MOST_LINES, "more line")
        lines = [*lines[:MOST_LINES], f"… {gone}"]
    return fenced("\n".join(lines), language)


def _told(data: Mapping[str, Any]) -> str:
    text = joined(data.get("text/plain", "")).strip()
    found = compact({"output_type": "display_data", "data": data})
    if found.kind in ("text", "widget", "table") and text:
        return _text(text)
    if found.kind == "html":
        return _text("\n".join(found.lines) or text)
    return fenced("\n".join([f"{found.kind} {found.about}".rstrip(), *found.lines[:40]]), "text")


def _table(html: str) -> str:
    """A table as Markdown has them; empty where it has none, or a large one."""
    if not has_table(html):
        return ""
    grids = [block for block in html_blocks(html) if isinstance(block, Grid)]
    if not grids or not 0 < len(grids[0].rows) <= MOST_ROWS:
        return ""
    wide = max(map(len, grids[0].rows))
    if wide > 60:
        return ""
    head, rows = _rows(grids[0], wide)
    return table(tuple(head), [tuple(row) for row in rows])


def _rows(grid: Grid, wide: int) -> tuple[Sequence[str], list[list[str]]]:
    """Rows of one width; several rows of headings are one."""
    full = [[*row, *[""] * (wide - len(row))] for row in grid.rows]
    heads, body = full[: grid.heads], full[grid.heads :]
    top = [" ".join(filter(None, column)) for column in zip(*heads, strict=True)]
    shown = [[_cell(each) for each in row] for row in body]
    return [_cell(each) for each in top] or [""] * wide, shown


def _cell(text: str) -> str:
    """Text of a table that means nothing in Markdown."""
    return re.sub(r"([\\`*_\[\]<>#~$@!|])", r"\\\1", plain(text)[:500].replace("\n", " ")).replace(
        "\\|", "|"
    )


def _formula(tex: str) -> str:
    tex = plain(tex).strip().strip("$").strip()
    return f"$$\n{tex}\n$$" if tex and "$" not in tex else fenced(tex, "latex")


def _closed(markdown: str) -> str:
    opened = ""
    for found in _FENCE.finditer(markdown):
        if not opened:
            opened = found[1]
        elif found[1][0] == opened[0] and len(found[1]) >= len(opened) and not found[2].strip():
            opened = ""
    closed = f"{markdown}\n{opened}" if opened else markdown
    return f"{closed}\n-->" if closed.rfind("<!--") > closed.rfind("-->") else closed


def _folded(title: str, block: str, hidden: bool) -> str:
    if not hidden:
        return block
    return f"<details>\n<summary>{title}</summary>\n\n{block}\n\n</details>"
