"""`octavo archive --prune` says what it would delete, asks, and keeps what must be kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive.desks import MOMENT, archived, made_run, start
from archive.test_sharing import on_remote, there
from octavo.archive.operation import ArchiveRequest, archive
from octavo.errors import UsageError
from proposals.desks import Desk

_DAY = 86400.0


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return start(tmp_path)


def test_by_count_for_each_notebook(desk: Desk) -> None:
    one = [made_run(desk) for _ in range(4)]
    other = [made_run(desk, notebook="notebooks/other.py") for _ in range(2)]
    archived(desk, *one, *other)
    before = desk.git("rev-parse", "reports")
    result = archived(desk, prune=True, keep=2, dry_run=True)
    assert {entry.run_id for entry in result.pruned} == set(one[:2])
    assert result.freed > 100
    assert desk.git("rev-parse", "reports") == before
    archived(desk, prune=True, keep=2, yes=True)
    assert there(desk.folder) == {*one[2:], *other}
    page = desk.git("show", "reports:reports/notebooks/health/README.md")
    assert [run[-8:] in page for run in one] == [False, False, True, True]
    assert desk.git("show", f"{before}:reports/notebooks/health/README.md").count("ipynb") == 4


def test_by_age(desk: Desk) -> None:
    old = made_run(desk, moment=MOMENT - 400 * _DAY)
    import time

    new = made_run(desk, moment=time.time() - 3 * _DAY)
    archived(desk, old, new)
    archived(desk, prune=True, keep_days=30, yes=True)
    assert there(desk.folder) == {new}


def test_the_newest_good_run_stays_whatever_its_age(desk: Desk) -> None:
    good = made_run(desk)
    bad = [made_run(desk, status="error") for _ in range(3)]
    archived(desk, good, *bad)
    archived(desk, prune=True, keep=1, keep_days=0.5, yes=True)
    assert there(desk.folder) == {good}


def test_nobody_agrees(desk: Desk) -> None:
    runs = [made_run(desk) for _ in range(3)]
    archived(desk, *runs)
    with pytest.raises(UsageError, match=r"nobody is there to agree: delete 2 runs \(.*B\)"):
        archived(desk, prune=True, keep=1)
    for answer in (False, True):
        asked: list[str] = []

        async def operation(
            request: ArchiveRequest,
            context: object,
            asked: list[str] = asked,
            answer: bool = answer,
        ) -> object:
            context.ask = lambda text: asked.append(text) or answer  # type: ignore[attr-defined]
            return await archive(request, context)  # type: ignore[arg-type]

        request = ArchiveRequest(prune=True, keep=1)
        result = desk.do(operation, request)
        assert result.declined is not answer  # type: ignore[attr-defined]
        if not answer:
            assert there(desk.folder) == set(runs)
        assert asked[0].startswith("delete 2 runs")
    assert there(desk.folder) == {runs[-1]}


def test_settings_say_how_much_is_kept(tmp_path: Path) -> None:
    desk = start(tmp_path, "archive_keep = 1\n")
    archived(desk, *(made_run(desk) for _ in range(3)))
    archived(desk, prune=True, yes=True, push=True)
    assert len(there(desk.folder)) == len(on_remote(desk)) == 1


@pytest.mark.parametrize(
    "asked",
    [
        {"prune": True},
        {"prune": True, "keep": 0},
        {"prune": True, "keep_days": -1.0},
        {"keep": 3},
        {"yes": True},
        {"rejoin": True},
    ],
)
def test_what_makes_no_sense(desk: Desk, asked: dict[str, float]) -> None:
    archived(desk, made_run(desk))
    before = desk.git("rev-parse", "reports")
    with pytest.raises(UsageError) as caught:
        archived(desk, **asked)
    assert caught.value.kind == "wrong-argument"
    assert caught.value.hint
    assert desk.git("rev-parse", "reports") == before


def test_what_was_pruned_here_goes_there_too(desk: Desk) -> None:
    runs = [made_run(desk) for _ in range(3)]
    archived(desk, *runs, push=True)
    archived(desk, prune=True, keep=1, yes=True)
    assert on_remote(desk) == set(runs)
    more = made_run(desk)
    archived(desk, more, push=True)
    assert on_remote(desk) == {runs[-1], more}


def test_dropping_it_for_good(desk: Desk) -> None:
    """As the documentation says: the branch begins anew, and everybody rejoins."""
    runs = [made_run(desk) for _ in range(3)]
    archived(desk, *runs, push=True)
    archived(desk, prune=True, keep=1, yes=True, push=True)
    fresh = desk.git("commit-tree", "reports^{tree}", "-m", "start anew")
    desk.git("push", "--quiet", "--force", "origin", f"{fresh}:refs/heads/reports")
    archived(desk, push=True, rejoin=True)
    assert desk.git("rev-parse", "reports") == fresh
    assert there(desk.folder) == on_remote(desk) == {runs[-1]}
