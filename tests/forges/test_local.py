"""The repository as its own forge, without any remote."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from forges.local_forges import alone, branch, environ, forge_in, proposed
from git_repositories import commit_files, git
from octavo.errors import OctavoError
from octavo.forges.local import LocalForge, Protection
from octavo.forges.port import MERGE_METHODS, MergeMethod, Status
from octavo.git import program
from octavo.git.repository import Repository

ODD_NAMES = ("a b.txt", 'it\'s "quoted".txt', "größe–数.txt", "-dash.txt", "tab\there.txt")


def refusal(kind: str, call: object, *arguments: object, **named: object) -> OctavoError:
    with pytest.raises(OctavoError) as caught:
        call(*arguments, **named)  # type: ignore[operator]
    assert caught.value.kind == kind, caught.value.message
    assert caught.value.hint
    return caught.value


def state_of(top: Path) -> str:
    return git(top, "status", "--porcelain=v2", "--branch")


def test_nothing_of_a_person_is_touched(tmp_path: Path) -> None:
    top = alone(tmp_path)
    (top / "README.md").write_text("an edit\n")
    (top / "new.txt").write_text("new\n")
    git(top, "add", "new.txt")
    before = state_of(top), git(top, "stash", "list"), git(top, "log", "--oneline", "main")
    forge = forge_in(top)
    number = proposed(forge).number
    forge.comment(number, "Why?", path="notes.txt", line=1)
    forge.attach(number, "a.png", b"png", "image/png")
    forge.update(number, body="Another")
    forge.mergeable(number)
    forge.close(number)
    assert (
        state_of(top),
        git(top, "stash", "list"),
        git(top, "log", "--oneline", "main"),
    ) == before


@pytest.mark.parametrize("method", MERGE_METHODS)
def test_a_merge_brings_the_files_of_a_checkout_along(tmp_path: Path, method: MergeMethod) -> None:
    top = alone(tmp_path)
    commit_files(top, {"other.txt": "other\n"}, "main goes on")
    (top / "README.md").write_text("an edit that is not in the way\n")
    (top / "untracked.txt").write_text("mine\n")
    forge = forge_in(top)
    opened = proposed(forge)
    commit = forge.merge(opened.number, method, opened.head)
    assert git(top, "rev-parse", "HEAD") == git(top, "rev-parse", "main") == commit
    assert (top / "notes.txt").read_text() == "one\ntwo\nthree\n"
    assert (top / "README.md").read_text() == "an edit that is not in the way\n"
    assert git(top, "status", "--porcelain") == " M README.md\n?? untracked.txt"
    assert forge.proposal(opened.number).state == "merged"


@pytest.mark.parametrize("tracked", [True, False])
def test_a_merge_that_would_overwrite_edits_is_refused(tmp_path: Path, tracked: bool) -> None:
    top = alone(tmp_path)
    if tracked:
        branch(top, "agent/x", {"README.md": "of the branch\n"})
        (top / "README.md").write_text("an edit\n")
    else:
        (top / "notes.txt").write_text("mine\n")
    forge = forge_in(top)
    opened = proposed(forge)
    before = git(top, "for-each-ref"), state_of(top)
    error = refusal("dirty", forge.merge, opened.number, "merge", opened.head)
    assert ("README.md" if tracked else "notes.txt") in error.message
    assert (git(top, "for-each-ref"), state_of(top)) == before
    git(top, "stash", "--include-untracked")
    forge.merge(opened.number, "merge", opened.head)
    assert forge.proposal(opened.number).state == "merged"


def test_a_base_that_is_being_rebased_is_left_alone(tmp_path: Path) -> None:
    top = alone(tmp_path)
    branch(top, "other", {"README.md": "of other\n"})
    commit_files(top, {"README.md": "of main\n"})
    forge = forge_in(top)
    opened = proposed(forge)
    done = subprocess.run(["git", "rebase", "other"], cwd=top, env=environ("Ada"), check=False)
    assert done.returncode != 0
    before = git(top, "rev-parse", "main")
    refusal("dirty", forge.merge, opened.number, "merge", opened.head)
    assert git(top, "rev-parse", "main") == before
    git(top, "rebase", "--abort")
    forge.merge(opened.number, "merge", opened.head)


def test_a_base_that_is_checked_out_in_another_worktree(tmp_path: Path) -> None:
    top = alone(tmp_path)
    git(top, "checkout", "--quiet", "--detach")
    git(top, "worktree", "add", "--quiet", "../second", "main")
    git(top, "worktree", "add", "--quiet", "--detach", "../third")
    forge = forge_in(tmp_path / "third")
    opened = proposed(forge)
    before = state_of(top)
    commit = forge.merge(opened.number, "merge", opened.head)
    assert git(tmp_path / "second", "rev-parse", "HEAD") == commit
    assert (tmp_path / "second" / "notes.txt").exists()
    assert git(tmp_path / "second", "status", "--porcelain") == ""
    assert state_of(top) == before


def test_a_base_that_nobody_has_checked_out_moves_alone(tmp_path: Path) -> None:
    top = alone(tmp_path)
    git(top, "checkout", "--quiet", "--detach")
    forge = forge_in(top)
    opened = proposed(forge)
    before = state_of(top)
    commit = forge.merge(opened.number, "squash", opened.head)
    assert git(top, "rev-parse", "main") == commit
    assert state_of(top) == before
    assert "Octavo-Proposal: 1" in git(top, "log", "-1", "--format=%B", "main")


def test_a_branch_that_was_merged_by_hand_is_merged(tmp_path: Path) -> None:
    top = alone(tmp_path)
    forge = forge_in(top)
    opened = proposed(forge)
    git(top, "merge", "--quiet", "agent/x")
    commit = git(top, "rev-parse", "main")
    assert forge.merge(opened.number, "squash", opened.head) == commit
    assert forge.proposal(opened.number).state == "merged"


def test_a_rebase_leaves_out_what_the_base_has(tmp_path: Path) -> None:
    top = alone(tmp_path)
    branch(top, "agent/x", {"more.txt": "more\n"})
    git(top, "cherry-pick", "agent/x~1")
    commit_files(top, {"other.txt": "other\n"}, "main goes on")
    forge = forge_in(top)
    opened = proposed(forge)
    forge.merge(opened.number, "rebase", opened.head)
    subjects = git(top, "log", "--format=%s by %an", "main").splitlines()
    assert subjects == [
        "files of agent/x by Ada",
        "main goes on by Ada",
        "files of agent/x by Ada",
        "first by Ada",
    ]
    assert (top / "more.txt").exists()


def test_a_rebase_with_a_conflict_on_the_way_is_refused(tmp_path: Path) -> None:
    top = alone(tmp_path)
    branch(top, "agent/x", {"README.md": "of the branch\n"})
    branch(top, "agent/x", {"README.md": "of main\n"})
    commit_files(top, {"README.md": "of main\n"})
    forge = forge_in(top)
    opened = proposed(forge)
    assert forge.mergeable(opened.number).allowed
    before = git(top, "for-each-ref")
    error = refusal("proposal-not-mergeable", forge.merge, opened.number, "rebase", opened.head)
    assert "a conflict with main in README.md" in error.message
    assert git(top, "for-each-ref") == before


def test_a_merge_asks_the_drivers_of_the_base_not_of_a_checkout(tmp_path: Path) -> None:
    top = alone(tmp_path)
    commit_files(top, {"sub/.gitattributes": "*.txt merge=joint\n", "sub/a.txt": "a\n"})
    branch(top, "agent/y", {"sub/a.txt": "of the branch\n"})
    commit_files(top, {"sub/a.txt": "of main\n"})
    git(top, "config", "merge.joint.driver", "cat %B >> %A")
    git(top, "checkout", "--quiet", "--detach", "main~2")
    assert not (top / "sub").exists()
    forge = forge_in(top)
    opened = proposed(forge, "agent/y")
    assert forge.mergeable(opened.number).allowed
    forge.merge(opened.number, "merge", opened.head)
    assert git(top, "show", "main:sub/a.txt") == "of main\nof the branch"


def test_notebooks_are_merged_cell_by_cell(tmp_path: Path) -> None:
    top = alone(tmp_path)
    cells = ["# %%\nx = 1\n", "# %%\ny = 2\n"]
    driver = f"{shlex.quote(sys.executable)} -m octavo git-merge %O %A %B %L ./%P"
    commit_files(top, {".gitattributes": "*.py merge=octavo\n", "nb.py": "".join(cells)})
    branch(top, "agent/nb", {"nb.py": cells[0].replace("1", "10") + cells[1]})
    commit_files(top, {"nb.py": cells[0] + cells[1].replace("2", "20")})
    forge = forge_in(top)
    opened = proposed(forge, "agent/nb")
    git(top, "config", "merge.octavo.driver", "false")
    assert forge.mergeable(opened.number).missing == ("a conflict with main in nb.py",)
    git(top, "config", "merge.octavo.driver", driver)
    assert forge.mergeable(opened.number).allowed
    forge.merge(opened.number, "squash", opened.head)
    assert (top / "nb.py").read_text() == "".join(cells).replace("1", "10").replace("2", "20")


def test_approvals_of_others_count_once_each_and_for_the_newest_commit(tmp_path: Path) -> None:
    top = alone(tmp_path)
    wanted = Protection(approvals=2)
    ada, bob, eve = (forge_in(top, name, wanted) for name in ("Ada", "Bob", "Eve"))
    number = proposed(ada).number
    error = refusal("forge-refused", ada.review, number, "approved")
    assert "themselves" in error.message
    bob.review(number, "approved")
    bob.review(number, "approved", "Yes, really.")
    assert ada.mergeable(number).missing == ("an approval (1 of 2)",)
    eve.review(number, "changes", "No.")
    assert ada.mergeable(number).missing == (
        "an approval (1 of 2)",
        "the changes that Eve <eve@example.org> asks for",
    )
    eve.review(number, "approved")
    assert ada.mergeable(number).allowed
    branch(top, "agent/x", {"more.txt": "more\n"})
    assert ada.mergeable(number).missing == ("an approval (0 of 2)",)
    assert [each.stale for each in ada.reviews(number)] == [True] * 4


def test_the_same_address_is_the_same_person(tmp_path: Path) -> None:
    top = alone(tmp_path)
    number = proposed(forge_in(top)).number
    repository = Repository.around(top, environ("Ada"))
    other = LocalForge(repository, None, user="Countess <ADA@example.org>")
    assert other.about().user == "Countess <ADA@example.org>"
    refusal("forge-refused", other.review, number, "approved")
    said = other.comment(number, "As myself.")
    assert said.author == "Countess <ADA@example.org>"
    assert git(top, "log", "-1", "--format=%an %ce", "refs/octavo/proposals/1") == (
        "Countess ADA@example.org"
    )


def test_nobody_is_told_to_say_who_they_are(tmp_path: Path) -> None:
    top = alone(tmp_path)
    git(top, "config", "user.useConfigOnly", "true")
    anonymous = {name: environ("Ada")[name] for name in ("PATH", "HOME", "GIT_CONFIG_NOSYSTEM")}
    forge = LocalForge(Repository.around(top, anonymous), None)
    error = refusal("git-identity", forge.open, "agent/x", "main", "T", "", draft=False)
    assert "git config" in error.hint
    assert forge.proposals() == ()


def test_lines_are_followed_through_changes_and_renames(tmp_path: Path) -> None:
    top = alone(tmp_path)
    text = "".join(f"line {n}\n" for n in range(1, 31))
    branch(top, "agent/x", {"long.txt": text})
    forge = forge_in(top)
    number = proposed(forge).number
    for line in (1, 10, 20):
        forge.comment(number, f"on {line}", path="long.txt", line=line)
    forge.comment(number, "on the file", path="long.txt")
    git(top, "checkout", "--quiet", "agent/x")
    git(top, "mv", "long.txt", "renamed.txt")
    changed = "new\n" + text.replace("line 10\n", "another\n").replace("line 15\n", "")
    commit_files(top, {"renamed.txt": changed})
    git(top, "checkout", "--quiet", "main")
    head = forge.proposal(number).head
    places = {
        each.body: (each.path, each.line, each.commit == head) for each in forge.comments(number)
    }
    assert places == {
        "on 1": ("renamed.txt", 2, True),
        "on 10": ("long.txt", None, False),
        "on 20": ("renamed.txt", 20, True),
        "on the file": ("renamed.txt", None, True),
    }


def test_a_comment_needs_a_place_that_is_there(tmp_path: Path) -> None:
    forge = forge_in(alone(tmp_path))
    number = proposed(forge).number
    refusal("forge-refused", forge.comment, number, "x", path="nowhere.txt", line=1)
    refusal("forge-refused", forge.comment, number, "x", path="notes.txt", line=4)
    refusal("forge-refused", forge.comment, number, "x", path="notes.txt", line=0)
    refusal("forge-refused", forge.comment, number, "x", line=1)
    assert forge.comments(number) == ()


def test_file_names_of_all_kinds(tmp_path: Path) -> None:
    top = alone(tmp_path)
    branch(top, "agent/odd", dict.fromkeys(ODD_NAMES, "one\ntwo\n"))
    forge = forge_in(top)
    number = proposed(forge, "agent/odd").number
    for name in ODD_NAMES:
        forge.comment(number, "here", path=name, line=2)
    branch(top, "agent/odd", dict.fromkeys(ODD_NAMES, "zero\none\ntwo\n"))
    found = forge.comments(number)
    assert [(each.path, each.line) for each in found] == [(name, 3) for name in ODD_NAMES]
    forge.merge(number, "merge", forge.proposal(number).head)
    assert {path.name for path in top.iterdir()} >= set(ODD_NAMES)


def test_a_branch_that_is_in_use_or_has_other_work_stays(tmp_path: Path) -> None:
    top = alone(tmp_path)
    forge = forge_in(top)
    opened = proposed(forge)
    git(top, "worktree", "add", "--quiet", "../second", "agent/x")
    error = refusal("forge-refused", forge.delete_branch, "agent/x")
    assert "second" in error.message
    git(top, "worktree", "remove", "../second")
    lonely = branch(top, "agent/lonely", {"a.txt": "a\n"})
    refusal("forge-refused", forge.delete_branch, "agent/lonely")
    assert git(top, "rev-parse", "agent/lonely") == lonely
    forge.merge(opened.number, "squash", opened.head)
    forge.delete_branch("agent/x")
    assert git(top, "branch", "--list", "agent/x") == ""
    git(top, "reflog", "expire", "--expire=now", "--all")
    git(top, "gc", "--quiet", "--prune=now")
    found = forge.proposal(opened.number)
    assert (found.head, found.state) == (opened.head, "merged")
    assert git(top, "show", f"{opened.head}:notes.txt") == "one\ntwo\nthree"


def test_a_proposal_whose_branch_is_gone_is_still_told(tmp_path: Path) -> None:
    top = alone(tmp_path)
    forge = forge_in(top)
    number = proposed(forge).number
    head = branch(top, "agent/x", {"more.txt": "more\n"})
    forge.delete_branch("agent/x")
    assert forge.proposal(number).head == head
    assert forge.mergeable(number).missing == ("the branch agent/x, which is gone",)
    refusal("proposal-not-mergeable", forge.merge, number, "merge", head)


def test_an_export_shows_the_figures(tmp_path: Path) -> None:
    forge = forge_in(alone(tmp_path))
    number = proposed(forge).number
    address = forge.attach(number, "../../loss curve.png", b"\x89PNG", "image/png")
    forge.update(number, body=f"![loss]({address})\n")
    body = forge.export(number, tmp_path / "read" / "here")
    assert body.read_text() == f"# Title of agent/x\n\n![loss]({address})\n"
    assert (body.parent / address).read_bytes() == b"\x89PNG"
    assert sorted(path.name for path in (tmp_path / "read").rglob("*") if path.is_file()) == [
        address.removeprefix("files/"),
        "body.md",
    ]
    (tmp_path / "file").write_text("")
    refusal("output-unwritable", forge.export, number, tmp_path / "file" / "x")


def test_what_does_not_make_sense_is_refused(tmp_path: Path) -> None:
    top = alone(tmp_path)
    forge = forge_in(top)
    refusal("forge-refused", forge.open, "main", "main", "T", "", draft=False)
    refusal("forge-refused", forge.open, "-bad name..", "main", "T", "", draft=False)
    opened = proposed(forge)
    refusal("forge-refused", forge.review, opened.number, "great")
    refusal("forge-refused", forge.merge, opened.number, "octopus", opened.head)
    refusal("forge-refused", forge.set_status, opened.head, Status("a", "green"))  # type: ignore[arg-type]
    refusal("forge-refused", forge.attach, opened.number, "a", b"a" * (33 << 20), "image/png")
    refusal("forge-refused", forge.resolve, opened.number, "no-such-thread")
    assert forge.statuses("--help") == ()


def test_five_hundred_proposals_are_read_by_a_handful_of_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = alone(tmp_path)
    forge = forge_in(top)
    proposed(forge)
    tip = git(top, "rev-parse", "refs/octavo/proposals/1")
    lines = "".join(f"create refs/octavo/proposals/{n} {tip}\n" for n in range(2, 501))
    subprocess.run(["git", "update-ref", "--stdin"], cwd=top, input=lines.encode(), check=True)
    started = []
    run = subprocess.run

    def counted(command: list[str], **named: object) -> object:
        started.append(command)
        return run(command, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(program.subprocess, "run", counted)
    assert len(forge.proposals()) == 500
    assert len(started) <= 4
    started.clear()
    assert forge.find("agent/x") is not None
    assert len(started) <= 4
