"""Many archive at once, here and on the remote, and everything is there at the end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from archive.desks import archived, made_run, start
from git_repositories import ENVIRON, git
from octavo.archive.automatic import after_run
from octavo.archive.branch import Branch
from octavo.errors import ConflictError, OctavoError
from octavo.git.repository import Repository
from octavo.records.record import result
from octavo.records.run_dir import RunDir
from octavo.runs.context import Said
from proposals.desks import Desk


def there(folder: Path, ref: str = "reports") -> set[str]:
    """The ids of the runs on a branch."""
    repository = Repository.around(folder, ENVIRON)
    branch = Branch(repository, "reports", None)
    return {place.rpartition("/")[2] for place in branch.runs(repository.commit(ref))}


def second(desk: Desk, name: str = "second") -> Desk:
    """Another clone of the same remote."""
    folder = desk.folder.parent / name
    git(desk.folder.parent, "clone", "--quiet", "origin.git", name)
    return Desk(folder)


def on_remote(desk: Desk) -> set[str]:
    desk.git("fetch", "--quiet", "origin", "+reports:refs/test/reports")
    return there(desk.folder, "refs/test/reports")


def processes(desks: list[tuple[Desk, str]], *words: str) -> None:
    """Archive in processes of their own, all at once."""
    begun = [
        subprocess.Popen(
            [sys.executable, "-m", "octavo", "archive", run, *words],
            cwd=desk.folder,
            env={**desk.environ, "OCTAVO_NO_RESIDENT": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for desk, run in desks
    ]
    said = [each.communicate()[0] for each in begun]
    assert [each.returncode for each in begun] == [0] * len(begun), "\n".join(said)


def test_ten_in_one_clone(tmp_path: Path) -> None:
    desk = start(tmp_path)
    runs = [made_run(desk, notebook=f"notebooks/n{n % 3}.py") for n in range(10)]
    processes([(desk, run) for run in runs])
    assert there(desk.folder) == set(runs)
    assert desk.git("rev-list", "--count", "reports") == "10"
    assert desk.leftovers() == ["/".join([str(desk.folder / ".git/octavo"), "archive.lock"])]


def test_four_clones_push_at_once(tmp_path: Path) -> None:
    desk = start(tmp_path)
    desks = [desk, *(second(desk, f"clone{n}") for n in range(3))]
    runs = [(each, made_run(each)) for each in desks]
    processes(runs, "--push")
    assert on_remote(desk) == {run for _, run in runs}
    page = desk.git("show", "refs/test/reports:reports/notebooks/health/README.md")
    assert all(run[-8:] in page for _, run in runs)


def test_two_clones_that_began_by_themselves(tmp_path: Path) -> None:
    one, other = (desk := start(tmp_path)), second(desk)
    first, then = made_run(one), made_run(other)
    archived(one, first)
    archived(other, then)
    archived(one, first, push=True)
    archived(other, then, push=True)
    assert on_remote(one) == {first, then} == there(other.folder)
    archived(one, first, push=True)
    assert there(one.folder) == {first, then}


def test_entries_that_were_not_pushed_go_on_top(tmp_path: Path) -> None:
    one, other = (desk := start(tmp_path)), second(desk)
    shared = made_run(one)
    archived(one, shared, push=True)
    local = [made_run(other) for _ in range(3)]
    other.git("fetch", "--quiet")
    for run in local:
        archived(other, run)
    assert there(other.folder) == {shared, *local}
    more = made_run(one)
    archived(one, more, push=True)
    archived(other, local[0], push=True)
    assert on_remote(one) == {shared, more, *local}


class TestRewritten:
    """Somebody replaced the branch on the remote by one with another history."""

    @pytest.fixture
    def desks(self, tmp_path: Path) -> tuple[Desk, Desk, str]:
        one, other = (desk := start(tmp_path)), second(desk)
        shared = made_run(one)
        archived(one, shared, push=True)
        archived(other, made_run(other), push=True)
        fresh = second(one, "fresh")
        kept = made_run(fresh)
        archived(fresh, kept, branch="anew")
        fresh.git("push", "--quiet", "--force", "origin", "anew:reports")
        return one, other, kept

    def test_is_said_and_nothing_changes(self, desks: tuple[Desk, Desk, str]) -> None:
        _, other, kept = desks
        mine = made_run(other)
        archived(other, mine)
        before = other.git("rev-parse", "reports")
        for _ in range(2):
            with pytest.raises(ConflictError) as caught:
                archived(other, mine, push=True)
            assert caught.value.kind == "branch-moved"
            assert "2 runs that had been there are gone, 1 run of this" in caught.value.message
            assert "--rejoin" in caught.value.hint
        assert other.git("rev-parse", "reports") == before
        assert on_remote(other) == {kept}

    def test_also_after_a_fetch(self, desks: tuple[Desk, Desk, str]) -> None:
        _, other, kept = desks
        other.git("fetch", "--quiet", "--force", "origin", "+reports:refs/remotes/origin/reports")
        with pytest.raises(ConflictError, match="anew"):
            archived(other, made_run(other), push=True)
        assert on_remote(other) == {kept}

    def test_rejoin_puts_what_was_only_here_on_it(self, desks: tuple[Desk, Desk, str]) -> None:
        _, other, kept = desks
        mine = made_run(other)
        archived(other, mine)
        before = other.git("rev-parse", "reports")
        archived(other, push=True, rejoin=True)
        assert on_remote(other) == {kept, mine} == there(other.folder)
        names = other.git("for-each-ref", "--format=%(objectname)", "refs/octavo/archive-before")
        assert names == before
        later = made_run(other)
        archived(other, later, push=True)
        assert on_remote(other) == {kept, mine, later}


def test_a_branch_with_other_work_is_left_alone(tmp_path: Path) -> None:
    desk = start(tmp_path)
    run = made_run(desk)
    before = desk.git("rev-parse", "main")
    desk.git("branch", "executions")
    for name, said in (("main", "checked out"), ("executions", "no archive")):
        with pytest.raises(ConflictError, match=said) as caught:
            archived(desk, run, branch=name)
        assert caught.value.kind == "branch-exists"
    assert desk.git("rev-parse", "main", "executions").split() == [before, before]


def test_a_push_that_the_remote_refuses(tmp_path: Path) -> None:
    desk = start(tmp_path)
    hook = tmp_path / "origin.git" / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho not on a Monday\nexit 1\n")
    hook.chmod(0o755)
    run = made_run(desk)
    with pytest.raises(ConflictError) as caught:
        archived(desk, run, push=True)
    assert caught.value.kind == "push-rejected"
    assert there(desk.folder) == {run}
    hook.unlink()
    archived(desk, run, push=True)
    assert on_remote(desk) == {run}


def test_a_remote_that_is_away(tmp_path: Path) -> None:
    desk = start(tmp_path, "archive_push = true\n")
    first, then = made_run(desk), made_run(desk)
    (tmp_path / "origin.git").rename(tmp_path / "away.git")
    with pytest.raises(OctavoError) as caught:
        archived(desk, first, push=True)
    assert caught.value.kind == "git"
    assert there(desk.folder) == {first}
    said: list[str] = []
    context = desk.context()
    context.emit = lambda event: said.append(event.text) if isinstance(event, Said) else None
    run = RunDir(next(desk.folder.glob(f".octavo/runs/*/{then}")))
    after_run([result(run.record())], context)
    assert ["archived on reports, but not pushed" in each for each in said] == [True]
    (tmp_path / "away.git").rename(tmp_path / "origin.git")
    archived(desk, then, push=True)
    assert on_remote(desk) == {first, then}


def test_a_hook_of_ones_own_is_asked_once(tmp_path: Path) -> None:
    desk = start(tmp_path)
    hook = desk.folder / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho asked >> '{tmp_path}/asked'\necho later >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(ConflictError, match="later"):
        archived(desk, made_run(desk), push=True)
    assert (tmp_path / "asked").read_text() == "asked\n"


def test_no_remote(tmp_path: Path) -> None:
    desk = start(tmp_path)
    desk.git("remote", "remove", "origin")
    run = made_run(desk)
    archived(desk, run)
    with pytest.raises(Exception, match="no remote") as caught:
        archived(desk, run, push=True)
    assert getattr(caught.value, "kind", "") == "no-remote"


def test_a_shallow_detached_checkout_of_a_nobody(tmp_path: Path) -> None:
    """As CI has it: one commit, no branch, and git knows no name."""
    desk = start(tmp_path)
    first = made_run(desk)
    archived(desk, first, push=True)
    for _ in range(3):
        archived(desk, made_run(desk), push=True)
    folder = tmp_path / "ci"
    folder.mkdir()
    git(folder, "init", "--quiet")
    git(folder, "remote", "add", "origin", f"file://{tmp_path}/origin.git")
    git(folder, "fetch", "--quiet", "--depth=1", "origin", "main")
    git(folder, "checkout", "--quiet", "--detach", "FETCH_HEAD")
    job = Desk(folder)
    nobody = {k: v for k, v in job.environ.items() if not k.startswith("GIT_")}
    job.environ = {**nobody, "GIT_CONFIG_NOSYSTEM": "1", "EMAIL": ""}
    for _ in range(2):
        run = made_run(job)
        archived(job, run, push=True)
        assert run in on_remote(desk)
    assert len(on_remote(desk)) == 6
    # Of the history of the archive only the end was fetched.
    assert job.git("rev-list", "--count", "reports") == "3"


def test_a_runner_whose_checkout_stays_between_its_jobs(tmp_path: Path) -> None:
    """The workflow makes the remote anew, and with it goes what was known of its branches."""
    desk = start(tmp_path)
    archived(desk, made_run(desk), push=True)
    folder = tmp_path / "ci"
    folder.mkdir()
    git(folder, "init", "--quiet")
    git(folder, "remote", "add", "origin", f"file://{tmp_path}/origin.git")
    for _ in range(3):
        git(folder, "remote", "remove", "origin")
        git(folder, "remote", "add", "origin", f"file://{tmp_path}/origin.git")
        git(folder, "fetch", "--quiet", "--depth=1", "origin", "main")
        git(folder, "checkout", "--quiet", "--detach", "FETCH_HEAD")
        archived(Desk(folder), made_run(Desk(folder)), push=True)
        archived(desk, made_run(desk), push=True)
    assert len(on_remote(desk)) == 7


def test_a_history_that_was_cut_short_is_not_taken_for_another(tmp_path: Path) -> None:
    desk = start(tmp_path)
    archived(desk, made_run(desk), push=True)
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{tmp_path}/origin.git", "ci")
    job = Desk(tmp_path / "ci")
    archived(job, made_run(job), push=True)
    for _ in range(2):
        archived(desk, made_run(desk), push=True)
    job.git("fetch", "--quiet", "--depth=1", "origin", "+reports:refs/remotes/origin/reports")
    archived(job, made_run(job), push=True)
    assert len(on_remote(desk)) == 5
