"""Which branch a change goes to, when there are others in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_repositories import commit_files, git
from octavo.errors import OctavoError
from proposals.desks import EDITED, NAME, NOTEBOOK, Desk, start

pytestmark = pytest.mark.kernel
TWIN = NAME.replace(".py", ".ipynb")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = start(tmp_path)
    made.write(EDITED)
    return made


def refused(desk: Desk, path: str = NAME, **asked: object) -> OctavoError:
    with pytest.raises(OctavoError) as caught:
        desk.propose(path, message="x", **asked)
    assert caught.value.hint and caught.value.place
    return caught.value


@pytest.mark.parametrize("other", ["agent", "agent/health/more"])
def test_a_branch_that_leaves_no_room_for_ours(desk: Desk, other: str) -> None:
    desk.git("branch", other)
    error = refused(desk)
    assert error.kind == "branch-exists" and error.place == other and "--branch" in error.hint
    assert not (desk.folder / ".octavo" / "runs").exists()


def test_a_branch_there_that_leaves_no_room_for_ours(desk: Desk) -> None:
    desk.git("push", "--quiet", "origin", "main:refs/heads/agent/health/more")
    error = refused(desk)
    assert error.kind == "branch-exists" and error.place == "agent/health/more"


def test_two_notebooks_of_one_name_are_two_proposals(desk: Desk) -> None:
    desk.propose(message="x")
    desk.write(NOTEBOOK, "elsewhere/health.py")
    error = refused(desk, "elsewhere/health.py")
    assert error.kind == "branch-exists" and "--branch agent/elsewhere-health" in error.hint
    second = desk.propose("elsewhere/health.py", message="y", branch="agent/elsewhere-health")
    assert second.proposal.number == 2
    assert desk.git("diff", "--name-only", "main", "agent/health").split() == [TWIN, NAME]


def test_edits_that_were_committed_to_the_branch_are_not_undone(desk: Desk) -> None:
    """Work on the branch that the file in the work tree does not have."""
    first = desk.propose(message="x")
    desk.git("checkout", "--quiet", "--force", "agent/health")
    commit_files(desk.folder, {NAME: EDITED + "\n# %% more\n1\n"}, "by hand")
    desk.git("push", "--quiet", "origin", "agent/health")
    desk.git("checkout", "--quiet", "main")
    desk.write(EDITED.replace("20", "30"))
    error = refused(desk)
    assert error.kind == "branch-exists" and "git switch agent/health" in error.hint
    assert desk.git("log", "--format=%s", "main..agent/health") == "by hand\nx"
    desk.git("checkout", "--quiet", "--force", "agent/health")
    desk.write(desk.notebook.read_text().replace("20", "30"))
    again = desk.propose(message="y")
    assert again.proposal.number == first.proposal.number and "more" in again.proposal.body


def test_a_merged_branch_that_was_kept_is_not_built_on(desk: Desk, tmp_path: Path) -> None:
    """Else everything that was merged by squashing would be proposed, and conflict, again."""
    first = desk.propose(message="first")
    desk.merge(first.proposal.number, method="squash", keep_branch=True)
    desk.git("checkout", "--quiet", "--force", "main")
    desk.git("pull", "--quiet")
    desk.write(EDITED.replace("20", "30"))
    second = desk.propose(message="second")
    assert (second.proposal.number, second.opened) == (2, True)
    assert desk.git("log", "--format=%s", "main..agent/health") == "second"
    assert git(tmp_path / "origin.git", "rev-parse", "agent/health") == second.commit
    assert desk.forge.mergeable(2).allowed


def test_a_merged_branch_on_which_one_works_goes_on(desk: Desk) -> None:
    desk.git("checkout", "--quiet", "-b", "feature")
    commit_files(desk.folder, {"helper.py": "x = 1\n"})
    first = desk.propose(message="first")
    desk.merge(first.proposal.number, method="squash")
    desk.write(EDITED.replace("20", "30"))
    second = desk.propose(message="second")
    assert desk.git("rev-parse", f"{second.commit}^") == first.commit
    assert desk.git("status", "--porcelain") == ""


def test_commits_for_the_branch_that_is_checked_out_are_pulled_first(
    desk: Desk, tmp_path: Path
) -> None:
    """Moving the branch alone would make a reviewer's files look as if one had undone them."""
    desk.git("checkout", "--quiet", "-b", "feature")
    desk.propose(message="first")
    git(tmp_path, "clone", "--quiet", "-b", "feature", "origin.git", "ben")
    commit_files(tmp_path / "ben", {"helper.py": "x = 1\n"}, "by a reviewer")
    git(tmp_path / "ben", "push", "--quiet")
    desk.write(EDITED.replace("20", "30"))
    error = refused(desk)
    assert error.kind == "push-rejected" and "git pull" in error.hint
    desk.git("branch", "--quiet", "--set-upstream-to=origin/feature")
    desk.git("stash", "--quiet")
    desk.git("pull", "--quiet")
    desk.git("stash", "pop", "--quiet")
    assert desk.propose(message="second").committed
    assert desk.git("status", "--porcelain") == ""
