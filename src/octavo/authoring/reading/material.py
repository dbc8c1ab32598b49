"""What is read: the cells of a notebook file or of a run, with the facts about them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from octavo.errors import OctavoError
from octavo.notebook.formats import ipynb, suffix_of
from octavo.notebook.identity import handle
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.parameter_types import type_name
from octavo.notebook.parameters import declared
from octavo.records.heads import read_head
from octavo.records.run_dir import RunDir
from octavo.render.compact_text import clean_source, short
from octavo.render.scraps import scrap_text
from octavo.render.tokens import tokens
from octavo.runs.context import RunContext
from octavo.runs.looking.listing import RunRow, found
from octavo.runs.looking.show import FAILED, ShownCell, ShowRequest, file_meant, shown_run
from octavo.sources import read_source, read_text
from octavo.value import EMPTY, Value

#: As much of a run's id as tells it from others.
LENGTH_OF_ID = 8
#: Longer texts in places of their own are cut there.
LONGEST_VALUE = 80


class ReadCell(Value):
    """A cell as it is told of. `index` is what it is addressed by, None for an injected one.

    `lines` are those of the source, fit to be shown. `line` is where it begins in its file.
    """

    index: int | None
    kind: str
    lines: tuple[str, ...]
    handle: str
    tokens: int
    metadata: Mapping[str, Any] = EMPTY
    outputs: Sequence[Mapping[str, Any]] = ()
    status: str | None = None
    line: int | None = None
    id: str | None = None

    @property
    def name(self) -> str | None:
        given = self.metadata.get("name") or self.metadata.get("title")
        return given if isinstance(given, str) and given else None

    @property
    def tags(self) -> tuple[str, ...]:
        tags = self.metadata.get("tags", ())
        return tuple(map(str, tags)) if isinstance(tags, (list, tuple)) else ()

    @property
    def failed(self) -> bool:
        if self.status is not None:
            return self.status in FAILED
        return any(each.get("output_type") == "error" for each in self.outputs)

    @property
    def label(self) -> str:
        return "+" if self.index is None else str(self.index)


class Material(Value):
    """A notebook or a run. `what` is how it was named, and stands in the commands we tell."""

    what: str
    path: str | None
    format: str
    language: str
    sha256: str | None
    cells: tuple[ReadCell, ...]
    parameters: tuple[str, ...] = ()
    run: Mapping[str, Any] | None = None
    tokens: int = 0
    #: What the sha256 is of, and the file that holds it.
    text: str | None = None
    file: str = ""


def material_of(what: str, context: RunContext) -> Material:
    """What a path, `last` or a part of a run's id stands for."""
    path = file_meant(what, context)
    if path is None:
        return _of_run(what, context)
    return _of_ipynb(what, path) if suffix_of(path) == ".ipynb" else _of_text(what, path)


def _of_text(what: str, path: str) -> Material:
    source = read_source(path)
    cells = tuple(_cell(at, each, line=each.line) for at, each in enumerate(source.notebook.cells))
    return _material(what, path, source.notebook, source.text, cells)


def _of_ipynb(what: str, path: str) -> Material:
    """Parsed once: the model of a notebook has no outputs, and they are most of the file."""
    text = read_text(path)
    if not text.removeprefix("\ufeff").strip():
        read_source(path)  # which tells what is wrong
    document = ipynb.parse(text, path)
    notebook = ipynb.to_notebook(document)
    cells = tuple(
        _cell(at, cell, plain.get("outputs") or ())
        for at, (cell, plain) in enumerate(zip(notebook.cells, document["cells"], strict=True))
    )
    return _material(what, path, notebook, text, cells)


def _material(
    what: str, path: str, notebook: Notebook, text: str, cells: tuple[ReadCell, ...]
) -> Material:
    from hashlib import sha256

    return Material(
        what=what,
        path=path,
        format=suffix_of(path)[1:],
        language=short(notebook.language, 24),
        sha256=sha256(text.encode()).hexdigest(),
        cells=cells,
        parameters=_declared(notebook),
        tokens=sum(cell.tokens for cell in cells),
        text=text,
        file=path,
    )


def _declared(notebook: Notebook) -> tuple[str, ...]:
    """`name: type = default` of each parameter; none where the cell cannot be read."""
    try:
        found = declared(notebook)
    except OctavoError:
        return ()
    told = []
    for each in found:
        kind = each.annotation or type_name(each.type)
        default = "" if each.required else f" = {each.default_source}"
        told.append(short(f"{each.name}: {kind}{default}", LONGEST_VALUE))
    return tuple(told)


def _run_meant(what: str, context: RunContext) -> RunDir:
    try:
        return found(what, context)
    except OctavoError:
        path = os.path.join(context.cwd, what)
        if os.path.exists(path):
            read_source(path)  # which tells why this is no notebook
        raise


def _of_run(what: str, context: RunContext) -> Material:
    run = _run_meant(what, context)
    shown = shown_run(run, ShowRequest(what))
    assert shown.run is not None
    has_lines = not str(shown.path or "").endswith(".ipynb")
    cells = tuple(_run_cell(each, has_lines) for each in shown.cells)
    head = read_head(run.path) or {}
    source = head.get("source")
    digest = source.get("sha256") if isinstance(source, Mapping) else None
    values = {**shown.run.defaults, **shown.run.parameters}
    at_path = os.path.exists(os.path.join(context.cwd, what))
    return Material(
        # Tomorrow `last` may be another run.
        what=what if at_path else run.run_id[-LENGTH_OF_ID:],
        path=shown.path,
        format="run",
        language=short(shown.language, 24),
        sha256=digest if isinstance(digest, str) else None,
        cells=cells,
        parameters=tuple(_told(name, value) for name, value in values.items()),
        run=_run_facts(shown.run, shown.message),
        tokens=sum(cell.tokens for cell in cells),
        **_source_kept(run, digest),
    )


def _source_kept(run: RunDir, digest: Any) -> dict[str, Any]:
    """The source of a run as its record has it."""
    from hashlib import sha256

    with suppress(OSError, UnicodeDecodeError):
        for path in run.path.glob("source.*"):
            content = path.read_bytes()
            if sha256(content).hexdigest() == digest:
                return {"text": content.decode("utf-8"), "file": str(path)}
    return {}


def _told(name: str, value: Any) -> str:
    return short(f"{name} = {scrap_text(value, LONGEST_VALUE)}", LONGEST_VALUE)


def _run_facts(row: RunRow, message: str) -> dict[str, Any]:
    """The facts of a run in plain values, none of them long."""
    return {
        "run_id": row.run_id,
        "status": row.status,
        "reason": row.reason,
        "duration_seconds": row.duration_seconds,
        "message": short(message, 300) if row.status != "success" else "",
        "scraps": [_told(name, value) for name, value in list(row.scraps.items())[:20]],
    }


def _run_cell(shown: ShownCell, has_lines: bool) -> ReadCell:
    cell = Cell(shown.kind, shown.source, shown.metadata)  # type: ignore[arg-type]
    line = shown.line if has_lines and shown.index is not None else None
    read = _cell(shown.index, cell, shown.outputs, line=line)
    return read.replace(status=shown.status)


def _cell(
    index: int | None,
    cell: Cell,
    outputs: Sequence[Mapping[str, Any]] = (),
    line: int | None = None,
) -> ReadCell:
    return ReadCell(
        index=index,
        kind=cell.kind,
        lines=clean_source(cell.source),
        handle=handle(cell),
        tokens=tokens(cell.source),
        metadata=cell.metadata,
        outputs=outputs,
        line=line,
        id=cell.id,
    )


def near(path: str | None, cwd: str) -> str | None:
    """A path as somebody in a folder would write it."""
    if path is None:
        return None
    within = os.path.normpath(path)
    return os.path.relpath(within, cwd) if within.startswith(cwd + os.sep) else within
