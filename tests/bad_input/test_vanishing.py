"""Cells that delete what the run lives on: the source, the record, the folder they work in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest

from bad_input.refusing import Folder

pytestmark = pytest.mark.kernel

AFTERWARDS = "\n# %%\nprint('still here')\n"


def run(folder: Folder, first_cell: str, *words: str) -> tuple[int, dict[str, Any]]:
    """Exit code and result of a notebook whose first cell destroys something."""
    folder.write("nb.py", f"# %%\n{first_cell}\n{AFTERWARDS}")
    code, out, err = folder("run", "nb.py", "--json", *words)
    assert "Traceback" not in err
    return code, json.loads(out)


def assert_recorded(result: dict[str, Any]) -> None:
    """The record and the notebook are whole, and say that both cells ran."""
    record = json.loads(Path(result["record_path"]).read_text())
    assert (record["status"], record["reason"]) == (result["status"], result["reason"])
    assert [cell["status"] for cell in record["cells"]] == ["succeeded", "succeeded"]
    notebook = nbformat.read(result["notebook_path"], as_version=4)
    nbformat.validate(notebook)
    assert notebook.cells[1].outputs[0].text == "still here\n"
    assert "still here" in (Path(result["record_path"]).parent / "source.py").read_text()


def test_its_own_source(folder: Folder) -> None:
    code, result = run(folder, "import os\nos.unlink('nb.py')")
    assert (code, result["status"]) == (0, "success")
    assert_recorded(result)
    error = folder.refuses("rerun", "last")
    assert (error.code, error.kind) == (2, "notebook-not-found")
    assert "--recorded" in error.hint
    code, out, _ = folder("rerun", "last", "--recorded", "--json")
    assert (code, json.loads(out)["failed_cell"]["ename"]) == (1, "FileNotFoundError")


@pytest.mark.parametrize(
    "doomed", [".octavo", ".octavo/runs/*/*", ".octavo/runs", ".octavo/runs/*/*/events.jsonl"]
)
def test_its_record(folder: Folder, doomed: str) -> None:
    destroy = f"for path in glob.glob({doomed!r}): shutil.rmtree(path, True) or unlink(path)"
    define = "def unlink(path):\n    os.path.isfile(path) and os.unlink(path)"
    code, result = run(folder, f"import glob, os, shutil\n{define}\n{destroy}")
    assert (code, result["status"]) == (0, "success")
    assert "deleted while the run went on" in result["message"]
    assert_recorded(result)
    [row] = json.loads(folder("runs", "--json")[1])["runs"]
    assert (row["run_id"], row["status"]) == (result["run_id"], "success")
    assert (folder.path / ".octavo/.gitignore").read_text() == "*\n"


def test_a_journal_that_a_cell_has_put_something_else_in_place_of(folder: Folder) -> None:
    replace = (
        "for path in glob.glob('.octavo/runs/*/*/events.jsonl'):\n    os.replace('fake', path)"
    )
    code, result = run(folder, f"import glob, os\nopen('fake', 'w').write('fake')\n{replace}")
    assert (code, result["status"]) == (0, "success")
    assert_recorded(result)


def test_a_record_that_cannot_be_brought_back(folder: Folder) -> None:
    destroy = "shutil.rmtree('.octavo')\nopen('.octavo', 'w').close()"
    folder.write("nb.py", f"# %%\nimport shutil\n{destroy}\n{AFTERWARDS}")
    code, out, err = folder("run", "nb.py", "--json")
    error = json.loads(out)["error"]
    assert (code, error["kind"]) == (3, "storage")
    assert error["hint"]
    assert "Traceback" not in err


def test_the_folder_it_works_in(folder: Folder) -> None:
    folder.write("octavo.toml", "")
    (folder.path / "work").mkdir()
    destroy = "import os, shutil\nshutil.rmtree(os.getcwd())"
    code, result = run(folder, destroy, "--cwd", "work")
    assert (code, result["status"]) == (0, "success")
    assert_recorded(result)


def test_other_runs_of_the_command_come_to_their_end(folder: Folder) -> None:
    """One run cannot write its record; the other one goes on longer and writes its own."""
    pid = folder.path / "pid"
    destroy = "shutil.rmtree('.octavo')\nopen('.octavo', 'w').close()"
    note = f"open('{pid}.tmp', 'w').write(str(os.getpid()))\nos.rename('{pid}.tmp', '{pid}')"
    wait = f"while not os.path.exists('{pid}') or os.path.exists('/proc/' + open('{pid}').read()):"
    folder.write("bad/octavo.toml", "")
    folder.write("bad/nb.py", f"# %%\nimport os, shutil\n{destroy}\n{note}\n")
    folder.write("good/octavo.toml", "")
    folder.write("good/nb.py", f"# %%\nimport os, time\n{wait}\n    time.sleep(0.01)\n")
    code, out, _ = folder("run", "bad/nb.py", "good/nb.py", "-j", "2", "--json")
    assert (code, json.loads(out)["error"]["kind"]) == (3, "storage")
    [record] = (folder.path / "good").glob(".octavo/runs/*/*/record.json")
    assert json.loads(record.read_text())["status"] == "success"
