"""Executed notebooks and runs, read for their scraps."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from octavo.errors import NotebookError, OctavoError
from octavo.events.codec import decode
from octavo.events.types import Display, ExecuteResult
from octavo.records.decoding import decoded, pandas_for
from octavo.records.disk import cannot_read
from octavo.records.outline import outline_of
from octavo.records.run_dir import RunDir
from octavo.records.scraps import MARK, Glued, ScrapFold
from octavo.records.spilled import spilled_payload
from octavo.sources import read_text

_COLUMNS = ("name", "data", "encoder", "display")


class Scrap:
    """A named value that a notebook handed out.

    `data` is decoded when it is first asked for: a table becomes a pandas DataFrame. It is None
    for a scrap that is only a display. `display` is the output that shows it, or None. `payload`
    is the data as the notebook has it, `times` how often data was handed out under this name.
    """

    def __init__(self, glued: Glued, place: str) -> None:
        self.name = glued.name
        self.encoder = glued.encoder
        self.display = glued.display
        self.times = glued.times
        self._glued = glued
        self._place = place

    @property
    def payload(self) -> Any:
        if self._glued.left_out:
            return spilled_payload(self._glued, self._place)
        return self._glued.payload

    @cached_property
    def data(self) -> Any:
        if not self._glued.has_data:
            return None
        return decoded(self.name, self.encoder, self.payload, self._place)

    def summary(self) -> Any:
        """The value where it is plain; else a mapping that describes it without decoding it."""
        return self._glued.summary()

    def __repr__(self) -> str:
        shown = ", display" if self.display is not None else ""
        return f"Scrap({self.name!r}, {self.encoder!r}{shown})"


class Scraps(dict[str, Scrap]):
    """Scraps by name, in the order in which the names came up."""

    @property
    def data_scraps(self) -> dict[str, Scrap]:
        """Those that have data."""
        return {name: scrap for name, scrap in self.items() if scrap.times}

    @property
    def data_dict(self) -> dict[str, Any]:
        """The data by name."""
        return {name: scrap.data for name, scrap in self.data_scraps.items()}

    @property
    def display_scraps(self) -> dict[str, Scrap]:
        """Those that have a display."""
        return {name: scrap for name, scrap in self.items() if scrap.display is not None}

    @property
    def display_dict(self) -> dict[str, Mapping[str, Any]]:
        """The outputs that show them, by name."""
        scraps = self.display_scraps.items()
        return {name: scrap.display for name, scrap in scraps if scrap.display is not None}

    @property
    def dataframe(self) -> Any:
        """A pandas DataFrame with name, data, encoder and display."""
        return _frame(_rows(self), _COLUMNS)

    def summaries(self) -> dict[str, Any]:
        """Plain values, and descriptions of all others."""
        return {name: scrap.summary() for name, scrap in self.items()}


class ReadNotebook:
    """An executed notebook, or a run of one, and what it handed out.

    `path` is the notebook, `run_id` the run that made it where that is known, `source` the
    notebook that was run.
    """

    def __init__(
        self, path: str, scraps: Scraps, document: Mapping[str, Any], run_id: str | None = None
    ) -> None:
        self.path = path
        self.scraps = scraps
        self._document = document
        self.run_id = run_id or _text(self.metadata, "octavo", "run_id")
        self.source = _text(self.metadata, "papermill", "input_path")

    @property
    def filename(self) -> str:
        return os.path.basename(self.path)

    @property
    def directory(self) -> str:
        return os.path.dirname(self.path)

    @property
    def metadata(self) -> Mapping[str, Any]:
        found = self._document.get("metadata")
        return found if isinstance(found, Mapping) else {}

    @property
    def cells(self) -> Sequence[Mapping[str, Any]]:
        """The cells as the file has them, with their outputs."""
        return list(_cells(self._document))

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The values that were given when it was run."""
        papermill = self.metadata.get("papermill")
        given = papermill.get("parameters") if isinstance(papermill, Mapping) else None
        return given if isinstance(given, Mapping) else {}

    @property
    def scrap_dataframe(self) -> Any:
        """A pandas DataFrame with name, data, encoder, display and filename."""
        rows = [(*row, self.filename) for row in _rows(self.scraps)]
        return _frame(rows, (*_COLUMNS, "filename"))

    def __repr__(self) -> str:
        return f"ReadNotebook({self.path!r}, scraps={list(self.scraps)})"


class ReadNotebooks(Mapping[str, ReadNotebook]):
    """Several notebooks by key: the file's name without suffix, of a run its id.

    Where two files have one name, the key is the path.
    """

    def __init__(self, notebooks: Sequence[ReadNotebook]) -> None:
        self._notebooks: dict[str, ReadNotebook] = {}
        names = [_key(notebook) for notebook in notebooks]
        often = Counter(names)
        for notebook, name in zip(notebooks, names, strict=True):
            self._notebooks[name if often[name] == 1 else notebook.path] = notebook

    def __getitem__(self, key: str) -> ReadNotebook:
        return self._notebooks[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._notebooks)

    def __len__(self) -> int:
        return len(self._notebooks)

    @property
    def notebooks(self) -> list[ReadNotebook]:
        return list(self._notebooks.values())

    @property
    def notebook_scraps(self) -> dict[str, Scraps]:
        """The scraps of each notebook, by its key."""
        return {key: notebook.scraps for key, notebook in self._notebooks.items()}

    @property
    def scraps(self) -> Scraps:
        """The scraps of all; where a name is in several, that of the last notebook."""
        merged = Scraps()
        for notebook in self._notebooks.values():
            merged.update(notebook.scraps)
        return merged

    @property
    def scrap_dataframe(self) -> Any:
        """A pandas DataFrame with name, data, encoder, display and filename of all scraps.

        Where two files have one name, `filename` is the path.
        """
        often = Counter(notebook.filename for notebook in self.notebooks)
        rows = [
            (*row, notebook.filename if often[notebook.filename] == 1 else notebook.path)
            for notebook in self.notebooks
            for row in _rows(notebook.scraps)
        ]
        return _frame(rows, (*_COLUMNS, "filename"))

    def __repr__(self) -> str:
        return f"ReadNotebooks({list(self._notebooks)})"


def notebook_at(path: str, *, light: bool = False) -> ReadNotebook:
    """Read the `.ipynb` at a path. With `light`, tables and displays can only be described."""
    document = _document(path)
    fold = ScrapFold(light=light)
    for cell in _cells(document):
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            if isinstance(output, Mapping):
                kind = str(output.get("output_type"))
                fold.take(_joined(output.get("data")), output.get("metadata"), kind)
    return ReadNotebook(path, _named(fold, path), document)


def notebook_of(run: RunDir) -> ReadNotebook:
    """Read a run, also one that goes on; its journal knows what a notebook no longer shows."""
    path = str(run.notebook_path)
    if not run.journal_path.is_file():
        read = notebook_at(path)
        return ReadNotebook(path, read.scraps, read._document, run.run_id)
    try:
        fold = _from_journal(run)
        document = _document(path) if run.notebook_path.is_file() else _so_far(run)
    except OSError as error:
        raise cannot_read(error, run.path) from error
    return ReadNotebook(path, _named(fold, path), document, run.run_id)


def _from_journal(run: RunDir) -> ScrapFold:
    fold = ScrapFold()
    with run.journal_path.open("rb", buffering=1024 * 1024) as journal:
        for line in journal:
            if MARK not in line:
                continue
            try:
                event = decode(line)
            except ValueError:
                continue  # damaged, or of a newer version
            if isinstance(event, Display | ExecuteResult):
                kind = "display_data" if isinstance(event, Display) else "execute_result"
                fold.take(event.data, event.metadata, kind)
    return fold


def _so_far(run: RunDir) -> dict[str, Any]:
    """What would stand in the notebook of a run that has none yet."""
    first = outline_of(run.journal_path).run.started
    if first is None:
        return {}
    told = {"parameters": dict(first.parameters), "input_path": first.source.get("path")}
    return {"metadata": {"papermill": told}}


def _document(path: str) -> Mapping[str, Any]:
    text = read_text(path)
    try:
        document = json.loads(text.removeprefix("\ufeff"))
    except RecursionError as error:
        raise _invalid(path, "the JSON is nested too deeply") from error
    except ValueError as error:
        raise _invalid(path, f"it is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise _invalid(path, "it is not a JSON object")
    if not isinstance(document.get("cells", document.get("worksheets")), list):
        raise _invalid(path, "it has no list of cells")
    return document


def _invalid(path: str, why: str) -> OctavoError:
    hint = "name a .ipynb file that was executed"
    return NotebookError("notebook-invalid", f"not a notebook: {why}", place=path, hint=hint)


def _cells(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    cells = document.get("cells")
    for cell in cells if isinstance(cells, list) else ():
        if isinstance(cell, Mapping):
            yield cell


def _joined(data: Any) -> Any:
    """Text that a file holds as a list of lines, as one; JSON is left alone."""
    if not isinstance(data, Mapping):
        return data
    return {
        mime: "".join(value)
        if isinstance(value, list)
        and not str(mime).endswith("json")
        and all(isinstance(line, str) for line in value)
        else value
        for mime, value in data.items()
    }


def _named(fold: ScrapFold, place: str) -> Scraps:
    return Scraps({name: Scrap(glued, place) for name, glued in fold.scraps.items()})


def _rows(scraps: Mapping[str, Scrap]) -> list[tuple[Any, ...]]:
    return [(each.name, each.data, each.encoder, each.display) for each in scraps.values()]


def _frame(rows: Sequence[tuple[Any, ...]], columns: Sequence[str]) -> Any:
    return pandas_for("a table of scraps").DataFrame(list(map(list, rows)), columns=list(columns))


def _key(notebook: ReadNotebook) -> str:
    folder = os.path.basename(notebook.directory)
    if notebook.run_id is not None and folder == notebook.run_id:
        return notebook.run_id
    return os.path.splitext(notebook.filename)[0]


def _text(metadata: Mapping[str, Any], *keys: str) -> str | None:
    found: Any = metadata
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) else None
