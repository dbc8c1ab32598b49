"""What a journal of a session folds to: cells that came meanwhile, and the line of its state."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from octavo.events.codec import decode, encode
from octavo.events.statuses import RunFold
from octavo.events.types import (
    SCHEMA_VERSION,
    BoundCell,
    CellBound,
    CellFinished,
    CellStarted,
    Event,
    RunStarted,
    StateRestored,
)

STARTED = RunStarted(
    schema=SCHEMA_VERSION, run_id="r", time=0.0, source={}, cells=(), metadata={}, parameters={},
    defaults={}, engine="fork", environment={}, options={"session": True}, host={},
)  # fmt: skip


def folded(*events: Event) -> RunFold:
    fold = RunFold()
    for event in (STARTED, *events):
        fold.apply(decode(encode(event)))
    return fold


def bound(cell: int, source: str = "x", role: str = "cell", key: str = "c1") -> CellBound:
    made = BoundCell("code", source, key, {"tags": ["mine"]})
    return CellBound(cell, 1.0, made, role, key)  # type: ignore[arg-type]


def test_cells_that_were_bound_are_those_of_the_run() -> None:
    fold = folded(bound(0, "a"), CellStarted(0, 1.0), CellFinished(0, 2.0, "succeeded"))
    assert fold.started is not None
    assert [cell.source for cell in fold.started.cells] == ["a"]
    assert fold.cells[0].status == "succeeded"
    fold.apply(bound(1, "b"))
    assert [cell.source for cell in fold.started.cells] == ["a", "b"]


def test_attempts_that_leave_no_trace_are_tagged_and_not_in_the_line() -> None:
    fold = folded(bound(0), CellStarted(0, 1.0), bound(1, "y", "scratch", ""), CellStarted(1, 1.0))
    assert fold.started is not None
    assert fold.started.cells[1].metadata["tags"] == ["mine", "scratch"]
    assert fold.line == [0]


def test_a_number_that_was_never_used_is_an_empty_cell() -> None:
    fold = folded(bound(2, "c"))
    assert fold.started is not None
    assert [(cell.kind, cell.source) for cell in fold.started.cells] == [
        ("raw", ""), ("raw", ""), ("code", "c")
    ]  # fmt: skip


@given(st.lists(st.sampled_from(("cell", "again", "scratch", "back")), max_size=30))
def test_the_line_is_what_was_executed_since_the_state_came_back(steps: list[str]) -> None:
    events: list[Event] = []
    line: list[int] = []
    for cell, step in enumerate(steps):
        if step == "back":
            line = line[: len(line) // 2]
            events.append(StateRestored(1.0, tuple(line), "snapshot"))
            continue
        events += [bound(cell, role=step), CellStarted(cell, 1.0)]
        if step != "scratch":
            line.append(cell)
    assert folded(*events).line == line
