"""`octavo run - -o -`: notebooks from standard input, and to standard output."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from cli.calling import NOTEBOOK, Octavo

pytestmark = pytest.mark.kernel

MARKDOWN = "# Title\n\n```python\nprint(6 * 7)\n```\n"


def hand_in(monkeypatch: pytest.MonkeyPatch, content: str | bytes) -> None:
    data = content.encode() if isinstance(content, str) else content
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def ipynb(source: str) -> str:
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": source}
    cell |= {"outputs": [], "execution_count": None}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_a_notebook_goes_through(octavo: Octavo, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_in(monkeypatch, ipynb("print(6 * 7)"))
    answer = octavo("run", "-", "-o", "-")
    assert answer.code == 0
    assert answer.json["cells"][0]["outputs"][0]["text"] == ["42\n"]
    assert answer.json["metadata"]["papermill"]["input_path"] == "-"
    assert "success" in answer.err


@pytest.mark.parametrize("content", [NOTEBOOK, ipynb("n = 1"), "print(1)\n"])
def test_the_format_is_found_out(
    octavo: Octavo, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    hand_in(monkeypatch, content)
    assert octavo("run", "-", "-q").code == 0


def test_a_failing_notebook_goes_through_too(
    octavo: Octavo, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(monkeypatch, ipynb("print('before')\n1/0"))
    answer = octavo("run", "-", "-o", "-")
    assert answer.code == 1
    assert answer.json["cells"][0]["outputs"][1]["ename"] == "ZeroDivisionError"
    assert "ZeroDivisionError" in answer.err


def test_a_prepared_notebook_goes_to_standard_output(octavo: Octavo) -> None:
    answer = octavo("run", "nb.py", "-o", "-", "--prepare-only", "-p", "n", 5)
    assert answer.code == 0
    assert answer.json["cells"][2]["source"] == ["# Parameters\n", "n = 5\n"]


def test_json_cannot_stand_beside_it(octavo: Octavo) -> None:
    answer = octavo("run", "nb.py", "-o", "-", "--json")
    assert answer.code == 2
    assert answer.json["error"]["kind"] == "wrong-argument"
    assert not Path(".octavo").exists()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "notebook-empty"),
        (b"\xff\xfe", "notebook-encoding"),
        (b"{", "notebook-invalid"),
        (b"<html>", "notebook-invalid"),
    ],
)
def test_what_is_no_notebook_is_told(
    octavo: Octavo, monkeypatch: pytest.MonkeyPatch, content: bytes, kind: str
) -> None:
    hand_in(monkeypatch, content)
    answer = octavo("run", "-", "--json")
    assert answer.code == 2
    error = answer.json["error"]
    assert error["kind"] == kind and error["hint"]
    assert error["place"].startswith("-")


def test_it_runs_again_from_its_record(octavo: Octavo, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_in(monkeypatch, NOTEBOOK)
    octavo("run", "-", "-p", "n", 2, "-q")
    answer = octavo("rerun", "last", "-o", "again.ipynb", "--json")
    assert answer.code == 0 and answer.json["scraps"]["n"] == 2


def test_parameters_in_paths(octavo: Octavo) -> None:
    answer = octavo("run", "n{suffix}.py", "-o", "out/{n:02}.ipynb", "-p", "n", 2, "-r",
                    "suffix", "b", "--allow-unknown", "-q")  # fmt: skip
    assert answer.code == 0
    assert Path("out/02.ipynb").exists()
    answer = octavo("run", "nb.py", "-o", "{day}.ipynb", "-p", "n", 2, "--json")
    assert answer.code == 2
    assert answer.json["error"]["kind"] == "parameter-missing"


def test_a_file_with_braces_in_its_name_is_that_file(octavo: Octavo) -> None:
    Path("a{b}.py").write_text("# %%\n1\n")
    assert octavo("run", "a{b}.py", "-o", "out{{b}}.ipynb", "-q").code == 0
    assert Path("out{b}.ipynb").exists()


def test_paths_can_be_injected(octavo: Octavo) -> None:
    Path("p.py").write_text("# %%\nprint(PAPERMILL_INPUT_PATH, PAPERMILL_OUTPUT_PATH)\n")
    assert octavo("run", "p.py", "-o", "o.ipynb", "--inject-paths", "-q").code == 0
    cells = json.loads(Path("o.ipynb").read_text())["cells"]
    assert cells[1]["outputs"][0]["text"] == ["p.py o.ipynb\n"]
    assert octavo("rerun", "last", "-q").code == 0


def test_code_is_folded_away_in_report_mode(octavo: Octavo) -> None:
    assert octavo("run", "nb.py", "-o", "o.ipynb", "--report-mode", "-p", "n", 2, "-q").code == 0
    cells = json.loads(Path("o.ipynb").read_text())["cells"]
    for cell in cells:
        hidden = cell["metadata"].get("jupyter", {}).get("source_hidden")
        assert hidden is (True if cell["cell_type"] == "code" else None)
    assert cells[3]["source"] == ["print(n * 2)"]


def test_papermills_way_to_name_the_output_is_understood(octavo: Octavo) -> None:
    answer = octavo("run", "nb.py", "out.ipynb")
    assert answer.code == 2
    assert "-o out.ipynb writes the executed notebook there" in answer.err
