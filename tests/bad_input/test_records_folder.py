"""A `.octavo` folder that is in the way, damaged, or may not be touched."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bad_input.refusing import Folder
from cli.calling import Answer, variables
from octavo.events.types import RunFinished
from records.making import BEGAN, code, journalled, started

NOTEBOOK = "# %%\nprint('hello')\n"
RUN_ID = "01a1e180-0000-7000-8000-000000000000"


@pytest.fixture
def with_run(folder: Folder) -> Path:
    """The folder of a run that succeeded."""
    folder.write("nb.py", NOTEBOOK)
    day = folder.path / ".octavo/runs/2026-01-01"
    finished = RunFinished(BEGAN + 1, "success")
    made = journalled(day, [started(code(0), run_id=RUN_ID), finished])
    return made.rename(day / RUN_ID)


@pytest.mark.parametrize("name", [".octavo", ".octavo/runs", ".octavo/live"])
def test_a_file_where_records_belong(folder: Folder, name: str) -> None:
    folder.write("nb.py", NOTEBOOK)
    folder.write(name, "mine")
    if name != ".octavo":
        folder.write(".octavo/.gitignore", "*\n")
    error = folder.refuses("run", "nb.py")
    assert (error.code, error.kind) == (3, "storage")
    assert "nothing was run" in error.message
    assert ".octavo" in error.place


@pytest.mark.parametrize("words", [("runs",), ("show", "last"), ("scraps", "last"), ("rerun",)])
def test_records_that_cannot_be_listed_are_not_called_none(
    folder: Folder, words: tuple[str, ...]
) -> None:
    folder.write(".octavo", "mine")
    error = folder.refuses(*words)
    assert (error.code, error.kind) == (3, "storage")
    assert "the records cannot be read" in error.message


@pytest.mark.parametrize("content", ["{", "", "[]", "{}", None])
def test_a_damaged_record_is_rebuilt_from_its_journal(
    folder: Folder, with_run: Path, content: str | None
) -> None:
    if content is not None:
        (with_run / "record.json").write_text(content)
    code, out, _ = folder("runs", "--json")
    [row] = json.loads(out)["runs"]
    assert (code, row["status"], row["run_id"]) == (0, "success", RUN_ID)
    assert json.loads((with_run / "record.json").read_text())["status"] == "success"


def test_a_run_of_which_nothing_is_left_is_none(folder: Folder, with_run: Path) -> None:
    """So it is with a run that is just about to begin."""
    (with_run / "events.jsonl").unlink()
    (with_run / "source.py").touch()
    assert json.loads(folder("runs", "--json")[1])["runs"] == []
    assert folder.refuses("show", "last").kind == "run-not-found"


def test_a_damaged_record_without_its_journal(folder: Folder, with_run: Path) -> None:
    (with_run / "events.jsonl").unlink()
    (with_run / "record.json").write_text("{")
    code, out, _ = folder("runs", "--json")
    [row] = json.loads(out)["runs"]
    assert (code, row["status"]) == (0, "unreadable")
    assert row["started"] > "2026", "the id tells when it began"
    for words in (("show", "last"), ("scraps", "last"), ("rerun", "last")):
        error = folder.refuses(*words)
        assert (error.code, error.kind) == (3, "record-invalid")


def test_a_record_without_its_journal(folder: Folder, with_run: Path) -> None:
    """So are archived runs: the record and the executed notebook tell of it."""
    assert folder("runs")[0] == 0
    (with_run / "events.jsonl").unlink()
    assert json.loads(folder("runs", "--json")[1])["runs"][0]["status"] == "success"
    code, out, _ = folder("show", "last", "--json")
    assert (code, json.loads(out)["run"]["status"]) == (0, "success")


def test_a_record_alone(folder: Folder, with_run: Path) -> None:
    """It is not taken for a run that was killed, which would write it anew without its content."""
    assert folder("runs")[0] == 0
    (with_run / "events.jsonl").unlink()
    (with_run / "notebook.ipynb").unlink()
    error = folder.refuses("show", "last")
    assert (error.code, error.kind) == (3, "storage")
    assert error.place.endswith("events.jsonl")


def test_a_journal_of_nonsense(folder: Folder, with_run: Path) -> None:
    (with_run / "events.jsonl").write_bytes(b"\xff\0nonsense\n{}\n[1]\n")
    code, out, _ = folder("show", "last", "--json")
    assert (code, json.loads(out)["run"]["reason"]) == (0, "runner-died")


@pytest.mark.parametrize("words", [("show", "nope"), ("scraps", "nope"), ("rerun", "nope")])
def test_a_run_that_is_not_there(folder: Folder, with_run: Path, words: tuple[str, ...]) -> None:
    folder("runs")
    error = folder.refuses(*words)
    assert (error.code, error.kind) == (2, "run-not-found")


def test_a_scrap_or_cell_that_is_not_there(folder: Folder, with_run: Path) -> None:
    folder("runs")
    assert folder.refuses("scraps", "last", "nope").kind == "scrap-not-found"
    assert folder.refuses("show", "last", "--cell", "9").kind == "cell-not-found"


class Restricted:
    """Commands of somebody who is bound by permissions, as root is not."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self._environ = variables(home)
        self._bound = [] if os.geteuid() else self._without_power()

    def _without_power(self) -> list[str]:
        words = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        tried = shutil.which("setpriv") and subprocess.run([*words, "true"], check=False)
        if not tried or tried.returncode:
            pytest.skip("needs setpriv, or not to be root, to be bound by permissions")
        return words

    def __call__(self, *words: str) -> Answer:
        done = subprocess.run(
            [*self._bound, sys.executable, "-m", "octavo", *words],
            cwd=self.folder,
            env=self._environ,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in done.stderr
        return Answer(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def restricted(folder: Folder, tmp_path: Path) -> Iterator[Restricted]:
    folder.write("nb.py", NOTEBOOK)
    yield Restricted(folder.path, tmp_path)
    for path, folders, _ in os.walk(folder.path):
        for name in ("", *folders):
            Path(path, name).chmod(0o755)


def test_a_project_that_may_not_be_written_to(restricted: Restricted) -> None:
    restricted.folder.chmod(0o555)
    answer = restricted("run", "nb.py", "--json")
    assert (answer.code, answer.json["error"]["kind"]) == (3, "storage")
    assert "permission denied" in answer.json["error"]["message"]
    assert answer.json["error"]["hint"]
    assert os.listdir(restricted.folder) == ["nb.py"]
    assert restricted("inspect", "nb.py").code == 0
    for command in ("convert", "sync"):
        answer = restricted(command, "nb.py", "--json")
        assert (answer.code, answer.json["error"]["kind"]) == (2, "output-unwritable")


def test_a_notebook_that_may_not_be_read(restricted: Restricted) -> None:
    (restricted.folder / "nb.py").chmod(0)
    answer = restricted("run", "nb.py", "--json")
    assert (answer.code, answer.json["error"]["kind"]) == (2, "notebook-unreadable")
    assert "permissions" in answer.json["error"]["hint"]


def test_an_output_folder_that_may_not_be_written_to(restricted: Restricted) -> None:
    (restricted.folder / "out").mkdir(mode=0o555)
    answer = restricted("run", "nb.py", "-o", "out/nb.ipynb", "--json")
    assert (answer.code, answer.json["error"]["kind"]) == (2, "output-unwritable")
    assert not (restricted.folder / ".octavo").exists()


@pytest.mark.parametrize("name", [".octavo", ".octavo/runs", ".octavo/runs/2026-01-01"])
def test_records_that_may_not_be_read(restricted: Restricted, with_run: Path, name: str) -> None:
    path = restricted.folder / name
    path.chmod(0)
    answer = restricted("runs", "--json")
    path.chmod(0o755)
    assert (answer.code, answer.json["error"]["kind"]) == (3, "storage")


def test_one_record_that_may_not_be_read(restricted: Restricted, with_run: Path) -> None:
    with_run.chmod(0)
    [row] = restricted("runs", "--json").json["runs"]
    shown = restricted("show", "last", "--json")
    with_run.chmod(0o755)
    assert (row["run_id"], row["status"]) == (RUN_ID, "unreadable")
    assert (shown.code, shown.json["error"]["kind"]) == (3, "storage")


def test_records_that_may_only_be_read(restricted: Restricted, with_run: Path) -> None:
    live = restricted.folder / ".octavo/live"
    live.mkdir()
    (live / RUN_ID).write_text(f"runs/2026-01-01/{RUN_ID}")
    for path in (with_run, live, restricted.folder / ".octavo"):
        path.chmod(0o555)
    answer = restricted("runs", "--json")
    assert answer.code == 0
    assert [row["run_id"] for row in answer.json["runs"]] == [RUN_ID]
    answer = restricted("run", "nb.py", "--json")
    assert (answer.code, answer.json["error"]["kind"]) == (3, "storage")
    assert len(list(restricted.folder.glob(".octavo/runs/*/*"))) == 1
