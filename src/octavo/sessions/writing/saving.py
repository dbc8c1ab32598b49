"""`octavo session save`: the document of a session as a notebook, in any format."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from octavo.authoring.convert import spelled
from octavo.authoring.editing.beside import BesideFile
from octavo.authoring.editing.locking import locked
from octavo.authoring.editing.texts import text_after
from octavo.authoring.editing.versions import Versions
from octavo.authoring.files import replace_file
from octavo.authoring.sides import generate
from octavo.errors import ConflictError, NotebookError, UsageError
from octavo.notebook import formats
from octavo.notebook.edits import Edited
from octavo.notebook.formats import ipynb
from octavo.notebook.formats.ipynb.rewrite import with_results
from octavo.notebook.model import Cell, Notebook
from octavo.records.disk import replacing
from octavo.sessions.context import SessionContext
from octavo.sessions.document import DocumentCell
from octavo.sessions.document.cells import INJECTED
from octavo.sessions.document.planning import named
from octavo.sessions.fetching import Fetched, Results, fetch
from octavo.sessions.requests import SaveRequest
from octavo.sessions.values import Answer
from octavo.sources import SourceFile, read_text
from octavo.value import Value

#: What a session has written where, so that it may write there again.
NOTE = "saved.json"
_IN_STATE = ("fresh", "failed", "unproven")


class Saved(Answer):
    """A notebook that was written. `outputs` counts the cells whose outputs are in it."""

    session: str
    path: str
    changed: bool
    cells: int
    outputs: int
    sha256: str
    notes: tuple[str, ...] = ()
    lease_ends: float | None = None
    next: str = ""


class Placed(Value):
    """The cells for a file, each with its index in the document and in the file before."""

    cells: tuple[Cell, ...]
    indices: tuple[int | None, ...]
    origins: tuple[int | None, ...]


async def save(request: SaveRequest, context: SessionContext) -> Saved:
    """Write the document of a session; what it did not change stays as it was, to the byte."""
    fetched = await fetch(context, request.session)
    path = _target(request, fetched, context.cwd)
    beside = BesideFile(path, context)
    with locked(path):
        base = fetched.base
        there = _refuse_overwriting(path, fetched, base, request.force)
        text, count = _text(fetched, base, path)
        if there != text:
            beside.look(remember=True)
            _write(path, text, there, fetched)
        _note(fetched.record, path, _hash(text))
        followed = beside.follow(there != text, dry_run=False, no_sync=False)
    shown = os.path.relpath(path, context.cwd)
    notes = _told(fetched)
    if followed is not None:
        notes = (*notes, f"{followed.path}: {followed.status}")
    return Saved(
        session=fetched.short,
        path=shown,
        changed=there != text,
        cells=len(formats.read(text, path).cells),
        outputs=count,
        sha256=_hash(text),
        notes=notes,
        lease_ends=fetched.lease_ends,
        next=f"octavo run {shown}",
    )


def _write(path: str, text: str, there: str | None, fetched: Fetched) -> None:
    if there is not None:
        Versions(Path(fetched.project)).remember(there, path)
    replace_file(Path(path), ipynb.encode(text), _encoded(there))


def _target(request: SaveRequest, fetched: Fetched, cwd: str) -> str:
    if request.path:
        path = os.path.normpath(os.path.join(cwd, request.path))
        formats.format_for(path)
        return path
    if fetched.notebook is None:
        raise UsageError(
            "wrong-argument",
            "the session began without a notebook, so PATH is needed",
            place=fetched.short,
            hint=f"octavo session save {fetched.short} analysis.py",
        )
    return fetched.notebook


def _refuse_overwriting(
    path: str, fetched: Fetched, base: SourceFile | None, force: bool
) -> str | None:
    """The text that is at the path now, which the session may write over."""
    if not os.path.lexists(path):
        return None
    there = read_text(path)
    ours = base is not None and os.path.realpath(path) == os.path.realpath(base.path)
    known = _noted(fetched.record).get(os.path.realpath(path))
    if force or known == _hash(there) or (ours and base is not None and there == base.text):
        return there
    if ours or known:
        raise ConflictError(
            "stale",
            "the file was changed since the session read or wrote it",
            place=path,
            hint="save under another name and compare, or --force to write over it",
        )
    hint = "choose another name, or --force to write over it"
    raise ConflictError("output-exists", "there is a file already", place=path, hint=hint)


def _text(fetched: Fetched, base: SourceFile | None, path: str) -> tuple[str, int]:
    placed = place(fetched.cells, base)
    if not placed.cells:
        raise NotebookError(
            "notebook-empty",
            "the session has no cells yet",
            place=fetched.short,
            hint=f"octavo session exec {fetched.short} 'x = 1' adds one",
        )
    try:
        text = document_text(placed, base, fetched.metadata, path)
    except NotebookError as error:
        error.hint += "; octavo session edit … --delete takes a cell away, and an .ipynb holds all"
        raise
    if formats.suffix_of(path) != ".ipynb":
        return text, 0
    with Results(fetched.record) as results:
        found = _results(fetched, placed, results)
    filled = sum(1 for each in found.values() if each["outputs"])
    return with_results(text, path, found), filled


def place(cells: tuple[DocumentCell, ...], base: SourceFile | None) -> Placed:
    """The cells as their author has them: without the values that a caller gave, and those that
    nobody edited exactly as they are in the file.
    """
    before = base.notebook.cells if base is not None else ()
    found: list[tuple[Cell, int | None, int | None]] = []
    used = {each.origin for each in cells}
    for index, each in enumerate(cells):
        if each.injected:
            earlier = (at for at, cell in enumerate(before) if INJECTED in cell.tags)
            found += [(before[at], None, at) for at in earlier if at not in used]
        elif each.origin is not None and each.origin < len(before):
            found.append((_as_in_file(each.cell, before[each.origin]), index, each.origin))
        else:
            found.append((each.cell.replace(id=None, line=1), index, None))
    columns: Any = zip(*found, strict=True) if found else ((), (), ())
    return Placed(*map(tuple, columns))


def _as_in_file(cell: Cell, before: Cell) -> Cell:
    unchanged = (cell.kind, cell.source) == (before.kind, before.source)
    return before if unchanged else before.replace(kind=cell.kind, source=cell.source, line=1)


def document_text(placed: Placed, base: SourceFile | None, metadata: Any, path: str) -> str:
    """The cells in the format of a path, with the bytes of the file they come from."""
    target = formats.suffix_of(path)[1:]
    if base is not None and base.format == target:
        if placed.cells == base.notebook.cells:
            return base.text
        return text_after(Edited(placed.cells, placed.origins, ()), base, path).text
    notebook = Notebook(placed.cells, base.notebook.metadata if base is not None else metadata)
    if target == "ipynb":
        return ipynb.dumps(generate(notebook, None))
    return spelled(notebook, target, path)


def _results(fetched: Fetched, placed: Placed, results: Results) -> dict[int, dict[str, Any]]:
    """What belongs to the state, and nothing where a cell has been executed in another."""
    found: dict[int, dict[str, Any]] = {}
    for at, index in enumerate(placed.indices):
        if index is None or placed.cells[at].kind != "code":
            continue
        info = fetched.infos[index]
        if info.record_cell is None:
            continue
        belongs = info.status in _IN_STATE
        nothing: dict[str, Any] = {"outputs": [], "execution_count": None}
        found[at] = results.of(info.record_cell) if belongs else nothing
    return found


def _told(fetched: Fetched) -> tuple[str, ...]:
    by_status: dict[str, list[int]] = {}
    for info in fetched.infos:
        if info.kind == "code":
            by_status.setdefault(info.status, []).append(info.index)
    notes = []
    if "failed" in by_status:
        notes.append(f"{named(by_status['failed'])} failed; session promote leaves such cells out")
    left = sorted(by_status.get("stale", []) + by_status.get("new", []))
    if left:
        notes.append(f"{named(left)} not executed in this state")
    if fetched.unproven:
        notes.append("the state is unproven; session run-all proves it")
    return tuple(notes)


def _note(record: Path, path: str, digest: str) -> None:
    """Remember what was written; a disk that does not take it costs one `--force` later."""
    known = {**_noted(record), os.path.realpath(path): digest}
    with suppress(OSError), replacing(record / NOTE, sync=False) as file:
        file.write(json.dumps(known).encode("utf-8", "surrogateescape"))


def _noted(record: Path) -> dict[str, str]:
    try:
        known = json.loads((record / NOTE).read_bytes())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _encoded(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8")
