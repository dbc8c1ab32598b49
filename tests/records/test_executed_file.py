"""The executed notebook of a run, when somebody has damaged it."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.errors import StorageError
from octavo.records.executed_file import executed_document
from octavo.records.run_dir import RunDir

NONSENSE = ["{ half of it", "[]", "{}", '{"cells": 1}', '{"cells": [1]}', "[" * 100_000]


@pytest.mark.parametrize("content", [*NONSENSE, '{"cells": [{"outputs": [1]}]}'])
def test_nonsense_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "notebook.ipynb").write_text(content)
    with pytest.raises(StorageError) as caught:
        executed_document(RunDir(tmp_path))
    assert caught.value.kind == "record-invalid"
    assert "octavo rerun" in caught.value.hint


def test_what_a_journal_can_make_anew_is_said(tmp_path: Path) -> None:
    (tmp_path / "notebook.ipynb").write_text("[]")
    (tmp_path / "events.jsonl").touch()
    with pytest.raises(StorageError) as caught:
        executed_document(RunDir(tmp_path))
    assert "from the journal" in caught.value.hint


def test_one_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as caught:
        executed_document(RunDir(tmp_path))
    assert caught.value.kind == "storage"


def test_a_notebook_is_given_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notebook.ipynb").write_text('{"cells": [{"cell_type": "markdown"}]}')
    assert executed_document(RunDir(tmp_path)) == {"cells": [{"cell_type": "markdown"}]}
