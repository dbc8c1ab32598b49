"""A notebook as plain text that git can compare, search and blame line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from octavo.notebook.diff.changes import CellChange
from octavo.render.columns import one_line, plain
from octavo.render.diff_outputs import OutputChange, output_changes
from octavo.render.diff_words import value_side

Json = Mapping[str, Any]


def notebook_text(document: Json) -> str:
    """Cells in order: a line that begins each, its source, and its outputs behind bars."""
    return "".join(f"{line}\n" for line in _lines(document))


def _lines(document: Json) -> Iterator[str]:
    metadata = document.get("metadata")
    yield from _metadata(metadata if isinstance(metadata, Mapping) else {}, "# ")
    for cell in document.get("cells", ()):
        yield from _cell(CellChange(None, 0, new=cell))


def _cell(change: CellChange) -> Iterator[str]:
    metadata = change.cell.get("metadata")
    kind = "" if change.kind == "code" else f" [{change.kind}]"
    yield ""
    yield f"# %%{kind}"
    yield from _metadata(metadata if isinstance(metadata, Mapping) else {}, "#: ")
    yield from plain(change.text("new")).split("\n")
    for output in output_changes(change):
        yield from _output(output)


def _metadata(metadata: Json, before: str) -> Iterator[str]:
    for key in sorted(metadata):
        yield f"{before}{one_line(str(key), 80)}: {value_side(metadata[key], 400)}"


def _output(output: OutputChange) -> Iterator[str]:
    yield f"#> {one_line(output.title, 80)}{f', {output.note}' if output.note else ''}"
    if output.new is not None:
        yield f"#> sha256 {sha256(output.new.encode('utf-8', 'replace')).hexdigest()[:16]}"
    for hunk in output.hunks:
        yield from (f"#| {plain(line.text)}" for line in hunk.lines)
