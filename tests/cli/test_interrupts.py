"""Ctrl-C, SIGTERM, and a real terminal."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from cli.calling import Octavo, variables
from cli.terminal import FakeTerminal

pytestmark = pytest.mark.kernel

PATIENT = """\
# %% Wait
import time

(print("waiting", flush=True), time.sleep(600))

# %%
1
"""
STUBBORN = """\
# %%
import time

while True:
    try:
        (print("waiting", flush=True), time.sleep(600))
    except KeyboardInterrupt:
        print("ignored", flush=True)
"""


class Running:
    """A command in a process of its own, whose narration can be read while it works."""

    def __init__(self, folder: Path, *words: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "octavo", *words],
            cwd=folder,
            env=variables(folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stderr is not None
        self._err: IO[str] = self._process.stderr
        self.pid = self._process.pid

    def reads(self, text: str) -> None:
        """Wait until a line with this text comes."""
        for line in self._err:
            if text in line:
                return
        raise AssertionError(f"{text!r} never came")

    def ends(self) -> tuple[int, str, str]:
        out, err = self._process.communicate(timeout=60)
        return self._process.returncode, out, err

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "patient.py").write_text(PATIENT)
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    return tmp_path


@pytest.fixture
def patient(folder: Path) -> Iterator[Running]:
    running = Running(folder, "run", "patient.py", "--log-output")
    running.reads("waiting")
    yield running
    running.kill()


def record_in(folder: Path) -> dict[str, object]:
    [path] = folder.glob(".octavo/runs/*/*/record.json")
    found: dict[str, object] = json.loads(path.read_text())
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_finishes_the_record(
    folder: Path, patient: Running, number: signal.Signals
) -> None:
    os.kill(patient.pid, number)
    patient.reads("stopping, Ctrl-C again to kill")
    code, out, _ = patient.ends()
    assert code == 130
    assert out.startswith("■ interrupted after")
    assert "patient.py:4  KeyboardInterrupt" in out
    assert "Traceback" not in out
    record = record_in(folder)
    assert (record["status"], record["reason"]) == ("error", "interrupted")
    assert [cell["status"] for cell in record["cells"]] == ["interrupted", "not-run"]  # type: ignore[attr-defined]


def test_the_second_signal_does_not_wait(folder: Path) -> None:
    running = Running(folder, "run", "stubborn.py", "--log-output", "--json")
    running.reads("waiting")
    os.kill(running.pid, signal.SIGINT)
    running.reads("ignored")
    os.kill(running.pid, signal.SIGINT)
    code, out, err = running.ends()
    assert code == 130
    assert "killing the kernel" in err
    assert json.loads(out)["reason"] == "interrupted"


def test_before_a_run_has_begun_the_first_signal_ends_the_command(folder: Path) -> None:
    (folder / "parameters.yaml").unlink(missing_ok=True)
    os.mkfifo(folder / "parameters.yaml")
    running = Running(folder, "run", "patient.py", "-f", "parameters.yaml")
    # The command waits here until somebody opens the other end.
    with (folder / "parameters.yaml").open("w"):
        os.kill(running.pid, signal.SIGINT)
        code, out, err = running.ends()
    assert (code, out) == (130, "")
    assert err == "octavo: interrupted\n"
    assert not (folder / ".octavo").exists()


def test_a_run_that_goes_on_is_listed_and_shown(
    folder: Path, patient: Running, octavo: Octavo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    [row] = octavo("runs", "--status", "running", "--json").json["runs"]
    assert (row["status"], row["cells_executed"], row["duration_seconds"]) == ("running", 1, None)
    assert "running" in octavo("runs").out
    shown = octavo("show", "last").out
    assert "patient.py  running," in shown
    assert "│ waiting" in shown
    assert "[1] · pending" in shown
    os.kill(patient.pid, signal.SIGINT)
    assert patient.ends()[0] == 130
    assert octavo("runs", "--status", "running").out == "no runs match\n"


def test_on_a_real_terminal(folder: Path) -> None:
    (folder / "nb.py").write_text("# %% Say it\nprint('hello')\n# %%\n1 / 0\n")
    ours, theirs = pty.openpty()
    environ = {**variables(folder), "TERM": "xterm-256color"}
    with subprocess.Popen(
        [sys.executable, "-m", "octavo", "run", "nb.py"],
        cwd=folder,
        env=environ,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        written = _all_of(ours)
    assert process.returncode == 1
    terminal = FakeTerminal(200)
    terminal.write(written)
    lines = terminal.text.split("\n")
    assert lines[0] == "nb.py"
    assert lines[2].startswith("✓ 0  Say it ")
    assert lines[3].startswith("✗ 1  1 / 0 ")
    assert lines[4] == ""
    assert lines[5].startswith("✗ cell-error after")
    assert lines[6] == "  nb.py:4  ZeroDivisionError: division by zero"
    assert "\x1b[31m" in written


def _all_of(descriptor: int) -> str:
    parts = []
    while True:
        try:
            part = os.read(descriptor, 65536)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    os.close(descriptor)
    return b"".join(parts).decode()
