from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.cases import Case, Claim, Entrant
from bench.diffing import NBDIME, NEW, OCTAVO_DIFF, OLD, check_diff, pair
from bench.measurement import Sample
from bench.report import case_report
from bench.rounds import Measured
from bench.verification import JobNotDone
from bench.work import two_cells

from octavo.notebook.diff import diff
from octavo.notebook.formats import ipynb


def both(folder: Path) -> list[dict[str, object]]:
    return [ipynb.parse((folder / name).read_text(), name) for name in (OLD, NEW)]


def test_every_output_and_ten_sources_differ(tmp_path: Path) -> None:
    pair(40, 300).write(tmp_path)
    old, new = ((each["cells"]) for each in both(tmp_path))
    pairs = [*zip(old, new, strict=True)]  # type: ignore[call-overload]
    assert all(one["outputs"] != other["outputs"] for one, other in pairs)
    assert sum(one["source"] != other["source"] for one, other in pairs) == 10
    assert not any("id" in cell for both in pairs for cell in both)


def test_a_diff_counts_only_if_it_makes_the_new_notebook(tmp_path: Path) -> None:
    work = pair(10, 300)
    work.write(tmp_path)
    found = diff(*both(tmp_path))
    check_diff(lambda folder: json.dumps(found))(work, tmp_path)
    for wrong in ("", "[]"):
        with pytest.raises(JobNotDone):
            check_diff(lambda folder, wrong=wrong: wrong)(work, tmp_path)


def test_commands_are_for_pairs() -> None:
    assert OCTAVO_DIFF.words(pair(10, 300)) == ["octavo", "diff", OLD, NEW, "--json"]
    assert NBDIME.words(two_cells()) == ["nbdiff", "--help"]


def test_who_gave_up_is_told_and_counts_with_his_patience() -> None:
    work = pair(10, 300)
    entrants = (
        Entrant("octavo", OCTAVO_DIFF, work),
        Entrant("nbdime", NBDIME, work, patience=60),
    )
    case = Case("diff", "title", 1, entrants, (Claim("ratio", "octavo", "nbdime", 0.01),))
    results = {"octavo": Measured([[Sample(0.3, 0.3)]]), "nbdime": Measured([[Sample(60, 60)]])}
    report = case_report(case, results, 0.0)
    assert [line.label for line in report.lines] == ["octavo", "nbdime (gave up after 60 s)"]
    assert report.findings[0].figure is not None
    assert report.findings[0].figure.median == pytest.approx(0.005)
