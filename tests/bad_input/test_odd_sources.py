"""Notebooks that are unusual and right: they run, and the author's lines stay his."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest

from bad_input.refusing import Folder

FAILS = "# %%\nx = 1\n\n# %%\nx / 0\n"
NAMES = [
    "a b.py",
    "it's.py",
    'quo"te.py',
    "ünï–☃.py",
    "./-dash.py",
    "new\nline.py",
    "$(touch pwned).py",
    "semi;colon&.py",
    "star*.py",
    "%s{x}.py",
    "dir with ' quote/nb.py",
]


def run(folder: Folder, *words: object) -> tuple[int, dict[str, Any]]:
    code, out, err = folder("run", *words, "--json")
    assert "Traceback" not in err
    return code, json.loads(out)


@pytest.mark.kernel
def test_any_name_will_do(folder: Folder) -> None:
    folder.write("octavo.toml", "")
    for name in NAMES:
        folder.write(name, FAILS)
    code, report = run(folder, "-j", "2", *NAMES)
    assert code == 1
    for name, result in zip(NAMES, report["runs"], strict=True):
        assert result["failed_cell"]["line"] == 5, name
        record = json.loads(Path(result["record_path"]).read_text())
        assert record["source"]["path"] == str(folder.path / name)
    assert not (folder.path / "pwned").exists()
    assert folder("show", "last")[0] == 0
    assert folder("runs", "it's.py", "--json")[1].count('"run_id"') == 1


@pytest.mark.kernel
def test_a_name_that_looks_like_an_option(folder: Folder) -> None:
    folder.write("-dash.py", "# %%\n1\n")
    error = folder.refuses("run", "-dash.py")
    assert (error.code, error.kind) == (2, "wrong-argument")
    assert folder("run", "-q", "--", "-dash.py")[0] == 0


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("content", "line"),
    [
        (FAILS.replace("\n", "\r\n").encode(), 5),
        (FAILS.replace("\n", "\r").encode(), 5),
        (b"\xef\xbb\xbf" + FAILS.encode(), 5),
        (b"\xef\xbb\xbf" + FAILS.replace("\n", "\r\n").encode(), 5),
        (FAILS.removesuffix("\n").encode(), 5),
        (FAILS.replace("x = 1", "x = 1\x0c").encode(), 5),
    ],
    ids=["CRLF", "CR", "BOM", "BOM and CRLF", "no last line end", "form feed"],
)
def test_line_ends_and_marks(folder: Folder, content: bytes, line: int) -> None:
    path = folder.write("nb.py", content)
    code, result = run(folder, "nb.py")
    assert (code, result["reason"]) == (1, "cell-error")
    assert result["failed_cell"]["line"] == line
    assert result["failed_cell"]["ename"] == "ZeroDivisionError"
    assert path.read_bytes() == content
    kept = Path(result["record_path"]).with_name("source.py")
    assert kept.read_bytes() == content, "the record has the source as it was"


@pytest.mark.kernel
def test_an_ipynb_with_a_byte_order_mark_and_no_ids(folder: Folder) -> None:
    cell = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": ["print(", "1)"],
    }
    text = json.dumps({"cells": [cell, cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 0})
    folder.write("nb.ipynb", b"\xef\xbb\xbf" + text.encode())
    code, result = run(folder, "nb.ipynb")
    assert code == 0
    nbformat.validate(nbformat.read(result["notebook_path"], as_version=4))


@pytest.mark.kernel
def test_a_link_runs_where_it_stands(folder: Folder) -> None:
    """The folder of the link is the working directory, as with any other program."""
    folder.write("elsewhere/nb.py", "# %%\nimport os\n\nprint(os.getcwd())\n")
    (folder.path / "link.py").symlink_to("elsewhere/nb.py")
    code, result = run(folder, "link.py")
    assert code == 0
    notebook = nbformat.read(result["notebook_path"], as_version=4)
    assert notebook.cells[0].outputs[0].text == f"{folder.path}\n"


@pytest.mark.kernel
def test_a_cell_of_five_megabytes(folder: Folder) -> None:
    folder.write("nb.py", f"# %%\ntext = '{'x' * 5_000_000}'\nprint(len(text))\n")
    code, result = run(folder, "nb.py")
    assert code == 0
    notebook = nbformat.read(result["notebook_path"], as_version=4)
    assert notebook.cells[0].outputs[0].text == "5000000\n"


@pytest.mark.kernel
@pytest.mark.slow
def test_ten_thousand_cells(folder: Folder) -> None:
    cells = "".join(f"# %%\nx{number} = {number}\n\n" for number in range(9_999))
    folder.write("nb.py", f"{cells}# %%\nprint(x9998)\n")
    code, result = run(folder, "nb.py")
    assert (code, result["cells_executed"]) == (0, 10_000)
    notebook = json.loads(Path(result["notebook_path"]).read_text())
    assert notebook["cells"][-1]["outputs"][0]["text"] == ["9998\n"]


@pytest.mark.kernel
@pytest.mark.parametrize(
    "source", ["# just a comment\n", "# %% [markdown]\n# Only prose\n", "# %%\n\n# %%\n"]
)
def test_nothing_to_execute_is_a_success(folder: Folder, source: str) -> None:
    folder.write("nb.py", source)
    code, result = run(folder, "nb.py")
    assert (code, result["status"], result["failed_cell"]) == (0, "success", None)
