"""SIGKILL at a random moment: the next command finds a record that tells the truth."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import chdir, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

import nbformat
import pytest

from octavo.surfaces.cli.main import main

KILLS = int(os.environ.get("OCTAVO_FAULT_KILLS", "20"))
WORKERS = 10
SEED = int(os.environ.get("OCTAVO_FAULT_SEED", str(time.time_ns() % 1_000_000)))
CELLS = 12
STATUSES = {"succeeded", "interrupted", "not-run", "failed"}

SOURCE = "".join(
    f"""# %%
import os
log = os.open("log.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.write(log, b"start {index}\\n")
print("cell {index}", flush=True)
for step in range(200):
    print("line", step)
display({index})
os.write(log, b"end {index}\\n")
os.close(log)

"""
    for index in range(CELLS)
)


def _listed(folder: Path) -> list[dict[str, object]]:
    """What the next command tells of the runs there."""
    told = TextIOWrapper(BytesIO(), encoding="utf-8")
    with chdir(folder), redirect_stdout(told):
        code = main(["runs", "--json"])
    told.seek(0)
    assert code == 0, told.read()
    listed: list[dict[str, object]] = json.load(told)["runs"]
    return listed


def _kernels_of(folder: Path) -> list[int]:
    """Processes that work in a folder."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                if os.readlink(f"/proc/{entry}/cwd") == str(folder):
                    found.append(int(entry))
            except OSError:
                continue
    return found


def _await_none(folder: Path) -> list[int]:
    """The processes left in a folder after they had time to go."""
    deadline = time.monotonic() + 20
    while (left := _kernels_of(folder)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return left


def _kill_at(moment: float, folder: Path) -> None:
    folder.mkdir()
    (folder / "nb.py").write_text(SOURCE)
    process = subprocess.Popen(
        [sys.executable, "-m", "octavo", "run", "nb.py", "--json"],
        cwd=folder,
        env={**os.environ, "OCTAVO_NO_RESIDENT": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()


def _check(folder: Path) -> str:
    """Everything that must hold after a kill; the reason that the record gives."""
    assert _await_none(folder) == [], "processes were left behind"
    records = list(folder.glob(".octavo/runs/*/*/events.jsonl"))
    listed = _listed(folder)
    if not records or records[0].stat().st_size == 0:
        return "nothing began"
    assert len(listed) == 1
    run_dir = records[0].parent
    record = json.loads((run_dir / "record.json").read_text())
    nbformat.validate(nbformat.read(run_dir / "notebook.ipynb", as_version=4))
    log = (folder / "log.txt").read_text().split("\n") if (folder / "log.txt").exists() else []
    statuses = [cell["status"] for cell in record["cells"] if cell["kind"] == "code"]
    assert set(statuses) <= STATUSES
    for index, status in enumerate(statuses):
        if status == "succeeded":
            assert f"end {index}" in log, f"cell {index} is said to have succeeded"
        if f"start {index + 1}" in log:
            assert status == "succeeded", f"cell {index} had succeeded, the record says {status}"
    if record["status"] == "success":
        assert statuses == ["succeeded"] * CELLS
    else:
        assert record["reason"] == "runner-died"
        assert statuses.count("interrupted") <= 1
    assert not list((folder / ".octavo/live").iterdir())
    return str(record["reason"])


@pytest.mark.fault
@pytest.mark.kernel
@pytest.mark.parametrize("worker", range(WORKERS))
def test_a_killed_runner_leaves_a_true_record(worker: int, tmp_path: Path) -> None:
    print(f"seed {SEED}, worker {worker}")
    chance = random.Random(SEED * 1000 + worker)
    for number in range(max(1, KILLS // WORKERS)):
        folder = tmp_path / f"run-{number}"
        _kill_at(chance.uniform(0.01, 0.9), folder)
        _check(folder)
