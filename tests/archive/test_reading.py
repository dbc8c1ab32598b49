"""The archive read back, from wherever its branch is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from archive.desks import archived, made_run, printed, start
from git_repositories import ENVIRON, git
from octavo.archive.reading import find
from octavo.errors import OctavoError
from octavo.git.repository import Repository
from octavo.records.output_hashes import outputs_hash, source_hash
from octavo.runs.looking.compare import CompareRequest, compare
from octavo.runs.looking.listing import RunsRequest, runs
from octavo.runs.looking.scraps import ScrapsRequest, scraps
from octavo.runs.looking.show import ShowRequest, show
from proposals.desks import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = start(tmp_path)
    for n in range(3):
        made_run(desk, scraps={"score": n}, parameters={"n": n}, outputs=[printed(f"{n}\n")])
    archived(desk, "last", "last~1", "last~2", push=True)
    return desk


def listed(desk: Desk, **asked: Any) -> list[Any]:
    found = desk.do(runs, RunsRequest(archived=True, **asked)).runs
    return [each.scraps["score"] for each in found]


def only_branch(desk: Desk, *how: str) -> Desk:
    folder = desk.folder.parent / "only"
    origin = f"file://{desk.folder.parent}/origin.git"
    git(desk.folder.parent, "clone", "--quiet", "--single-branch", *how, origin, str(folder))
    return Desk(folder)


class TestRuns:
    def test_from_the_branch(self, desk: Desk) -> None:
        assert listed(desk) == [2, 1, 0]

    def test_filters(self, desk: Desk) -> None:
        assert listed(desk, where=("score>0",), sort="score") == [2, 1]
        assert listed(desk, notebook="notebooks/health.py", limit=2) == [2, 1]
        assert listed(desk, notebook="notebooks/other.py") == []
        assert listed(desk, status="error") == []

    @pytest.mark.parametrize("how", [(), ("--bare",), ("--depth=1",)])
    def test_from_a_clone_of_only_the_branch(self, desk: Desk, how: tuple[str, ...]) -> None:
        assert listed(only_branch(desk, "--branch", "reports", *how)) == [2, 1, 0]

    def test_from_the_remote_without_a_local_branch(self, desk: Desk) -> None:
        desk.git("branch", "--quiet", "-D", "reports")
        assert listed(desk) == [2, 1, 0]
        assert listed(desk, ref="origin/reports") == [2, 1, 0]

    def test_of_an_earlier_commit(self, desk: Desk) -> None:
        made_run(desk, scraps={"score": 9})
        archived(desk, "last")
        assert listed(desk) == [9, 2, 1, 0]
        assert listed(desk, ref="reports~1") == [2, 1, 0]

    def test_where_there_is_none(self, tmp_path: Path) -> None:
        desk = start(tmp_path / "other")
        with pytest.raises(OctavoError) as caught:
            listed(desk)
        assert caught.value.kind == "archive"
        with pytest.raises(OctavoError) as caught:
            listed(desk, ref="nowhere")
        assert caught.value.kind == "revision-unknown"

    def test_of_a_commit_that_is_no_archive(self, desk: Desk) -> None:
        assert listed(desk, ref="main") == []


class TestLooking:
    """Commands that are given an id find the run in the archive where it is not here."""

    @pytest.fixture
    def only(self, desk: Desk) -> tuple[Desk, list[str]]:
        only = only_branch(desk, "--branch", "reports")
        found = only.do(runs, RunsRequest(archived=True)).runs
        return only, [each.run_id for each in found]

    def test_show(self, only: tuple[Desk, list[str]]) -> None:
        desk, ids = only
        shown = desk.do(show, ShowRequest(what=ids[1][-8:]))
        assert shown.run is not None
        assert shown.run.run_id == ids[1]
        assert shown.cells[0].outputs[0]["text"] == "1\n"
        assert shown.cells[0].status == "succeeded"

    def test_scraps_and_compare(self, only: tuple[Desk, list[str]]) -> None:
        desk, ids = only
        assert desk.do(scraps, ScrapsRequest(what=(ids[0][-8:],))).rows[0].run_id == ids[0]
        result = desk.do(compare, CompareRequest(a=ids[2], b=ids[0]))
        assert [(each.a, each.b) for each in result.parameters] == [(0, 2)]
        assert result.cells[0].outputs == "changed"

    def test_one_that_is_nowhere(self, only: tuple[Desk, list[str]]) -> None:
        with pytest.raises(OctavoError) as caught:
            only[0].do(show, ShowRequest(what="ffffffff"))
        assert caught.value.kind == "run-not-found"

    def test_nothing_is_left_in_the_clone(self, only: tuple[Desk, list[str]]) -> None:
        desk, ids = only
        desk.do(show, ShowRequest(what=ids[0]))
        assert desk.git("status", "--porcelain", "--ignored") == ""


def test_what_the_gate_looks_at(desk: Desk) -> None:
    repository = Repository.around(desk.folder, ENVIRON)
    found = list(find(repository, "notebooks/health.ipynb", "reports"))
    assert [entry.scraps["score"] for entry in found] == [2, 1, 0]
    newest = found[0]
    [cell] = newest.cells
    assert newest.source_sha256 == "0" * 64
    assert cell.outputs == outputs_hash([printed("2\n")])
    assert cell.source == source_hash("1\n")
    assert list(find(repository, "notebooks/none.py", "reports")) == []
    assert list(find(repository, "notebooks/health.py", "nowhere")) == []


def test_json_of_the_command(desk: Desk) -> None:
    answer = desk.octavo("runs", "--archived")
    assert [each["scraps"]["score"] for each in answer["runs"]] == [2, 1, 0]
    assert json.dumps(desk.octavo("archive", "last")["runs"][0]["added"]) == "false"
