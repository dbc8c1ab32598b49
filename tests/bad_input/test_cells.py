"""Cells that do not parse, and cells that must be one: told with file and line, before any runs."""

from __future__ import annotations

import json

import pytest

from bad_input.refusing import Folder

RAN = "# %%\nopen('ran', 'w').close()\n\n"


@pytest.mark.parametrize(
    ("cell", "line", "message"),
    [
        ("x = (1,\ny = 2\n", 5, "'(' was never closed"),
        ("x = 1\nprint 'x'\n", 6, "Missing parentheses in call to 'print'"),
        ("if x:\n\ty = 1\n        z = 2\n", 7, "inconsistent use of tabs"),
        ("x = '''abc\n", 5, "unterminated triple-quoted string"),
        ("return 3\n", 5, "'return' outside function"),
        ("x = 'a\0b'\n", 5, "null bytes"),
        ("x = 1\nif x:\ny = 2\n", 7, "after 'if' statement on line 6"),
    ],
)
def test_a_syntax_error(folder: Folder, cell: str, line: int, message: str) -> None:
    path = folder.write("nb.py", f"{RAN}# %%\n{cell}")
    error = folder.refuses("run", "nb.py")
    assert (error.code, error.kind) == (2, "notebook-syntax")
    assert error.place == f"{path}:{line}"
    assert message in error.message
    assert error.hint.startswith("correct this line: ")


def test_a_syntax_error_in_an_ipynb(folder: Folder) -> None:
    cells = [
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": source,
        }
        for source in ("x = 1", "y = 2\nz = (")
    ]
    document = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    path = folder.write("nb.ipynb", json.dumps(document))
    error = folder.refuses("run", "nb.ipynb")
    assert (error.kind, error.place) == ("notebook-syntax", f"{path}, cell 1, line 2")


def test_every_cell_that_does_not_parse_is_named(folder: Folder) -> None:
    folder.write("nb.py", "# %%\nx = (\n\n# %%\ny = [\n")
    error = folder.refuses("run", "nb.py")
    assert "nb.py:2" in error.told
    assert "nb.py:5" in error.told


def test_inspect_shows_what_does_not_parse(folder: Folder) -> None:
    folder.write("nb.py", f"{RAN}# %%\nx = (\n")
    code, out, _ = folder("inspect", "nb.py", "--json")
    assert code == 0
    [problem] = json.loads(out)["x-notebook"]["problems"]
    assert problem["place"] == "nb.py:5"


@pytest.mark.parametrize("command", ["run", "inspect"])
def test_two_cells_of_parameters(folder: Folder, command: str) -> None:
    one = '# %% tags=["parameters"]\na = 1\n\n'
    folder.write("nb.py", one + RAN + one)
    error = folder.refuses(command, "nb.py")
    assert (error.code, error.kind) == (2, "parameters-ambiguous")
    assert "nb.py:2" in error.message
    assert "nb.py:8" in error.message


def test_a_syntax_error_among_the_parameters(folder: Folder) -> None:
    path = folder.write("nb.py", '# %% tags=["parameters"]\na = 1\nb = \n')
    for command in ("run", "inspect"):
        error = folder.refuses(command, "nb.py")
        assert (error.code, error.kind) == (2, "notebook-syntax")
        assert error.place in (f"{path}:3", "nb.py:3")


def test_warnings_about_code_are_not_shown(folder: Folder) -> None:
    folder.write("nb.py", "# %%\nx = '\\d' is 1\nprint(x)\x1c\n")
    error = folder.refuses("run", "nb.py")
    assert "Warning" not in error.told
