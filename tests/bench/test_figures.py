from __future__ import annotations

import pytest
from bench.figures import Spread, Verdict, less, ratio, spread, verdict
from hypothesis import given
from hypothesis import strategies as st

times = st.floats(0.01, 100)
rounds = st.lists(st.lists(times, min_size=1, max_size=4), min_size=1, max_size=6)


def test_a_spread_has_the_median_and_both_ends_of_all_rounds() -> None:
    assert spread([[3.0, 1.0], [2.0]]) == Spread(median=2.0, low=1.0, high=3.0, count=3)


def test_a_ratio_compares_within_rounds_only() -> None:
    # The second round is ten times slower for both: the ratio does not see it.
    assert ratio([[1.0], [10.0]], [[4.0], [40.0]]) == Spread(0.25, 0.25, 0.25, 2)


def test_a_ratios_spread_is_over_every_pair_of_a_round() -> None:
    figure = ratio([[1.0, 2.0, 3.0]], [[10.0, 20.0]])
    assert figure.median == pytest.approx(2 / 15)
    assert (figure.low, figure.high) == (1 / 20, 3 / 10)


def test_rounds_that_one_side_sat_out_do_not_count() -> None:
    assert ratio([[1.0], [9.0]], [[2.0], []]) == Spread(0.5, 0.5, 0.5, 1)


@given(rounds)
def test_nobody_beats_himself(values: list[list[float]]) -> None:
    figure = ratio(values, values)
    assert figure.median == 1
    assert figure.low <= 1 <= figure.high


@given(rounds, st.floats(0.5, 50))
def test_a_slower_machine_changes_no_ratio(values: list[list[float]], factor: float) -> None:
    theirs = [[2 * value for value in one] for one in values]
    slower = ratio(
        [[factor * value for value in one] for one in values],
        [[factor * value for value in one] for one in theirs],
    )
    assert slower.median == pytest.approx(ratio(values, theirs).median)


def test_start_up_is_taken_from_each_value_of_its_own_round() -> None:
    assert less([[5.0, 6.0], [9.0]], [[1.0], [2.0, 4.0]]) == [[4.0, 5.0], [6.0]]


@pytest.mark.parametrize(
    ("figure", "limit", "expected"),
    [
        (Spread(0.10, 0.09, 0.12, 3), 0.15, Verdict.MET),
        (Spread(0.15, 0.15, 0.15, 1), 0.15, Verdict.MET),
        (Spread(0.14, 0.09, 0.16, 3), 0.15, Verdict.NARROWLY),
        (Spread(0.16, 0.09, 0.20, 3), 0.15, Verdict.MISSED),
        (Spread(0.16, 0.09, 0.20, 3), None, Verdict.SHOWN),
    ],
)
def test_the_median_decides_and_noise_is_said(
    figure: Spread, limit: float | None, expected: Verdict
) -> None:
    assert verdict(figure, limit) is expected
