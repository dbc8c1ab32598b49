from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from bench.measurement import STDOUT
from bench.sessions import JUPYTER_CLIENT, OCTAVO_SESSION, edit_behind, idle, round_trips
from bench.told import Told, figure_told
from bench.tools import Tool
from bench.verification import JobNotDone

pytestmark = [pytest.mark.kernel, pytest.mark.slow]


def measured(tool: Tool, work: Told, folder: Path) -> float:
    """The figure that a side tells of itself, once its answers were checked."""
    work.write(folder)
    runtime = folder / "run"
    runtime.mkdir(mode=0o700)
    variables = {**os.environ, "XDG_RUNTIME_DIR": str(runtime)}
    variables.pop("OCTAVO_NO_RESIDENT", None)
    words = [sys.executable, *tool.words(work)[1:]]
    with (folder / STDOUT).open("wb") as out:
        subprocess.run(words, cwd=folder, stdout=out, env=variables, check=True)
    tool.check(work, folder)
    return figure_told(folder)


@pytest.mark.parametrize("tool", (OCTAVO_SESSION, JUPYTER_CLIENT), ids=lambda tool: tool.label)
def test_a_round_trip_is_told_by_both_sides(tool: Tool, tmp_path: Path) -> None:
    assert measured(tool, round_trips(20), tmp_path) > 0


def test_an_edit_behind_a_long_cell_does_not_wait_for_it(tmp_path: Path) -> None:
    assert 0 < measured(OCTAVO_SESSION, edit_behind(6.0), tmp_path) < 6


def test_idle_sessions_tell_what_they_hold(tmp_path: Path) -> None:
    assert measured(OCTAVO_SESSION, idle(2), tmp_path) > 100_000


def test_a_wrong_answer_does_not_count(tmp_path: Path) -> None:
    (tmp_path / STDOUT).write_text('{"figure": 0.001, "right": false}\n')
    with pytest.raises(JobNotDone, match="not what the code gives"):
        OCTAVO_SESSION.check(round_trips(1), tmp_path)
