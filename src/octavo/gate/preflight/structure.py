"""Rules on the file itself: its format, its syntax, its pair, and merges that were left."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from octavo.authoring.pairs import is_text_notebook
from octavo.authoring.sides import portable, same_content
from octavo.authoring.soundness import nbformat_package, schema_flaws
from octavo.errors import InfrastructureError, OctavoError
from octavo.gate.nbval.markers import marked
from octavo.gate.preflight.rules import finding
from octavo.gate.preflight.secrets import hidden
from octavo.gate.verdicts import Finding
from octavo.notebook.formats.ipynb.check import find_problem
from octavo.notebook.formats.ipynb.plain_sound import is_plainly_sound
from octavo.notebook.merging.unresolved import find_conflict
from octavo.notebook.model import Notebook
from octavo.notebook.parameters import declared
from octavo.notebook.syntax import check
from octavo.sources import SourceFile, read_source

_CELL = re.compile(r"\bcell (\d+)\b")
_LINE = re.compile(r"(?::|\bline )(\d+)$")


def unreadable(error: OctavoError, shown: str) -> Finding:
    """The finding for a file that cannot be read as a notebook."""
    cell, line = _place(error.place or "")
    message = hidden(error.message.partition("\n")[0])
    return finding(
        "invalid-notebook", message, shown, line=line, cell=cell, hint=hidden(error.hint)
    )


def structure_findings(
    source: SourceFile, shown: str, python: tuple[int, int] | None = None
) -> Iterator[Finding]:
    """What is wrong with a file, whatever is in its cells. `python` is the version it runs on."""
    yield from _format(source, shown)
    conflict = find_conflict(source.notebook, shown)
    if conflict is not None:
        cell, line = _place(conflict)
        message = "both sides of a merge are here"
        at = cell if cell is not None else _cell_at(source.notebook, line)
        yield finding("merge-conflict", message, shown, line=line, cell=at)
    else:
        yield from _syntax(marked(source.notebook), shown, python)
    yield from _pair(source, shown)


def _place(place: str) -> tuple[int | None, int | None]:
    """Cell and line out of a place that an error names."""
    cell, line = _CELL.search(place), _LINE.search(place)
    return int(cell[1]) if cell else None, int(line[1]) if line else None


def _cell_at(notebook: Notebook, line: int | None) -> int | None:
    if line is None:
        return None
    at = [index for index, cell in enumerate(notebook.cells) if cell.line <= line]
    return at[-1] if at else None


def _format(source: SourceFile, shown: str) -> Iterator[Finding]:
    if source.format != "ipynb":
        return
    try:
        document = json.loads(source.text.removeprefix("\ufeff"))
        flaws = () if _is_sound(document) else schema_flaws(document)
    except (ValueError, AttributeError, RecursionError, InfrastructureError):
        return  # reading it has told, or nbformat is not installed
    for flaw in flaws:
        cell, _ = _place(flaw.place)
        where = "" if cell is not None or not flaw.place else f"{flaw.place}: "
        yield finding("invalid-notebook", f"{where}{flaw.message}", shown, cell=cell)


def _is_sound(document: dict[str, Any]) -> bool:
    """Whether there is nothing to tell: asked first, because to tell all of it takes long."""
    if document.get("nbformat") != 4 or is_plainly_sound(document):
        return True
    if find_problem(document) is not None:
        return False
    nbformat_package()
    from nbformat.validator import get_validator

    try:
        get_validator(4, document.get("nbformat_minor", 0), name="fastjsonschema").validate(
            document
        )
    except Exception:
        return False
    return True


def _syntax(notebook: Notebook, shown: str, python: tuple[int, int] | None) -> Iterator[Finding]:
    problems = check(notebook, shown, python=python)
    for each in problems:
        yield finding("syntax", each.message, shown, line=each.line, cell=each.cell)
    if problems:
        return
    try:
        declared(notebook, shown)
    except OctavoError as error:
        cell, line = _place(error.place or "")
        yield finding(
            "invalid-notebook", error.message, shown, line=line, cell=cell, hint=error.hint
        )


def _pair(source: SourceFile, shown: str) -> Iterator[Finding]:
    """Whether the other file of a pair says the same."""
    path = Path(source.own_path) if source.own_path else None
    other = _other(path) if path is not None else None
    if path is None or other is None:
        return
    try:
        theirs = read_source(other).notebook
    except OctavoError as error:
        first = error.message.partition("\n")[0]
        yield finding("out-of-step", f"{other.name} cannot be read: {first}", shown)
        return
    text = source.notebook if path.suffix != ".ipynb" else theirs
    if not same_content(portable(source.notebook, text), portable(theirs, text)):
        command = f"octavo sync {Path(shown)}"
        message = f"{path.name} and {other.name} do not say the same"
        yield finding("out-of-step", message, shown, hint=command)


def _other(path: Path) -> Path | None:
    """The other file of the pair that a notebook is part of."""
    if path.suffix != ".ipynb":
        twin = path.with_suffix(".ipynb")
        owner = _text_of(twin)
        return twin if twin.is_file() and owner == path else None
    return _text_of(path)


def _text_of(notebook: Path) -> Path | None:
    for suffix in (".py", ".md"):
        text = notebook.with_suffix(suffix)
        if text.is_file() and is_text_notebook(text, text.read_bytes()):
            return text
    return None
