"""From a journal to the record and the executed notebook.

This is how a run is finished and how a killed one is recovered: the same code, from the same
file, with the same outcome. It may be done again at any time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from octavo.errors import StorageError
from octavo.events.types import RunStarted
from octavo.notebook.formats.ipynb.text import HEAD, SEPARATOR, cell_pieces, dump_tail
from octavo.records.disk import release_reserve, replacing, storage_error, sync_file
from octavo.records.executed import executed_cell, notebook_metadata, with_ending
from octavo.records.journal import JOURNAL_NAME
from octavo.records.outline import read_outline
from octavo.records.outputs import CellOutputs
from octavo.records.plain import finite, utf8
from octavo.records.record import NOTEBOOK_NAME, RECORD_NAME, RunRecord, dump_record
from octavo.records.summary import summarize, unknown_run

_NO_ROOM = {
    "output_type": "stream",
    "name": "stderr",
    "text": "outputs left out, the disk was full; events.jsonl has them\n",
}


def assemble(run_dir: Path) -> RunRecord:
    """Write `notebook.ipynb` and `record.json` from `events.jsonl`, and give the record.

    On a full disk the notebook is written without outputs and the record says so; StorageError
    `disk-full` when not even that fits.
    """
    with _journal(run_dir) as journal:
        outline = read_outline(journal)
        run = outline.run.started or unknown_run(run_dir)
        record = summarize(outline, run, run_dir)
        outputs = CellOutputs(journal, outline, run_dir)
        if _fits(run, record, outputs):
            return record
        if release_reserve(run_dir) and _fits(run, record, outputs):
            return record
        record = record.replace(complete=False)
        _write(run, record, None)
        return record


@contextmanager
def _journal(run_dir: Path) -> Iterator[BinaryIO]:
    try:
        file = (run_dir / JOURNAL_NAME).open("rb", buffering=1024 * 1024)
    except FileNotFoundError:
        yield BytesIO()
        return
    with file:
        yield file


def _fits(run: RunStarted, record: RunRecord, outputs: CellOutputs) -> bool:
    try:
        _write(run, record, outputs)
    except StorageError as error:
        if error.kind != "disk-full":
            raise
        return False
    return True


def _write(run: RunStarted, record: RunRecord, outputs: CellOutputs | None) -> None:
    """Both files, the record last: where it is, the notebook is whole.

    Only the journal is synced: whoever reads a record that a power cut has damaged gets it rebuilt.
    """
    run_dir = record.directory
    try:
        with replacing(run_dir / NOTEBOOK_NAME, sync=False) as file:
            write_notebook(file, run, record, outputs)
        with replacing(run_dir / RECORD_NAME, sync=False) as file:
            file.write(dump_record(record))
        sync_file(run_dir / JOURNAL_NAME)
    except OSError as error:
        raise storage_error(error, run_dir) from error


def write_notebook(
    file: BinaryIO,
    run: RunStarted,
    record: RunRecord,
    outputs: CellOutputs | None,
    *,
    running: bool = False,
) -> None:
    """The executed notebook; with `running`, of a run that has not come to its end."""
    file.write(HEAD.encode())
    separator = b""
    for plain in _cells(run, record, outputs):
        file.write(separator)
        for piece in cell_pieces(plain):
            file.write(utf8(piece))
        separator = SEPARATOR.encode()
    version = str(run.host.get("octavo", ""))
    widgets = outputs.widgets() if outputs else None
    told = notebook_metadata(run, record, widgets, version)
    metadata = finite(_as_running(told) if running else told)
    rest = {"metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    file.write(utf8(dump_tail(rest, empty=not run.cells)))


def _as_running(metadata: dict[str, Any]) -> dict[str, Any]:
    """Nothing is known yet of how a run ends."""
    unknown = {"duration": None, "end_time": None, "exception": None}
    return {
        **metadata,
        "octavo": {**metadata["octavo"], "status": "running", "reason": None},
        "papermill": {**metadata["papermill"], **unknown},
    }


def _cells(
    run: RunStarted, record: RunRecord, outputs: CellOutputs | None
) -> Iterator[dict[str, Any]]:
    end = _reached_until(record)
    for bound, cell in zip(run.cells, record.cells, strict=True):
        if outputs:
            shown = outputs.of(cell.index)
        else:
            shown = [_NO_ROOM] if cell.started is not None else []
        told = with_ending(list(map(_finite, shown)), cell.status, record.message)
        yield executed_cell(bound, cell, told, reached=cell.index < end)


def _finite(output: dict[str, Any]) -> dict[str, Any]:
    """An output without numbers that JSON lacks; plain text is not looked through."""
    data = output.get("data")
    if not data or (not output["metadata"] and all(isinstance(v, str) for v in data.values())):
        return output
    return {**output, "data": finite(data), "metadata": finite(output["metadata"])}


def _reached_until(record: RunRecord) -> int:
    """The index before which the run came to every cell."""
    came_to_the_end = all(cell.status != "not-run" for cell in record.cells)
    if record.reason is None or (record.reason == "scraps" and came_to_the_end):
        return len(record.cells)
    return max((cell.index for cell in record.cells if cell.started is not None), default=0)
