"""Where the user wants the notebook: refused before anything runs, or told in the record."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from bad_input.refusing import Folder

NOTEBOOK = "# %%\nopen('ran', 'w').close()\n\n# %%\nprint('hello')\n"
VANISHES = "# %%\nimport shutil\n\nshutil.rmtree('out')\nopen('out', 'w').close()\n"


@pytest.fixture
def with_notebook(folder: Folder) -> Folder:
    folder.write("nb.py", NOTEBOOK)
    return folder


@pytest.mark.parametrize(
    ("output", "kind", "word"),
    [
        ("folder.ipynb", "output-exists", "is a folder"),
        ("nb.py", "output-exists", "overwrite the notebook itself"),
        ("link.ipynb", "output-exists", "overwrite the notebook itself"),
        ("file/out.ipynb", "output-unwritable", "is not a folder"),
        ("out.txt", "output-unwritable", "as .ipynb"),
        ("", "output-unwritable", "as .ipynb"),
    ],
)
@pytest.mark.parametrize("more", [[], ["--prepare-only"]])
def test_an_output_that_cannot_be(
    with_notebook: Folder, output: str, kind: str, word: str, more: list[str]
) -> None:
    (with_notebook.path / "folder.ipynb").mkdir()
    (with_notebook.path / "link.ipynb").symlink_to("nb.py")
    with_notebook.write("file", "")
    error = with_notebook.refuses("run", "nb.py", "-o", output, *more)
    assert (error.code, error.kind) == (2, kind)
    assert word in error.message


def test_one_output_for_many_notebooks(with_notebook: Folder) -> None:
    error = with_notebook.refuses("run", "nb.py", "nb.py", "-o", "out.ipynb")
    assert (error.code, error.kind) == (2, "wrong-argument")


def test_prepared_without_a_place(with_notebook: Folder) -> None:
    assert with_notebook.refuses("run", "nb.py", "--prepare-only").kind == "wrong-argument"


def test_prepared_where_nothing_can_be_written(with_notebook: Folder) -> None:
    error = with_notebook.refuses("run", "nb.py", "--prepare-only", "-o", "/proc/out.ipynb")
    assert (error.code, error.kind) == (2, "output-unwritable")


def test_prepared_in_a_new_folder(with_notebook: Folder) -> None:
    code, out, _ = with_notebook("run", "nb.py", "--prepare-only", "-o", "new/out.ipynb", "--json")
    path = with_notebook.path / "new/out.ipynb"
    assert (code, json.loads(out)) == (0, {"prepared": [str(path)]})
    assert json.loads(path.read_text())["cells"][1]["source"] == ["print('hello')"]
    assert not (with_notebook.path / "ran").exists()


@pytest.mark.parametrize("name", ["nb.ipynb", "other.ipynb"])
def test_convert_does_not_overwrite(with_notebook: Folder, name: str) -> None:
    with_notebook.write(name, "mine")
    error = with_notebook.refuses("convert", "nb.py", "-o", name)
    assert (error.code, error.kind) == (2, "output-exists")
    assert "--force" in error.hint


@pytest.mark.kernel
def test_an_existing_output_is_replaced(with_notebook: Folder) -> None:
    path = with_notebook.write("out.ipynb", "old")
    assert with_notebook("run", "nb.py", "-o", "out.ipynb", "-q")[0] == 0
    assert json.loads(path.read_text())["nbformat"] == 4


@pytest.mark.kernel
def test_an_output_that_cannot_be_written_after_all(folder: Folder) -> None:
    """The cells ran, so there is a record, and it says what went wrong afterwards."""
    folder.write("nb.py", VANISHES)
    (folder.path / "out").mkdir()
    code, out, err = folder("run", "nb.py", "-o", "out/nb.ipynb", "--json")
    assert code == 3
    result = json.loads(out)
    assert (result["status"], result["reason"]) == ("error", "infrastructure")
    assert "the output cannot be written" in result["message"]
    assert "Traceback" not in err
    record = json.loads(Path(result["record_path"]).read_text())
    assert (record["status"], record["reason"]) == ("error", "infrastructure")
    assert [cell["status"] for cell in record["cells"]] == ["succeeded"]
    assert Path(result["notebook_path"]).parent == Path(result["record_path"]).parent
    assert os.listdir(folder.path / ".octavo/live") == []


@pytest.mark.kernel
def test_a_failed_cell_stays_the_reason_when_the_output_fails_too(folder: Folder) -> None:
    folder.write("nb.py", f"{VANISHES}1 / 0\n")
    (folder.path / "out").mkdir()
    code, out, _ = folder("run", "nb.py", "-o", "out/nb.ipynb", "--json")
    result = json.loads(out)
    assert (code, result["reason"]) == (1, "cell-error")
    assert result["failed_cell"]["ename"] == "ZeroDivisionError"
    assert "the output cannot be written" in result["message"]
