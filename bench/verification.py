"""Whether a measured command did its job: a figure counts only if every cell printed its text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.work import Document, Printed, Work


class JobNotDone(Exception):
    """The command ended, but what it left behind is not what was asked for."""


def check_notebooks(work: Work, folder: Path) -> None:
    """Peers leave `out/NAME.ipynb` for each notebook."""
    for document in work.documents:
        _check_outputs(document, folder / "out" / f"{document.name}.ipynb", spill=None)


def check_records(work: Work, folder: Path) -> None:
    """Octavo leaves one record per run, with a journal and an executed notebook."""
    records = sorted(path for path in folder.glob(".octavo/runs/*/*") if path.is_dir())
    if len(records) != len(work.documents):
        raise JobNotDone(f"{len(records)} records for {len(work.documents)} notebooks")
    for record in records:
        journal = record / "events.jsonl"
        if not journal.is_file() or journal.stat().st_size == 0:
            raise JobNotDone("a record without a journal")
    _match_records(work.documents, records)


def check_printed(work: Work, stdout: Path) -> None:
    """Plain Python prints everything to its standard output; of many scripts, in any order."""
    wanted = ["".join(part.text for part in doc.prints) for doc in work.documents]
    printed = stdout.read_text()
    whole = sorted("".join(wanted).splitlines()) if len(wanted) > 1 else "".join(wanted)
    if (sorted(printed.splitlines()) if len(wanted) > 1 else printed) != whole:
        raise JobNotDone("standard output is not what the cells print")


def check_help(stdout: Path) -> None:
    """A help page says how the program is used; an empty one would be quick, but is none."""
    if "usage" not in stdout.read_text().lower():
        raise JobNotDone("no help page was printed")


def _match_records(documents: Sequence[Document], records: Iterable[Path]) -> None:
    """Records have ids for names, so each is matched with a notebook by its cells' sources."""
    waiting = {document.cells: document for document in documents}
    for record in records:
        path = record / "notebook.ipynb"
        document = waiting.pop(_sources(path), None)
        if document is None:
            raise JobNotDone("a record whose notebook was not among those to run")
        _check_outputs(document, path, spill=record / "files")


def _sources(path: Path) -> tuple[str, ...]:
    return tuple(_joined(cell["source"]) for cell in _code_cells(path))


def _check_outputs(document: Document, path: Path, spill: Path | None) -> None:
    cells = _code_cells(path)
    if len(cells) != len(document.prints):
        raise JobNotDone(f"{len(cells)} code cells in {path.name}, not {len(document.prints)}")
    for number, (cell, printed) in enumerate(zip(cells, document.prints, strict=True)):
        text = "".join(_stream_texts(cell))
        if text != printed.text and not _spilled(spill, printed):
            found = f"{len(text)} characters for {printed.size}"
            raise JobNotDone(f"cell {number} of {path.name} has the wrong output ({found})")


def _code_cells(path: Path) -> list[dict[str, Any]]:
    try:
        cells = json.loads(path.read_bytes())["cells"]
    except FileNotFoundError:
        raise JobNotDone(f"no {path.name} was written") from None
    except (ValueError, KeyError):
        raise JobNotDone(f"{path.name} is not a notebook") from None
    return [cell for cell in cells if cell["cell_type"] == "code"]


def _stream_texts(cell: dict[str, Any]) -> Iterable[str]:
    for output in cell["outputs"]:
        if output["output_type"] == "stream" and output["name"] == "stdout":
            yield _joined(output["text"])


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def _spilled(folder: Path | None, printed: Printed) -> bool:
    """Output over the cap stands whole in a file of the record."""
    if folder is None or not folder.is_dir():
        return False
    files = (path for path in folder.rglob("*") if path.is_file())
    return any(f.stat().st_size == printed.size and f.read_text() == printed.text for f in files)
