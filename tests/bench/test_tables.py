from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from bench.cases import Case, Claim, Entrant, Metric
from bench.kept import Kept, read, renewed, write
from bench.measurement import Sample
from bench.page import as_page, table
from bench.processes import Memory
from bench.report import Facts, Report, case_report
from bench.rounds import Measured
from bench.terminal import case_text, quantity, summary_text
from bench.tools import OCTAVO, PAPERMILL, PLOOMBER
from bench.work import two_cells

CASE = Case(
    name="two-cells",
    title="one two-cell notebook",
    rounds=2,
    entrants=tuple(Entrant(t.label, t, two_cells()) for t in (OCTAVO, PAPERMILL, PLOOMBER)),
    claims=(
        Claim("octavo / papermill", "octavo", "papermill", 0.15),
        Claim("octavo / ploomber-engine", "octavo", "ploomber-engine"),
        Claim("octavo: peak memory", "octavo", None, 150e6, Metric.TREE),
    ),
)
FACTS = Facts("2025-01-01", "3.11.7", 2, {"papermill": "2.7.0"}, 0.0, 60.0, quick=False)


def measured(*walls: float, failure: str | None = None) -> Measured:
    rounds = [[Sample(wall, wall)] for wall in walls]
    return Measured(rounds, [Memory(90_000_000, 120_000_000)], failure)


def report(octavo: Measured, others: float = 0.0) -> Report:
    results = {
        "octavo": octavo,
        "papermill": measured(1.0, 2.0),
        "ploomber-engine": measured(0.05, 0.1),
    }
    return Report(FACTS, (case_report(CASE, results, others),))


def test_a_case_shows_times_ratio_spread_target_and_verdict() -> None:
    text = case_text(report(measured(0.10, 0.24)).cases[0])
    rows = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]
    assert rows == [
        ["two-cells: one two-cell notebook"],
        ["octavo", "0.170 s", "0.100 s – 0.240 s", "2 runs"],
        ["papermill", "1.50 s", "1.00 s – 2.00 s", "2 runs"],
        ["ploomber-engine", "75.0 ms", "50.0 ms – 0.100 s", "2 runs"],
        ["✓", "octavo / papermill", "0.110", "0.100 – 0.120", "≤ 0.150", "met"],
        ["octavo / ploomber-engine", "2.2", "2 – 2.4"],
        ["✓", "octavo: peak memory", "120 MB", "120 MB – 120 MB", "≤ 150 MB", "met"],
    ]


def test_columns_are_aligned() -> None:
    lines = summary_text(report(measured(0.1, 0.24))).splitlines()[1:4]
    assert (
        len({line.index(word) for line, word in zip(lines, ("target", "≤", "≤"), strict=True)}) == 1
    )


def test_a_failure_has_a_reason_and_no_figure() -> None:
    failed = report(measured(0.1, failure="exit code 1: boom"))
    row = re.split(r"\s{2,}", summary_text(failed).splitlines()[2].strip())
    says, reason = "two-cells: octavo / papermill", "octavo: exit code 1: boom"
    assert row == ["!", says, "–", "–", "≤ 0.150", reason]
    assert not failed.all_met


def test_a_failure_counts_even_where_nothing_is_judged() -> None:
    alone = replace(CASE, entrants=CASE.entrants[:1], claims=())
    results = {"octavo": measured(failure="exit code 1: boom")}
    assert not Report(FACTS, (case_report(alone, results, 0.0),)).all_met


def test_a_missed_target_is_not_met() -> None:
    assert report(measured(0.1, 0.2)).all_met
    assert not report(measured(0.2, 0.4)).all_met


def test_a_disturbed_case_says_so() -> None:
    assert "other processes took 40% of the processors" in case_text(
        report(measured(0.1, 0.2), others=0.4).cases[0]
    )


def test_the_page_has_the_figures_and_admits_the_losses() -> None:
    one = report(measured(0.2, 0.4))
    page = as_page([Kept(one.facts, one.cases[0])])
    row = "one two-cell notebook: octavo / papermill | 0.200 | 0.200 – 0.200 | ≤ 0.150 | missed"
    assert f"| {row} |" in page
    assert "- one two-cell notebook: octavo / papermill is 0.200" in page
    assert "- one two-cell notebook: 4 times the time of ploomber-engine.\n" in page


def test_a_case_is_measured_anew_without_the_others(tmp_path: Path) -> None:
    first, again = report(measured(0.2, 0.4)), report(measured(0.1, 0.2))
    other = replace(first.cases[0], name="other")
    names = ["other", "two-cells", "not-yet"]
    kept = renewed({}, replace(first, cases=(first.cases[0], other)), names)
    write(tmp_path / "figures.json", kept)
    later = renewed(read(tmp_path / "figures.json"), again, names)
    assert list(later) == ["other", "two-cells"]
    assert as_page([later["other"]]) == as_page([kept["other"]])
    assert as_page([later["two-cells"]]) == as_page([Kept(again.facts, again.cases[0])])


def test_bars_and_line_ends_do_not_break_a_markdown_table() -> None:
    assert table(("a",), [("x | y\nz",)]) == "| a |\n| --- |\n| x \\| y z |\n"


def test_quantities_have_three_digits_and_a_unit() -> None:
    shown = [quantity(value, Metric.WALL) for value in (0.0123, 0.5, 1.234, 31.44)]
    assert shown == ["12.3 ms", "0.500 s", "1.23 s", "31.4 s"]
    assert quantity(149_600_000, Metric.TREE) == "150 MB"
