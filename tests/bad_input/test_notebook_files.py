"""Files that are no notebooks, or broken ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bad_input.refusing import Folder

COMMANDS = ["run", "inspect", "show", "convert", "sync", "warm"]


def cell(source: Any = "1", id: Any = "a", **more: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": id,
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": source,
        **more,
    }


def ipynb(*cells: Any, **more: Any) -> str:
    return json.dumps(
        {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_missing_file(folder: Folder, command: str) -> None:
    error = folder.refuses(command, "missing.py")
    assert (error.code, error.kind) == (2, "notebook-not-found")
    assert error.place == str(folder.path / "missing.py")


def test_nothing_is_kept_warm_for_a_notebook_that_is_not_there(folder: Folder) -> None:
    folder.refuses("warm", "missing.py")
    assert folder("warm", "--status", "--json")[1] == (
        '{"host": false, "environments": [], "stopped": 0}\n'
    )


def test_a_runtime_folder_that_cannot_be_made(folder: Folder) -> None:
    (folder.path.parent / "runtime" / "octavo").write_text("in the way")
    error = folder.refuses("warm")
    assert (error.code, error.kind) == (3, "storage")
    assert "XDG_RUNTIME_DIR" in error.hint


@pytest.mark.parametrize(
    ("name", "content", "kind", "word"),
    [
        ("nb.py", "", "notebook-empty", "no content"),
        ("nb.ipynb", "", "notebook-empty", "no content"),
        ("nb.py", " \n\n", "notebook-empty", "no content"),
        ("nb.py", b"\xef\xbb\xbf", "notebook-empty", "no content"),
        ("nb.ipynb", ipynb(cell())[:-20], "notebook-invalid", "cut off"),
        ("nb.ipynb", "# %%\nprint(1)\n", "notebook-invalid", "not JSON"),
        ("nb.ipynb", ipynb() + "}", "notebook-invalid", "not JSON"),
        ("nb.ipynb", "[]", "notebook-invalid", "not an object"),
        ("nb.ipynb", "{}", "notebook-invalid", "`nbformat` is missing"),
        ("nb.ipynb", "[" * 100_000, "notebook-invalid", "nested"),
        ("nb.ipynb", ipynb(metadata={"n": 1}).replace("1}", "9" * 5000 + "}"),
         "notebook-invalid", "digits"),
        ("nb.py", b"# %%\nx = '\xe4'\n", "notebook-encoding", "byte 0xe4 in line 2"),
        ("nb.py", "# %%\n".encode("utf-16"), "notebook-encoding", "UTF-16"),
        ("nb.ipynb", b"\x7fELF\0\0\xff", "notebook-encoding", "not text"),
        ("nb.txt", "x", "format-unknown", "no notebook format"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_notebook(
    folder: Folder, name: str, content: str | bytes, kind: str, word: str
) -> None:
    path = folder.write(name, content)
    error = folder.refuses("run", name)
    assert (error.code, error.kind) == (2, kind)
    assert word in error.message
    assert error.place.startswith(str(path))


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (ipynb(cell(), cell("2")), "notebook-invalid", "cell 1: the id 'a' is taken by cell 0"),
        (ipynb(cell(id="b c")), "notebook-invalid", "cell 0: the id 'b c' is not"),
        (ipynb("text"), "notebook-invalid", "cell 0: it is not an object"),
        (ipynb(cell(cell_type="cod")), "notebook-invalid", "cell 0 (id a): the cell type is 'cod'"),
        (ipynb(cell(source=3)), "notebook-invalid", "cell 0 (id a): `source` is missing"),
        (ipynb(cell(metadata=[])), "notebook-invalid", "cell 0 (id a): `metadata` is missing"),
        (ipynb(cell(outputs=[{"output_type": "strem"}])), "notebook-invalid", "output 1:"),
        (ipynb(cells={}), "notebook-invalid", "`cells` is missing or not a list"),
        (ipynb(metadata=[]), "notebook-invalid", "`metadata` is missing or not an object"),
        (ipynb(nbformat=5), "notebook-version", "nbformat 5.5"),
        (ipynb(nbformat_minor=6), "notebook-version", "nbformat 4.6"),
        (ipynb(nbformat="4"), "notebook-version", '`nbformat` is "4"'),
    ],
)
@pytest.mark.parametrize("command", ["run", "inspect", "convert"])
def test_an_ipynb_with_a_mistake(
    folder: Folder, command: str, text: str, kind: str, message: str
) -> None:
    folder.write("nb.ipynb", text)
    error = folder.refuses(command, "nb.ipynb")
    assert (error.code, error.kind) == (2, kind)
    assert message in error.message


@pytest.mark.parametrize("name", ["folder", "folder.py", "folder.ipynb"])
def test_a_folder(folder: Folder, name: str) -> None:
    folder.write(f"{name}/inside.py", "# %%\n1\n")
    error = folder.refuses("run", name)
    assert (error.code, error.kind) == (2, "notebook-unreadable")
    assert "inside.py" in error.hint


def test_links_that_lead_nowhere(folder: Folder) -> None:
    (folder.path / "gone.py").symlink_to("moved.py")
    (folder.path / "loop.py").symlink_to("loop.py")
    assert folder.refuses("run", "gone.py").kind == "notebook-not-found"
    assert folder.refuses("run", "loop.py").kind == "notebook-unreadable"


def test_one_bad_notebook_among_many_stops_all_of_them(folder: Folder) -> None:
    folder.write("good.py", "# %%\nopen('ran', 'w')\n")
    folder.write("bad.py", "")
    assert folder.refuses("run", "good.py", "bad.py").kind == "notebook-empty"


@pytest.mark.parametrize(
    "metadata",
    [
        {"kernelspec": {"name": "ir", "display_name": "R", "language": "R"}},
        {"language_info": {"name": "julia"}},
    ],
)
def test_another_language_is_not_run_as_python(folder: Folder, metadata: dict[str, Any]) -> None:
    folder.write("nb.ipynb", ipynb(cell("x <- 1"), metadata=metadata))
    error = folder.refuses("run", "nb.ipynb")
    assert (error.code, error.kind) == (3, "kernel-missing")
    assert error.place == str(folder.path / "nb.ipynb")
    assert "install one with: " in error.hint
