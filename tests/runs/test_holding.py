"""When a run that is to be held copies its kernel."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from octavo.kernels.port import Refusal
from octavo.runs import holding
from octavo.runs.holding import ALWAYS, Hold


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


class _Copy:
    def __init__(self) -> None:
        self.is_dropped = False

    async def drop(self) -> None:
        self.is_dropped = True


class _Kernel:
    """A kernel whose copies take a second each."""

    def __init__(self, clock: _Clock) -> None:
        self.clock = clock
        self.copies: list[_Copy] = []
        self.refuses = False

    async def snapshot(self) -> Any:
        self.clock.now += 1.0
        if self.refuses:
            return Refusal("threads", "a thread is alive")
        self.copies.append(_Copy())
        return self.copies[-1]


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> _Kernel:
    clock = _Clock()
    monkeypatch.setattr(holding, "time", clock)
    return _Kernel(clock)


def _executed(hold: Hold, kernel: Any, cells: range, seconds: float) -> None:
    async def run() -> None:
        for cell in cells:
            await hold.before_cell(kernel, cell)
            kernel.clock.now += seconds

    asyncio.run(run())


def test_a_short_notebook_is_copied_before_every_cell(kernel: _Kernel) -> None:
    hold = Hold()
    _executed(hold, kernel, range(ALWAYS), 0.0)
    assert len(kernel.copies) == ALWAYS
    assert hold.copied_at == hold.cell == ALWAYS - 1
    assert [copy.is_dropped for copy in kernel.copies] == [True] * (ALWAYS - 1) + [False]


def test_copies_of_many_cheap_cells_cost_a_part_of_the_run_and_no_more(kernel: _Kernel) -> None:
    hold = Hold()
    _executed(hold, kernel, range(1000), 0.1)
    assert len(kernel.copies) < ALWAYS + 1000 * 0.1 / 4
    assert hold.cell == 999
    assert 0 < 999 - hold.copied_at <= 60


def test_after_a_cell_that_took_long_the_next_one_is_copied_before(kernel: _Kernel) -> None:
    hold = Hold()
    _executed(hold, kernel, range(ALWAYS + 5), 0.0)
    assert hold.copied_at < ALWAYS
    kernel.clock.now += 60
    _executed(hold, kernel, range(ALWAYS + 5, ALWAYS + 6), 0.0)
    assert hold.copied_at == ALWAYS + 5


def test_a_refusal_leaves_the_copy_of_an_earlier_cell(kernel: _Kernel) -> None:
    hold = Hold()
    _executed(hold, kernel, range(3), 0.0)
    kernel.refuses = True
    _executed(hold, kernel, range(3, 5), 0.0)
    assert hold.refusal is not None
    assert (hold.copied_at, hold.cell) == (2, 4)
    assert not kernel.copies[-1].is_dropped
