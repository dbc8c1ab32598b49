"""Where the expected outputs of a notebook are, and what they are.

An `.ipynb` with outputs is its own reference. A text notebook has a `.expected.toml` beside it;
where there is none yet, the outputs of the `.ipynb` that belongs to it serve.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from octavo.gate.references.entries import matched
from octavo.gate.references.file import ReferenceFile, read_file
from octavo.gate.references.reference import Expected, Reference
from octavo.notebook.formats import ipynb
from octavo.notebook.matching import match_cells
from octavo.sources import SourceFile, read_text

SUFFIX = ".expected.toml"


def expected_path(path: str | Path) -> Path:
    """Where the reference of a notebook lies: `report.py` has `report.expected.toml`."""
    return Path(path).with_suffix(SUFFIX)


def read_reference(source: SourceFile, values: str = "") -> Reference:
    """What the cells of a notebook are expected to output with a set of values.

    UsageError `reference` where the file cannot be understood.
    """
    path = expected_path(source.path)
    file = read_file(path) if path.exists() else None
    if source.format == "ipynb":
        if values and file is not None and file.of_set(values):
            return _from_file(source, file, values)
        return _own(source, values)
    if file is not None:
        return _from_file(source, file, values)
    return _pair(source, values) or Reference("none", str(path), {}, values)


def _from_file(source: SourceFile, file: ReferenceFile, values: str) -> Reference:
    entries = file.of_set(values)
    places = matched(entries, source.notebook.cells)
    cells = {at: Expected(entries[number].outputs) for at, number in places.items()}
    return Reference("file", str(file.path), cells, values)


def _own(source: SourceFile, values: str) -> Reference:
    document = ipynb.parse(source.text, source.name)
    cells = {
        at: _expected(cell)
        for at, cell in enumerate(document["cells"])
        if cell["cell_type"] == "code"
    }
    return Reference("own", source.path, cells, values)


def _pair(source: SourceFile, values: str) -> Reference | None:
    """The outputs of the `.ipynb` beside a text notebook, for the cells that are the same."""
    path = Path(source.path).with_suffix(".ipynb")
    if not path.is_file():
        return None
    document = ipynb.parse(read_text(path), str(path))
    code = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    if not any(cell.get("outputs") or cell.get("execution_count") for cell in code):
        return None
    counterparts = match_cells(ipynb.to_notebook(document).cells, source.notebook.cells)
    cells = {
        at: _expected(document["cells"][theirs])
        for at, theirs in counterparts.items()
        if document["cells"][theirs]["cell_type"] == "code"
    }
    return Reference("pair", str(path), cells, values)


def _expected(cell: Mapping[str, Any]) -> Expected:
    return Expected(tuple(cell.get("outputs", ())), cell.get("execution_count") is not None)
