from __future__ import annotations

from bench.cases import FULL, QUICK, all_cases
from bench.tools import NBCLIENT, OCTAVO, PAPERMILL

AGREED = {
    ("two-cells", "octavo / papermill"): 0.15,
    ("resident", "octavo / papermill"): 0.05,
    ("notebooks", "octavo / papermill"): 0.04,
    ("cells", "octavo / papermill"): 0.025,
    ("cells", "octavo / jupyter execute"): 0.20,
    ("silent-cells", "octavo / papermill"): 0.025,
    ("silent-cells", "octavo / jupyter execute"): 0.20,
    ("output", "octavo / papermill"): 0.10,
    ("loud", "octavo / jupyter execute"): 0.40,
    ("loud", "octavo: peak memory of the runner"): 150e6,
    ("loud", "octavo: peak memory of all its processes"): 150e6,
    ("growth-cells", "4,000 cells / 1,000 cells"): 4.4,
    ("growth-output", "40 MB / 10 MB"): 4.4,
    ("growth-outputs", "40 MB / 10 MB"): 4.4,
    ("diff", "octavo / nbdiff --out"): 0.01,
    ("diff-outputs", "octavo diff: the whole command"): 1.0,
    ("growth-diff", "1,000 cells / 500 cells"): 2.5,
    ("growth-diff", "2,000 cells / 1,000 cells"): 2.5,
    ("growth-diff", "4,000 cells / 2,000 cells"): 2.5,
    ("check", "octavo / pytest --nbval-lax"): 0.05,
    ("unchanged", "the whole command"): 0.5,
    ("growth-check", "500 / 250"): 2.2,
    ("growth-check", "1,000 / 500"): 2.2,
    ("growth-unchanged", "500 / 250"): 2.2,
    ("growth-unchanged", "1,000 / 500"): 2.2,
    ("restore", "octavo / kishu: checkout"): 0.2,
    ("restore-1GB", "until the kernel answers"): 0.1,
    ("round-trip", "octavo / jupyter_client"): 0.2,
    ("edit-behind", "until the new result"): 1.0,
    ("idle-sessions", "memory of one"): 5e6,
    ("help", "octavo: processor time"): 0.06,
}


def test_the_targets_are_the_agreed_ones() -> None:
    judged = {
        (case.name, claim.says): claim.limit
        for case in all_cases(FULL)
        for claim in case.claims
        if claim.limit is not None
    }
    assert judged == AGREED


def test_a_quick_look_judges_only_what_does_not_depend_on_the_amount_of_work() -> None:
    judged = {case.name for case in all_cases(QUICK) for c in case.claims if c.limit is not None}
    assert judged == {
        *("two-cells", "resident", "loud", "diff-outputs", "unchanged", "help"),
        *("restore-1GB", "edit-behind", "idle-sessions"),
    }
    loud = next(case for case in all_cases(QUICK) if case.name == "loud")
    assert all(claim.limit is None for claim in loud.claims if claim.against)


def test_every_claim_is_about_entrants_of_its_case() -> None:
    for case in (*all_cases(FULL), *all_cases(QUICK)):
        labels = {entrant.label for entrant in case.entrants} | {None}
        assert all({c.subject, c.against, c.less} <= labels for c in case.claims), case.name


def test_a_case_without_a_peer_makes_no_claim_about_it() -> None:
    cells = next(case for case in all_cases(FULL) if case.name == "cells")
    smaller = cells.only_with({OCTAVO.name, NBCLIENT.name})
    assert [entrant.tool for entrant in smaller.entrants] == [OCTAVO, NBCLIENT]
    assert [claim.says for claim in smaller.claims] == ["octavo / jupyter execute"]


def test_many_notebooks_are_one_command_of_ours_and_xargs_for_the_peer() -> None:
    case = next(case for case in all_cases(FULL) if case.name == "notebooks")
    ours = OCTAVO.words(case.entrants[0].work)
    assert ours[:3] == ["octavo", "run", "notebook000.py"]
    assert len(ours) == 2 + 50 + 2
    assert ours[-2:] == ["-j", "2"]
    assert "xargs -P 2 " in PAPERMILL.words(case.entrants[1].work)[-1]
