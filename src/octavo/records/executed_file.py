"""The executed notebook in the folder of a run, read back."""

from __future__ import annotations

import json
from typing import Any

from octavo.errors import StorageError
from octavo.records.disk import cannot_read
from octavo.records.run_dir import RunDir


def executed_document(run: RunDir) -> dict[str, Any]:
    """The notebook that a run has left; StorageError `record-invalid` where it is none."""
    try:
        document = json.loads(run.notebook_path.read_bytes())
    except OSError as error:
        raise cannot_read(error, run.notebook_path) from error
    except (ValueError, RecursionError) as error:
        raise unreadable(run, str(error)) from error
    cells = document.get("cells") if isinstance(document, dict) else None
    if not isinstance(cells, list) or not all(map(_is_cell, cells)):
        raise unreadable(run, "it is no notebook")
    return dict(document)


def _is_cell(cell: Any) -> bool:
    outputs = cell.get("outputs", []) if isinstance(cell, dict) else None
    return isinstance(outputs, list) and all(isinstance(each, dict) for each in outputs)


def unreadable(run: RunDir, why: str) -> StorageError:
    """The error for an executed notebook that makes no sense; a journal can make it anew."""
    anew = "delete that file: the next command makes it anew from the journal beside it"
    return StorageError(
        "record-invalid",
        f"the executed notebook cannot be read: {why}",
        place=str(run.notebook_path),
        hint=anew if run.journal_path.is_file() else "octavo rerun RUN runs the notebook again",
    )
