"""The text of a file after edits: checked before, and read back after."""

from __future__ import annotations

from octavo.authoring.editing.sources import refuse_markers
from octavo.authoring.sides import (
    portable,
    rewrite,
    same_content,
    sort_of_text,
    unwritable_hint,
)
from octavo.errors import NotebookError, UsageError
from octavo.notebook import formats
from octavo.notebook.edits import Edited, is_header
from octavo.notebook.formats.ipynb import encode
from octavo.notebook.formats.ipynb.rewrite import rewrite as rewrite_json
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.syntax import check
from octavo.sources import SourceFile
from octavo.value import Value

_BOM = "\ufeff"


def refuse_broken(edited: Edited, source: SourceFile, shown: str) -> None:
    """Refuse sources that edits brought and that cannot run, or would be read as several cells."""
    before = source.notebook.cells
    fresh = {
        at
        for at, (cell, origin) in enumerate(zip(edited.cells, edited.origins, strict=True))
        if cell.kind == "code" and (origin is None or not _same_code(cell, before[origin]))
    }
    for at in sorted(fresh):
        if source.format == "py":
            refuse_markers(edited.cells[at].source, at, shown)
    # Others are not looked at, but may bring syntax that the new ones use.
    cells = tuple(
        cell.replace(line=1) if at in fresh else cell.replace(kind="raw")
        for at, cell in enumerate(edited.cells)
    )
    for problem in check(Notebook(cells, source.notebook.metadata)):
        raise NotebookError(
            "notebook-syntax",
            f"{problem.message}: {problem.text.strip()[:100]}",
            place=f"{shown}, cell {problem.cell}, line {problem.line}",
            hint="correct the source, or say --force to write it as it is",
            details={"cell": problem.cell, "line": problem.line, "column": problem.column},
        )


def _same_code(one: Cell, other: Cell) -> bool:
    return (one.kind, one.source) == (other.kind, other.source)


class Written(Value):
    """The new text of a file, and its cells as everybody will read them from it."""

    text: str
    cells: tuple[Cell, ...]


def text_after(edited: Edited, source: SourceFile, shown: str) -> Written:
    """The new text of the file, which is read back to be what was meant."""
    origins = {at: origin for at, origin in enumerate(edited.origins) if origin is not None}
    if source.format == "ipynb":
        text = encode(rewrite_json(source.text, shown, edited.cells, origins)).decode("utf-8")
        back = formats.read(text, shown).cells
        assert [(c.kind, c.source) for c in back] == [(c.kind, c.source) for c in edited.cells]
        return Written(text, back)
    _refuse_named_header(edited.cells[0], shown)
    bom = _BOM if source.text.startswith(_BOM) else ""
    text = source.text.removeprefix(_BOM)
    written = rewrite(text, source.path, edited.cells, None, origins)
    for candidate in (_with_end(written, text), written):
        cells = _held(candidate, edited, source)
        if cells is not None:
            _refuse_lost(cells, edited, shown)
            return Written(bom + candidate, cells)
    raise _unwritable(written, edited, source, shown)


def _refuse_named_header(first: Cell, shown: str) -> None:
    """The header of a text has no marker that could hold a name; with one it is no header."""
    if is_header(first) and (first.name or first.tags):
        message = "cell 0 is the header of the file, which has neither a name nor tags"
        hint = "name or tag the cells below it"
        raise UsageError("wrong-argument", message, place=shown, hint=hint)


def _refuse_lost(cells: tuple[Cell, ...], edited: Edited, shown: str) -> None:
    """Some documents cannot hold a text cell that is empty."""
    if len(cells) == len(edited.cells):
        return
    at = next(n for n, c in enumerate(edited.cells) if c.kind != "code" and not c.source.strip())
    hint = "delete the cell instead, or give it some text"
    message = f"cell {at} would be empty, and a document of this kind cannot hold that"
    raise NotebookError("notebook-invalid", message, place=shown, hint=hint)


def _with_end(written: str, text: str) -> str:
    """The new text with the line breaks at its end that the file has, or has not."""
    return written[: len(written) - len(_ending(written))] + _ending(text)


def _ending(text: str) -> str:
    """Line breaks and blank lines after the last line that has something on it."""
    rest = text[len(text.rstrip(" \t\r\n")) :]
    return rest.lstrip(" \t")


def _held(text: str, edited: Edited, source: SourceFile) -> tuple[Cell, ...] | None:
    """The cells of a text, if they are those that were meant."""
    try:
        back = formats.read(text, source.path)
    except NotebookError:
        return None
    script = source.notebook
    wanted = Notebook(edited.cells, script.metadata)
    if not same_content(portable(back, script), portable(wanted, script)):
        return None
    meant = [(c.tags, c.name) for c in edited.cells if c.source.strip()]
    return (
        back.cells if [(c.tags, c.name) for c in back.cells if c.source.strip()] == meant else None
    )


def _unwritable(text: str, edited: Edited, source: SourceFile, shown: str) -> NotebookError:
    try:
        back = portable(formats.read(text, source.path), source.notebook).cells
    except NotebookError:
        back = ()
    wanted = portable(Notebook(edited.cells), source.notebook).cells
    pairs = enumerate(zip(back, wanted, strict=False))
    at = next(
        (n for n, (one, two) in pairs if (one.kind, one.source) != (two.kind, two.source)),
        None,
    )
    if at is None and len(back) == len(wanted):
        message = "the header of the file does not let cells have tags and names"
        hint = "change `cell_metadata_filter` in its header"
        return NotebookError("notebook-invalid", message, place=shown, hint=hint)
    return NotebookError(
        "notebook-invalid",
        f"cell {len(back) if at is None else at} cannot be written as part of a "
        f"{sort_of_text(source.path)}",
        place=shown,
        hint=unwritable_hint(source.path),
    )
