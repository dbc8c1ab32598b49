"""A check told on a forge: here the repository itself, whose comments and statuses are real."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from check_reports import broken, cell, good, hostile, infrastructure, mixed, notebook
from forges.local_forges import alone, branch, environ, forge_in, proposed
from git_repositories import git
from octavo.app.context import Context
from octavo.errors import OctavoError
from octavo.forges.conformance.attachments import PNG
from octavo.forges.local import LocalForge
from octavo.gate.announce import AnnounceRequest, announce_check
from octavo.gate.announcing import CONTEXT, Announced, announce, begin
from octavo.gate.reports.markdown import MARKER
from octavo.gate.reports.reading import _READERS, read_report
from octavo.gate.verdicts import (
    CellVerdict,
    CheckReport,
    Difference,
    Finding,
    NotebookVerdict,
)


class Table:
    """A proposal on a forge, and somebody who looks at it."""

    def __init__(self, folder: Path) -> None:
        self.top = alone(folder)
        self.forge = forge_in(self.top)
        self.number = proposed(self.forge).number

    @property
    def head(self) -> str:
        return self.forge.proposal(self.number).head

    def announce(self, report: CheckReport, commit: str = "", **more: Any) -> Announced:
        return announce(report, self.forge, commit or self.head, number=self.number, **more)

    def bodies(self) -> list[str]:
        return [each.body for each in self.forge.comments(self.number)]

    def state(self, commit: str = "") -> str:
        found = {each.context: each.state for each in self.forge.statuses(commit or self.head)}
        return found[CONTEXT]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def test_a_check_is_one_comment_that_is_kept_up_to_date(table: Table) -> None:
    first = table.announce(mixed())
    assert (first.what, table.state()) == ("made", "error")
    second = table.announce(good(3))
    assert (second.what, table.state()) == ("edited", "success")
    assert second.comment and first.comment and second.comment.id == first.comment.id
    (body,) = table.bodies()
    assert body.startswith("### ✅ octavo check: 3 notebooks passed")
    assert table.announce(good(3)).what == "unchanged"
    assert len(table.bodies()) == 1


@pytest.mark.parametrize(
    ("report", "state"),
    [
        (good(2), "success"),
        (CheckReport((), since="main"), "success"),
        (CheckReport((broken(),)), "failure"),
        (CheckReport((infrastructure(),)), "error"),
    ],
    ids=["passed", "none", "failed", "infrastructure"],
)
def test_the_status_says_how_it_went(table: Table, report: CheckReport, state: str) -> None:
    begin(table.forge, table.head)
    assert table.state() == "pending"
    told = table.announce(report).status
    assert (told.state, table.state()) == (state, state)
    assert "\n" not in told.description


def test_comments_of_others_are_left_alone(table: Table) -> None:
    eve = forge_in(table.top, "Eve")
    eve.comment(table.number, f"### all is well\n\n{MARKER}\n")
    table.forge.comment(table.number, f"Our mark is {MARKER}, I think.")
    assert table.announce(good(1)).what == "made"
    assert len(table.bodies()) == 3
    assert table.announce(mixed()).what == "edited"
    assert table.bodies()[0].startswith("### all is well")


def test_a_check_of_an_older_commit_does_not_replace_that_of_a_newer(table: Table) -> None:
    old = table.head
    new = branch(table.top, "agent/x", {"more.txt": "more\n"})
    assert table.announce(good(1), new).what == "made"
    assert table.announce(mixed(), old).what == "outdated"
    assert (table.state(old), table.state(new)) == ("error", "success")
    assert table.bodies()[0].startswith("### ✅")


def test_the_proposal_is_found_by_its_branch(table: Table) -> None:
    told = announce(good(1), table.forge, table.head, branch="agent/x")
    assert told.number == table.number
    assert announce(good(1), table.forge, table.head, branch="main").comment is None


def test_a_forge_that_cannot_edit_gets_a_new_comment(table: Table) -> None:
    class WithoutEditing:
        def __init__(self, forge: LocalForge) -> None:
            self._forge = forge

        def __getattr__(self, name: str) -> Any:
            if name == "edit_comment":
                raise AttributeError(name)
            return getattr(self._forge, name)

    plain: Any = WithoutEditing(table.forge)
    for report in (good(1), mixed(), mixed()):
        announce(report, plain, table.head, number=table.number)
    assert [body[:5] for body in table.bodies()] == ["### ✅", "### ❌"]


def test_images_that_differ_are_shown(table: Table) -> None:
    (table.top / "e.png").write_bytes(PNG)
    (table.top / "g.png").write_bytes(PNG + b"\0")
    differences = (Difference("image/png", "4%", expected_file="e.png", got_file="g.png"),)
    cells = (cell(0, "failed", cause="output", differences=differences),)
    table.announce(CheckReport((notebook("n.py", "failed", cells=cells),)), folder=table.top)
    assert "| ![expected](files/" in table.bodies()[0]


def test_a_report_cannot_have_other_files_shown(table: Table, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(PNG)
    (table.top / "token.png").write_text("not an image")
    (table.top / "link.png").symlink_to(tmp_path / "secret.png")
    names = ["../secret.png", "token.png", "link.png", str(tmp_path / "secret.png")]
    differences = tuple(
        Difference("image/png", "4%", expected_file=name, got_file=name) for name in names
    )
    cells = (cell(0, "failed", cause="output", differences=differences),)
    table.announce(CheckReport((notebook("n.py", "failed", cells=cells),)), folder=table.top)
    assert "![" not in table.bodies()[0]


def as_written(report: CheckReport) -> str:
    return json.dumps(report.to_json(), default=str)


@pytest.mark.parametrize(
    "report", [mixed(), good(2), CheckReport(())], ids=["mixed", "good", "none"]
)
def test_a_report_is_read_as_it_was_written(report: CheckReport) -> None:
    assert read_report(as_written(report), "r.json").to_json() == report.to_json()


def test_a_hostile_report_is_read_and_told(table: Table) -> None:
    report = read_report(as_written(CheckReport((hostile(),))), "r.json")
    table.announce(report)
    assert table.bodies()[0].rstrip().endswith(MARKER)


def test_there_is_a_reader_for_every_field() -> None:
    for cls in (CheckReport, NotebookVerdict, CellVerdict, Difference, Finding):
        assert {str(kind) for kind in cls.__annotations__.values()} <= _READERS.keys()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"verdicts": 1}',
        '{"verdicts": [1]}',
        '{"verdicts": [{"path": "n.py", "values": "", "outcome": "great"}]}',
        '{"verdicts": [], "duration_seconds": true}',
        "[" * 100_000,
    ],
)
def test_what_is_no_report_is_refused(text: str) -> None:
    with pytest.raises(OctavoError) as caught:
        read_report(text, "r.json")
    assert (caught.value.kind, caught.value.place) == ("check-report", "r.json")
    assert caught.value.hint


def asked(table: Table, variables: dict[str, str] | None = None, **given: Any) -> Announced:
    context = Context(cwd=str(table.top), environ={**environ("Ada"), **(variables or {})})
    return asyncio.run(announce_check(AnnounceRequest(**given), context))


def test_the_operation_takes_number_and_page_from_the_runner(table: Table) -> None:
    git(table.top, "checkout", "--quiet", "--detach", "agent/x")
    path = table.top / "check.json"
    path.write_text(as_written(mixed()))
    runner = {
        "GITHUB_REF": f"refs/pull/{table.number}/head",
        "GITHUB_SERVER_URL": "https://forge.example",
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_RUN_ID": "7",
    }
    assert asked(table, runner, pending=True).status.state == "pending"
    told = asked(table, runner, report="check.json")
    assert (told.number, told.commit, told.status.state) == (table.number, table.head, "error")
    assert "[the run](https://forge.example/o/r/actions/runs/7)" in table.bodies()[0]
    assert json.dumps(told.to_json())


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({}, "wrong-argument"),
        ({"report": "check.json", "pending": True}, "wrong-argument"),
        ({"report": "missing.json"}, "check-report"),
        ({"report": "README.md"}, "check-report"),
        ({"pending": True, "commit": "no-such"}, "revision-unknown"),
    ],
)
def test_a_wrong_call_changes_nothing(table: Table, given: dict[str, Any], kind: str) -> None:
    with pytest.raises(OctavoError) as caught:
        asked(table, **given)
    assert caught.value.kind == kind
    assert caught.value.hint
    assert table.bodies() == []
    assert table.forge.statuses(table.head) == ()


def test_a_check_that_was_under_way_and_left_no_report_has_broken_off(table: Table) -> None:
    git(table.top, "checkout", "--quiet", "--detach", "agent/x")
    asked(table, pending=True)
    with pytest.raises(OctavoError) as caught:
        asked(table, report="missing.json")
    assert caught.value.kind == "check-report"
    [status] = table.forge.statuses(table.head)
    assert (status.state, status.description) == ("error", "the check broke off and left no report")
