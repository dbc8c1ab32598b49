"""The tasks that agents are measured by."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.agents.__main__ import BEGIN, END, PAGE, TITLES, Measured, kept, table
from bench.agents.material import project
from bench.agents.tasks import TASKS
from bench.agents.truth import results, sources


def test_every_task_has_a_policy_for_each_set_of_tools() -> None:
    assert len(TASKS) == 10
    for task in TASKS:
        assert all(callable(task.policy(tools)) for tools in TITLES)
        # What only the table may say would tell an agent where to look.
        assert not {"17", "20,001", "NameError"} & set(task.asked.replace(".", " ").split())


def test_the_page_has_the_figures_that_are_kept() -> None:
    text = PAGE.read_text(encoding="utf-8")
    shown = text.partition(BEGIN)[2].partition(END)[0].strip()
    assert shown == table(kept()).strip()


def test_a_wrong_end_is_marked_and_sums_count_everything() -> None:
    measured = {
        (task.name, tools): Measured(1, 10, 0.5, True) for task in TASKS for tools in TITLES
    }
    measured[TASKS[0].name, "shell"] = Measured(2, 1000, 1.0, False, "why", 7)
    lines = table(measured).splitlines()
    assert lines[2].count("**wrong**") == 1
    assert "11 calls, 1,090 B, 5.5 s, **wrong**" in lines[-3] and "7 B" in lines[-1]


@pytest.mark.parametrize("text", [True, False])
def test_the_report_is_the_same_in_both_spellings(tmp_path: Path, text: bool) -> None:
    folder = tmp_path / "project"
    project(folder, text=text)
    assert len(sources(folder)) == 20 and sources(folder) == sources(folder, "main")
    assert results(folder) != results(folder, 0.9)
