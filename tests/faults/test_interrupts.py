"""Signals at awkward moments: the record is finished, and no process is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from cli.calling import variables

pytestmark = [pytest.mark.fault, pytest.mark.kernel]

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
NEVER_ENDS = "# %%\nprint('ready', flush=True)\nimport time\n\ntime.sleep(600)\n\n# %%\n1\n"
#: Boots only when the other end of the gate is opened.
GATED = "import os\n\nopen('{gate}.reached', 'w').close()\nopen('{gate}').read()\n"
PATIENCE = 60.0


def await_that(what: Callable[[], Any]) -> Any:
    """The first true answer; the thing itself is waited for, and not for long."""
    deadline = time.monotonic() + PATIENCE
    while not (answer := what()):
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.005)
    return answer


class Command:
    """A command in a process group of its own, and what it leaves in its folder."""

    def __init__(self, folder: Path, *words: str, **more: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "octavo", *words],
            cwd=folder,
            env={**variables(folder.parent), **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def reads(self, beginning: str) -> None:
        """Wait for a line of the narration."""
        assert self.process.stderr is not None
        assert any(line.startswith(beginning) for line in self.process.stderr)

    def ends(self) -> tuple[int, str]:
        """Exit code and standard output; nothing of the command is left."""
        out, err = self.process.communicate(timeout=PATIENCE)
        assert "Traceback" not in err
        await_that(lambda: not processes_in(self.folder))
        return self.process.returncode, out

    def journal(self) -> str:
        """What the journal says so far."""
        found = list(self.folder.glob(".octavo/runs/*/*/events.jsonl"))
        return found[0].read_text() if found else ""

    def record(self) -> dict[str, Any] | None:
        found = list(self.folder.glob(".octavo/runs/*/*/record.json"))
        return json.loads(found[0].read_text()) if found else None

    def finished(self) -> dict[str, Any]:
        """The record of a run that ended in order: whole, and not marked as live."""
        record = self.record()
        assert record is not None
        [path] = self.folder.glob(".octavo/runs/*/*/notebook.ipynb")
        nbformat.validate(nbformat.read(path, as_version=4))
        assert os.listdir(self.folder / ".octavo/live") == []
        return record


def processes_in(folder: Path) -> list[str]:
    """Processes that work in a folder."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.readlink(f"/proc/{entry}/cwd") == str(folder):
                found.append(entry)
        except OSError:
            continue
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    path.mkdir()
    (path / "octavo.toml").touch()
    (path / "nb.py").write_text(NEVER_ENDS)
    return path


@pytest.fixture
def command(folder: Path) -> Iterator[Callable[..., Command]]:
    begun: list[Command] = []

    def begin(*words: str, **more: str) -> Command:
        begun.append(Command(folder, *words, **more))
        return begun[-1]

    yield begin
    for each in begun:
        each.process.kill()
        each.process.communicate()


Begin = Callable[..., Command]


@pytest.mark.parametrize("number", SIGNALS)
def test_before_the_kernel_is_ready(
    folder: Path, command: Begin, tmp_path: Path, number: signal.Signals
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    (tmp_path / "gated.py").write_text(GATED.format(gate=gate))
    running = command("run", "nb.py", "--preload", "gated", PYTHONPATH=str(tmp_path))
    running.reads("run ")
    await_that(Path(f"{gate}.reached").exists)
    running.send(number)
    await_that(running.record)
    code, out = running.ends()
    assert (code, out.startswith("■ interrupted after")) == (130, True)
    record = running.finished()
    assert record["reason"] == "interrupted"
    assert [cell["status"] for cell in record["cells"]] == ["not-run", "not-run"]
    assert record["message"] == number.name


@pytest.mark.parametrize("number", SIGNALS)
def test_in_a_cell(command: Begin, number: signal.Signals) -> None:
    running = command("run", "nb.py", "--json")
    await_that(lambda: "ready" in running.journal().partition('"stream"')[2])
    running.send(number)
    code, out = running.ends()
    assert (code, json.loads(out)["reason"]) == (130, "interrupted")
    record = running.finished()
    assert [cell["status"] for cell in record["cells"]] == ["interrupted", "not-run"]
    assert record["message"] == number.name


@pytest.mark.parametrize("number", SIGNALS)
def test_while_the_output_is_written(folder: Path, command: Begin, number: signal.Signals) -> None:
    """The cells are done: a signal that comes too late to stop anything spoils nothing."""
    os.mkfifo(folder / "out.ipynb")
    (folder / "nb.py").write_text("# %%\nprint('done')\n")
    running = command("run", "nb.py", "-o", "out.ipynb", "--json")
    await_that(running.record)
    running.send(number)
    notebook = nbformat.reads((folder / "out.ipynb").read_text(), as_version=4)
    code, out = running.ends()
    assert (code, json.loads(out)["status"]) == (0, "success")
    assert notebook.cells[0].outputs[0].text == "done\n"
    assert running.finished()["status"] == "success"


def test_while_the_record_is_written(folder: Path, command: Begin) -> None:
    (folder / "nb.py").write_text("# %%\nfor line in range(60_000):\n    print('x' * 100)\n")
    running = command("run", "nb.py", "--json")
    await_that(lambda: list(folder.glob(".octavo/runs/*/*/.notebook.ipynb.*")) or running.record())
    running.send(signal.SIGTERM)
    code, out = running.ends()
    assert (code, json.loads(out)["status"]) == (0, "success")
    assert running.finished()["status"] == "success"


def test_every_run_of_a_command_is_finished(folder: Path, command: Begin) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (folder / name).write_text(NEVER_ENDS)
    running = command("run", "a.py", "b.py", "c.py", "-j", "2", "--json")

    def both_run() -> bool:
        journals = folder.glob(".octavo/runs/*/*/events.jsonl")
        return sum('"stream"' in journal.read_text() for journal in journals) == 2

    await_that(both_run)
    running.send(signal.SIGINT)
    code, out = running.ends()
    assert code == 130
    assert [run["reason"] for run in json.loads(out)["runs"]] == ["interrupted"] * 2
    records = list(folder.glob(".octavo/runs/*/*/record.json"))
    assert len(records) == 2, "the third one did not begin"
    assert os.listdir(folder / ".octavo/live") == []


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_to_the_kernel_itself(command: Begin, number: signal.Signals) -> None:
    """Somebody kills the kernel, not the runner: the notebook failed, and the record says how."""
    running = command("run", "nb.py", "--json")
    await_that(lambda: "ready" in running.journal().partition('"stream"')[2])
    ready = next(line for line in running.journal().splitlines() if '"kernel-ready"' in line)
    os.kill(json.loads(ready)["pid"], number)
    code, out = running.ends()
    assert code == 1
    result = json.loads(out)
    expected = "cell-error" if number == signal.SIGINT else "kernel-died"
    assert result["reason"] == expected
    if number != signal.SIGINT:
        assert number.name in result["message"]
    assert running.finished()["reason"] == expected
