"""What became of each cell: never completed unless it completed."""

from __future__ import annotations

from octavo.events.statuses import RunFold
from octavo.events.types import (
    BoundCell,
    CellFinished,
    CellSkipped,
    CellStarted,
    Event,
    FilesSeen,
    KernelDied,
    RunFinished,
    RunStarted,
)

CELLS = (
    BoundCell("code", "a", "a"),
    BoundCell("markdown", "b", "b"),
    BoundCell("code", "c", "c"),
    BoundCell("code", "d", "d"),
)
STARTED = RunStarted(1, "r", 0.0, {}, CELLS, {}, {}, {}, "fake", {}, {}, {})


def statuses(*events: Event, settled: bool = True) -> dict[int, str]:
    fold = RunFold()
    for event in (STARTED, *events):
        fold.apply(event)
    if settled:
        fold.settle()
    return {index: cell.status for index, cell in fold.cells.items()}


def test_while_a_run_goes_on() -> None:
    events = (CellStarted(0, 1), CellFinished(0, 2, "succeeded"), CellStarted(2, 2))
    assert statuses(*events, settled=False) == {0: "succeeded", 2: "running", 3: "pending"}


def test_a_runner_that_was_killed_leaves_the_running_cell_interrupted() -> None:
    events = (CellStarted(0, 1), CellFinished(0, 2, "succeeded"), CellStarted(2, 2))
    assert statuses(*events) == {0: "succeeded", 2: "interrupted", 3: "not-run"}


def test_a_kernel_that_died_is_told_from_a_runner_that_died() -> None:
    events = (CellStarted(0, 1), KernelDied(2, None, "SIGKILL", "killed"))
    assert statuses(*events)[0] == "kernel-died"


def test_skipped_and_failed_stay_what_they_are() -> None:
    events = (
        CellSkipped(0, 1, "tagged skip"),
        CellStarted(2, 1),
        CellFinished(2, 2, "timed-out"),
        RunFinished(2, "error", "cell-timeout"),
    )
    assert statuses(*events) == {0: "skipped", 2: "timed-out", 3: "not-run"}


def test_an_early_exit_leaves_the_rest_not_run() -> None:
    events = (
        CellStarted(0, 1),
        CellFinished(0, 2, "succeeded"),
        RunFinished(2, "success", "exited-early"),
    )
    assert statuses(*events) == {0: "succeeded", 2: "not-run", 3: "not-run"}


def test_what_several_processes_saw_is_put_together() -> None:
    fold = RunFold()
    fold.apply(FilesSeen(0, read=("/a",), written=("/w",)))
    fold.apply(FilesSeen(0, read=("/b", "/a"), facts=("network",), final=True))
    assert fold.files == FilesSeen(
        0, read=("/a", "/b"), written=("/w",), facts=("network",), final=True
    )
    fold.apply(FilesSeen(0, complete=False))
    assert fold.files is not None
    assert not fold.files.complete
