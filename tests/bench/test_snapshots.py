from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bench.measurement import STDOUT
from bench.snapshots import (
    KISHU,
    LIVE,
    OCTAVO_BACK,
    TABLES,
    check_restored,
    restoring,
)
from bench.told import figure_told
from bench.verification import JobNotDone
from bench.work import two_cells


def test_going_back_counts_only_if_the_state_is_the_one_of_the_cell(tmp_path: Path) -> None:
    work = restoring(TABLES, back=2, rows=10)
    (tmp_path / STDOUT).write_text('noise\n{"figure": 0.5, "state": "read"}\n')
    check_restored(work, tmp_path)
    assert figure_told(tmp_path) == 0.5
    for wrong in ("", "ready\n", '{"figure": 0.5, "state": "halved"}\n', "[1]\n"):
        (tmp_path / STDOUT).write_text(wrong)
        with pytest.raises(JobNotDone):
            check_restored(work, tmp_path)


def test_both_sides_run_the_same_cells(tmp_path: Path) -> None:
    work = restoring(TABLES, back=2, rows=10)
    work.write(tmp_path)
    for tool in (OCTAVO_BACK, KISHU):
        _, script, cells, *_ = tool.words(work)
        assert "rng.random((10, 20))" in json.loads(cells)[1]
        compile((tmp_path / script).read_text(), script, "exec")
        assert tool.words(two_cells()) == ["python", "-c", "pass"]


@pytest.mark.kernel
def test_our_side_goes_back(tmp_path: Path) -> None:
    work = restoring(LIVE, back=2)
    work.write(tmp_path)
    script, *words = OCTAVO_BACK.words(work)[1:]
    with (tmp_path / STDOUT).open("wb") as out:
        subprocess.run([sys.executable, script, *words], cwd=tmp_path, stdout=out, check=True)
    check_restored(work, tmp_path)
    assert figure_told(tmp_path) > 0
