"""A disk that fills up while a notebook runs: the record tells it, and nothing is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest

from cli.calling import Answer, variables

pytestmark = [pytest.mark.fault, pytest.mark.kernel]

SOURCE = """\
# %%
print("before")

# %%
for line in range({lines}):
    print("x" * 1000)

# %%
print("after")
"""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False).returncode
    except FileNotFoundError:
        done = 1
    if done:
        pytest.skip("needs the right to mount a tmpfs: run as root to fill a disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


Call = Callable[..., Answer]


@pytest.fixture
def octavo(tmp_path: Path) -> Call:
    def call(folder: Path, *words: str) -> Answer:
        done = subprocess.run(
            [sys.executable, "-m", "octavo", *words],
            cwd=folder,
            env=variables(tmp_path),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert "Traceback" not in done.stderr
        return Answer(done.returncode, done.stdout, done.stderr)

    return call


def fill(disk: Path) -> Path:
    """Use up whatever space there is."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        while True:
            try:
                file.write(bytes(4096))
            except OSError:
                return ballast


def project(folder: Path, lines: int) -> Path:
    (folder / "octavo.toml").touch()
    (folder / "nb.py").write_text(SOURCE.format(lines=lines))
    return folder


def test_the_store_fills_up(disk: Path, octavo: Call) -> None:
    project(disk, 100_000)
    answer = octavo(disk, "run", "nb.py", "--json")
    result = answer.json
    assert answer.code == 3
    assert (result["status"], result["reason"]) == ("error", "infrastructure")
    assert "no space left" in result["message"]
    record = json.loads(Path(result["record_path"]).read_text())
    assert record["reason"] == "infrastructure"
    assert [cell["status"] for cell in record["cells"]] == ["succeeded", "interrupted", "not-run"]
    nbformat.validate(nbformat.read(result["notebook_path"], as_version=4))
    [row] = octavo(disk, "runs", "--json").json["runs"]
    assert row["reason"] == "infrastructure"
    assert octavo(disk, "show", "last", "--cell", "0").out.endswith("│ before\n")


def test_a_later_command_puts_the_outputs_in_when_there_is_space(disk: Path, octavo: Call) -> None:
    project(disk, 0)
    pieces = "# %%\nprint('x' * 5000)\n\n" * 500
    (disk / "nb.py").write_text(f"# %%\nprint('before')\n\n{pieces}")
    result = octavo(disk, "run", "nb.py", "--json").json
    assert json.loads(Path(result["record_path"]).read_text())["complete"] is False
    subprocess.run(["mount", "-o", "remount,size=16m", str(disk)], check=True)
    assert octavo(disk, "runs").code == 0
    record = json.loads(Path(result["record_path"]).read_text())
    assert (record["complete"], record["reason"]) == (True, "infrastructure")
    notebook = nbformat.read(result["notebook_path"], as_version=4)
    assert notebook.cells[0].outputs[0].text == "before\n"
    assert notebook.cells[1].outputs[0].text == "x" * 5000 + "\n"
    assert os.listdir(disk / ".octavo/live") == []


def test_a_run_does_not_begin_where_its_record_has_no_room(disk: Path, octavo: Call) -> None:
    project(disk, 1)
    ballast = fill(disk)
    before = sorted(os.listdir(disk))
    answer = octavo(disk, "run", "nb.py", "--json")
    error = answer.json["error"]
    assert (answer.code, error["kind"]) == (3, "disk-full")
    assert "nothing was run" in error["message"]
    assert error["hint"] == "free some space, and run it again"
    assert sorted(os.listdir(disk)) == before
    ballast.unlink()
    assert octavo(disk, "run", "nb.py", "-q").code == 0
    assert (disk / ".octavo/.gitignore").read_text() == "*\n"


def test_little_room_is_too_little_to_begin(disk: Path, octavo: Call) -> None:
    """There is room for the folder, but not for the reserve that ends a run in order."""
    project(disk, 1)
    (disk / "ballast").write_bytes(bytes(1_800_000))
    answer = octavo(disk, "run", "nb.py", "--json")
    assert (answer.code, answer.json["error"]["kind"]) == (3, "disk-full")
    assert not (disk / ".octavo").exists()


def test_the_folder_of_the_output_fills_up(disk: Path, tmp_path: Path, octavo: Call) -> None:
    home = tmp_path / "home"
    home.mkdir()
    project(home, 2500)
    answer = octavo(home, "run", "nb.py", "-o", str(disk / "out.ipynb"), "--json")
    result = answer.json
    assert answer.code == 3
    assert (result["status"], result["reason"]) == ("error", "infrastructure")
    assert "the output cannot be written: no space left" in result["message"]
    assert os.listdir(disk) == [], "no piece of it is left"
    record = json.loads(Path(result["record_path"]).read_text())
    assert record["reason"] == "infrastructure"
    assert [cell["status"] for cell in record["cells"]] == ["succeeded"] * 3
    notebook = nbformat.read(result["notebook_path"], as_version=4)
    assert notebook.cells[2].outputs[0].text == "after\n"


def test_an_earlier_output_survives_a_full_disk(disk: Path, tmp_path: Path, octavo: Call) -> None:
    home = tmp_path / "home"
    home.mkdir()
    project(home, 2500)
    (disk / "out.ipynb").write_text("the one from yesterday")
    assert octavo(home, "run", "nb.py", "-o", str(disk / "out.ipynb")).code == 3
    assert (disk / "out.ipynb").read_text() == "the one from yesterday"


def test_converting_and_preparing_on_a_full_disk(disk: Path, octavo: Call) -> None:
    project(disk, 1)
    fill(disk)
    before = {path.name: path.stat().st_size for path in disk.iterdir()}
    for words in (("convert", "nb.py"), ("run", "nb.py", "--prepare-only", "-o", "out.ipynb")):
        answer = octavo(disk, *words, "--json")
        assert (answer.code, answer.json["error"]["kind"]) == (3, "disk-full")
        assert "record" not in answer.json["error"]["message"]
    assert {path.name: path.stat().st_size for path in disk.iterdir()} == before
