"""Writing notebooks from memory: in the format of the name, and only what changed."""

from __future__ import annotations

import copy
import json
import stat
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings

from notebook_documents import notebooks
from octavo.authoring.diffing import compare_files
from octavo.authoring.documents import read_document
from octavo.authoring.writing import write_document
from octavo.errors import NotebookError, OctavoError
from octavo.notebook.diff import diff
from octavo.notebook.formats import ipynb

SCRIPT = """\
#!/usr/bin/env python
# ---
# title: Report
# ---


# %% [markdown]
# # Report

# %%
x   =  1   # as I like it
# %% tags=["a"]
y = 2
"""


def test_a_script_keeps_what_was_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "nb.py"
    path.write_text(SCRIPT)
    path.chmod(0o755)
    document = read_document(path)
    write_document(document, path)
    assert path.read_text() == SCRIPT
    document["cells"][-1]["source"] = "y = 3"
    write_document(document, path)
    assert path.read_text() == SCRIPT.replace("y = 2", "y = 3")
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


def test_a_text_that_says_the_same_stays(tmp_path: Path) -> None:
    path = tmp_path / "nb.md"
    text = "Hello,\n\n\n\n~~~python\nx = 1\n~~~\n\n\nyou."
    path.write_text(text)
    document = read_document(path)
    write_document(document, path)
    assert path.read_text() == text
    document["cells"][-1]["source"] = "all."
    write_document(document, path)
    assert "all." in path.read_text()
    assert read_document(path)["cells"][-1]["source"] == "all."


def test_a_new_file_in_each_format(tmp_path: Path) -> None:
    nb = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("# Hi"), nbformat.v4.new_code_cell("x = 1")]
    )
    for name in ("nb.ipynb", "nb.py", "nb.md"):
        write_document(nb, tmp_path / name)
        cells = read_document(tmp_path / name)["cells"]
        assert [(cell["cell_type"], cell["source"]) for cell in cells] == [
            ("markdown", "# Hi"),
            ("code", "x = 1"),
        ]
    assert nbformat.read(tmp_path / "nb.ipynb", 4).cells == nb.cells
    assert (tmp_path / "nb.py").read_text() == "# %% [markdown]\n# # Hi\n\n# %%\nx = 1\n"


def test_ids_stay_and_new_ones_are_stable(tmp_path: Path) -> None:
    path = tmp_path / "nb.ipynb"
    write_document(_document({"source": "x = 1", "id": "mine"}, {"source": "y = 2"}), path)
    first = [cell["id"] for cell in read_document(path)["cells"]]
    assert first[0] == "mine"
    write_document(_document({"source": "new"}, {"source": "x = 1"}, {"source": "y = 2"}), path)
    again = [cell["id"] for cell in read_document(path)["cells"]]
    assert again[1:] == first


def test_an_old_notebook_is_given_ids_and_takes_new_cells(tmp_path: Path) -> None:
    path = tmp_path / "old.ipynb"
    old = _document({"source": "x = 1"})
    path.write_text(json.dumps({**old, "nbformat_minor": 4}))
    nb = nbformat.from_dict(read_document(path))
    nb.cells.append(nbformat.v4.new_code_cell("y = 2"))
    nbformat.validate(nb)
    write_document(nb, path)
    assert nbformat.read(path, 4) == nb


@pytest.mark.parametrize("name", ["nb.ipynb", "nb.py"])
@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ({"cells": 3}, "`cells` is missing or not a list"),
        ({"nbformat": 3}, "version 4 can be written"),
        ({"metadata": {"title": {1, 2}}}, "`title` is not text"),
        ({"cells": [{"cell_type": "code"}, {"cell_type": "note"}]}, "cell 1: the cell type"),
    ],
)
def test_what_is_not_valid_is_refused_and_nothing_changes(
    tmp_path: Path, name: str, broken: dict[str, Any], words: str
) -> None:
    path = tmp_path / name
    write_document(_document({"source": "x = 1"}), path)
    before = path.read_bytes()
    with pytest.raises(NotebookError) as caught:
        write_document({**_document({"source": "y = 2"}), **broken}, path)
    assert words in caught.value.message
    assert caught.value.hint
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_what_is_not_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotebookError, match="set is not part of JSON"):
        write_document({**_document(), "metadata": {"other": {1, 2}}}, tmp_path / "nb.ipynb")
    assert [*tmp_path.iterdir()] == []


def test_what_a_script_cannot_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nb.py"
    for _ in ("new", "there"):
        with pytest.raises(NotebookError, match="cell 0"):
            write_document(_document({"source": "text = '''"}, {"source": "'''"}), path)
        path.write_text("# %%\nx = 1\n")
    assert path.read_text() == "# %%\nx = 1\n"


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    for name in ("nb.txt", "missing/nb.py", "."):
        with pytest.raises(OctavoError) as caught:
            write_document(_document({"source": "x"}), tmp_path / name)
        assert caught.value.hint


@settings(max_examples=40, deadline=None)
@given(notebooks())
def test_what_is_written_is_read_again(tmp_path_factory: Any, notebook: Any) -> None:
    folder = tmp_path_factory.mktemp("written")
    document = ipynb.to_document(notebook)
    before = copy.deepcopy(document)
    write_document(document, folder / "nb.ipynb")
    assert document == before
    assert diff(read_document(folder / "nb.ipynb"), document) == []
    try:
        write_document(document, folder / "nb.py")
    except NotebookError as error:
        assert "cannot be written as part of a script" in error.message
        return
    if notebook.cells:
        found = compare_files(str(folder / "nb.ipynb"), str(folder / "nb.py"))
        ids = [[cell["id"] for cell in (side or {})["cells"]] for side in (found.old, found.new)]
        assert ids[0] == ids[1]


def _document(*cells: dict[str, Any]) -> dict[str, Any]:
    usual = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    return {
        "cells": [{**usual, **cell} for cell in cells],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
