"""Mistakes of ours and readers that are gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.calling import Octavo, variables
from octavo.surfaces.cli import command


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """An operation with a mistake in it."""

    def load(reference: str) -> object:
        async def operation(request: object, context: object) -> None:
            raise KeyError("nobody thought of this")

        return operation

    monkeypatch.setattr(command, "load", load)


@pytest.mark.usefixtures("broken")
def test_an_internal_error_is_one_line_and_a_file(octavo: Octavo, tmp_path: Path) -> None:
    code, out, err = octavo("runs")
    assert (code, out) == (3, "")
    first, second = err.splitlines()
    assert first == "octavo: internal error: KeyError: 'nobody thought of this'"
    file = Path(second.removeprefix("  hint: the details are in "))
    assert file.is_relative_to(tmp_path)
    assert "Traceback" in file.read_text()
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.usefixtures("broken")
def test_an_internal_error_as_json(octavo: Octavo) -> None:
    answer = octavo("runs", "--json")
    assert (answer.code, answer.err) == (3, "")
    assert answer.json["error"]["kind"] == "internal"


@pytest.mark.usefixtures("broken")
def test_debugging_shows_the_traceback(octavo: Octavo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_DEBUG", "1")
    code, _, err = octavo("runs")
    assert code == 3
    assert "Traceback (most recent call last)" in err
    assert err.endswith("octavo: internal error: KeyError: 'nobody thought of this'\n")


@pytest.mark.parametrize("words", [["run", "--help"], ["completion", "bash"]])
def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path, words: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "octavo", *words],
        stdout=write,
        stderr=subprocess.PIPE,
        env=variables(tmp_path),
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_under_standard_output_is_told(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "octavo", "completion", "bash"], stdout=full,
            stderr=subprocess.PIPE, env=variables(tmp_path), cwd=tmp_path, timeout=60, check=False,
        )  # fmt: skip
    told = b"octavo: standard output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (3, told)


def test_closed_streams_are_no_mistake_of_ours(tmp_path: Path) -> None:
    command = f"{sys.executable} -m octavo show nothing.py"
    for closing, code in (("2>&-", 2), (">&-", 2), (">&- 2>&-", 2)):
        done = subprocess.run(
            f"{command} {closing}", shell=True, env=variables(tmp_path), cwd=tmp_path,
            capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == code
        assert b"Traceback" not in done.stderr + done.stdout


def test_a_current_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    deleted = f"import os; os.rmdir({str(folder)!r}); os.execv({sys.executable!r}, "
    words = [sys.executable, "-m", "octavo", "check"]
    done = subprocess.run(
        [sys.executable, "-c", f"{deleted}{words!r})"],
        cwd=folder,
        env=variables(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("octavo: the current folder is gone\n  hint: ")
