"""Whole rounds with a stand-in for the program, in a process that ends whatever it left behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

STAND_IN = """\
#!{python}
import json, os, subprocess, sys
from pathlib import Path
behaviour = {behaviour!r}
warm = Path(os.environ["XDG_RUNTIME_DIR"]) / "pid"
if sys.argv[1:] == ["warm"]:
    if behaviour != "no resident":
        sleeper = subprocess.Popen(["sleep", "600"], start_new_session=True)
        warm.write_text(str(sleeper.pid))
elif sys.argv[1:] == ["warm", "--stop"]:
    os.kill(int(warm.read_text()), 9)
elif behaviour == "fails":
    sys.exit("no kernel in /some/where/kernel.json\\n  hint: make one")
else:
    if behaviour == "leaves a process":
        subprocess.Popen(["sleep", "600"], start_new_session=True)
    record = Path(".octavo/runs/2025-01-01/one")
    record.mkdir(parents=True)
    (record / "events.jsonl").write_text("{{}}\\n")
    notebook = json.loads(Path("notebook.ipynb").read_text())
    text = "41\\n" if behaviour == "prints nonsense" else "42\\n"
    output = dict(output_type="stream", name="stdout", text=text)
    notebook["cells"][1]["outputs"] = [output]
    (record / "notebook.ipynb").write_text(json.dumps(notebook))
"""

DRIVER = """\
import json, sys
from dataclasses import asdict
from pathlib import Path
from bench import track
from bench.cases import Case, Entrant
from bench.processes import become_subreaper, descendants
from bench.rounds import measure
from bench.tools import OCTAVO
from bench.work import two_cells
import os
track.GRACE = 0.2
become_subreaper()
scratch, resident = Path(sys.argv[1]), sys.argv[2] == "True"
entrant = Entrant("octavo", OCTAVO, two_cells(), repeats=2, resident=resident, weighed=not resident)
case = Case("case", "title", 2, (entrant,), ())
place = track.Track({"octavo": scratch / "bin"}, scratch)
measured = measure(case, place, lambda text: None)["octavo"]
alive = len(descendants(os.getpid()))
print(json.dumps(dict(asdict(measured), alive=alive, left=os.listdir(scratch))))
"""


def rounds_with(behaviour: str, folder: Path, *, resident: bool = False) -> dict[str, object]:
    program = folder / "bin" / "octavo"
    program.parent.mkdir()
    program.write_text(STAND_IN.format(python=sys.executable, behaviour=behaviour))
    program.chmod(0o755)
    words = [sys.executable, "-c", DRIVER, str(folder), str(resident)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, object] = json.loads(done.stdout)
    assert result["alive"] == 0
    assert sorted(result["left"]) == ["bin", "home"]  # type: ignore[call-overload]
    return result


@pytest.mark.parametrize("resident", [False, True])
def test_a_command_that_does_its_job_is_measured(tmp_path: Path, resident: bool) -> None:
    result = rounds_with("works", tmp_path, resident=resident)
    assert result["failure"] is None
    samples = result["rounds"]
    assert isinstance(samples, list)
    assert [len(one) for one in samples] == [2, 2]
    assert all(sample["wall"] > 0 and sample["cpu"] > 0 for one in samples for sample in one)


def test_memory_of_a_runner_is_at_most_that_of_all_its_processes(tmp_path: Path) -> None:
    memory = rounds_with("works", tmp_path)["memory"]
    assert isinstance(memory, list)
    assert memory
    assert all(0 < one["runner"] <= one["tree"] for one in memory)


@pytest.mark.parametrize(
    ("behaviour", "resident", "reason"),
    [
        ("fails", False, "exit code 1: no kernel in kernel.json"),
        ("prints nonsense", False, "cell 1 of notebook.ipynb has the wrong output"),
        ("leaves a process", False, "still alive after the command had ended: sleep 600"),
        ("no resident", True, "`octavo warm` left no process"),
    ],
)
def test_a_command_that_does_not_do_its_job_has_a_reason_for_a_figure(
    tmp_path: Path, behaviour: str, resident: bool, reason: str
) -> None:
    failure = rounds_with(behaviour, tmp_path, resident=resident)["failure"]
    assert isinstance(failure, str)
    assert failure.startswith(reason)
