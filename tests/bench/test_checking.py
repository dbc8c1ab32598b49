from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.checking import NBVAL, OCTAVO_CHECK, OCTAVO_UNCHANGED, tree
from bench.measurement import STDOUT
from bench.verification import JobNotDone
from bench.work import two_cells


def answer(folder: Path, *, reused: bool, passed: bool = True, count: int = 2) -> None:
    verdicts = [{"reused": reused}] * count
    (folder / STDOUT).write_text(json.dumps({"passed": passed, "verdicts": verdicts}))


def test_a_tree_holds_its_own_references(tmp_path: Path) -> None:
    tree(2).write(tmp_path)
    names = sorted(path.name for path in (tmp_path / "notebooks").iterdir())
    assert names == ["notebook0000.ipynb", "notebook0001.ipynb"]
    last = json.loads((tmp_path / "notebooks" / names[1]).read_text())["cells"][-1]
    assert "NBVAL_CHECK_OUTPUT" in last["source"]
    assert last["outputs"][0]["text"] == ["2\n"]


def test_a_check_counts_only_if_every_notebook_was_run(tmp_path: Path) -> None:
    answer(tmp_path, reused=False)
    OCTAVO_CHECK.check_run(tree(2), tmp_path)
    for wrong in ({"reused": True}, {"reused": False, "passed": False}):
        answer(tmp_path, **wrong)
        with pytest.raises(JobNotDone):
            OCTAVO_CHECK.check_run(tree(2), tmp_path)


def test_an_unchanged_tree_counts_only_if_nothing_was_run(tmp_path: Path) -> None:
    answer(tmp_path, reused=True)
    OCTAVO_UNCHANGED.check_run(tree(2), tmp_path)
    answer(tmp_path, reused=False)
    with pytest.raises(JobNotDone):
        OCTAVO_UNCHANGED.check_run(tree(2), tmp_path)


def test_nbval_counts_only_if_every_cell_passed(tmp_path: Path) -> None:
    (tmp_path / STDOUT).write_text("6 passed in 3 s")
    NBVAL.check_run(tree(2), tmp_path)
    with pytest.raises(JobNotDone):
        NBVAL.check_run(tree(3), tmp_path)


def test_commands_are_for_trees() -> None:
    assert "--no-cache" in OCTAVO_CHECK.words(tree(1))
    assert "--no-cache" not in OCTAVO_UNCHANGED.words(tree(1))
    assert NBVAL.words(two_cells()) == ["pytest", "--help"]
