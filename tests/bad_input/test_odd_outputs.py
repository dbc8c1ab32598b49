"""Cells that write what is no text: the record stays valid, and the terminal unharmed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest

from bad_input.refusing import Folder

pytestmark = pytest.mark.kernel

SOURCE = r"""# %% invalid UTF-8, and a character in two writes
import os, sys

_ = os.write(1, b"ok \xff\xfe \xc3")
_ = os.write(1, b"\xa9\n")

# %% NUL
print("a\0b")

# %% colours, a title for the terminal, a cleared screen
print("\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b[2J!")

# %% a progress bar
print("1 %\r2 %\r3 %")

# %% half of a surrogate pair, printed
print("half \ud800")

# %% half of a surrogate pair, shown
from IPython.display import display

display({"text/plain": "half \udfff", "application/json": {"\ud800": ["\ud800", float("nan")]}},
        raw=True)

# %% half of a surrogate pair, raised
raise ValueError("half \ud800 \0 \x1b[31m")
"""


@pytest.fixture
def result(folder: Folder) -> dict[str, Any]:
    folder.write("nb.py", SOURCE)
    code, out, err = folder("run", "nb.py", "--json")
    assert (code, err) == (1, "")
    found: dict[str, Any] = json.loads(out)
    return found


def test_the_notebook_is_valid_and_loses_nothing_that_it_can_hold(result: dict[str, Any]) -> None:
    raw = Path(result["notebook_path"]).read_bytes().decode("utf-8")
    notebook = nbformat.reads(raw, as_version=4)
    nbformat.validate(notebook)
    texts = [cell.outputs[0].get("text") for cell in notebook.cells[:5]]
    assert texts == [
        "ok \ufffd\ufffd é\n",
        "a\0b\n",
        "\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b[2J!\n",
        "1 %\r2 %\r3 %\n",
        "half \\ud800\n",
    ]
    assert notebook.cells[5].outputs[0].data["text/plain"] == "half \ufffd"


def test_the_result_and_the_record_are_json(result: dict[str, Any]) -> None:
    assert result["failed_cell"]["ename"] == "ValueError"
    record = json.loads(Path(result["record_path"]).read_bytes().decode("utf-8"))
    assert record["failed_cell"]["ename"] == "ValueError"


@pytest.mark.usefixtures("result")
def test_the_terminal_is_not_touched(folder: Folder) -> None:
    for words in (("show", "last"), ("runs",)):
        code, out, err = folder(*words)
        assert (code, err) == (0, "")
        assert not set(out) & set("\x1b\x07\0\r"), "no control characters"
    assert "│ 3 %" in folder("show", "last")[1], "as a terminal would show it"


@pytest.mark.usefixtures("result")
def test_as_json_for_machines(folder: Folder) -> None:
    code, out, _ = folder("show", "last", "--json")
    assert code == 0
    assert len(json.loads(out)["cells"]) == 7


def test_told_while_it_runs(folder: Folder) -> None:
    folder.write("nb.py", SOURCE)
    code, out, err = folder("run", "nb.py", "--log-output")
    assert code == 1
    assert "ok \ufffd\ufffd é" in err
    assert not set(out + err) & set("\x1b\x07\0")
