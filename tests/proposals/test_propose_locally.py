"""`octavo propose` in a repository that is its own forge."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from git_repositories import commit_files, git
from octavo.errors import ConflictError, NotebookFailed, UsageError
from octavo.proposals.body import BEGIN, END
from proposals.desks import BROKEN, EDITED, NAME, NOTEBOOK, Desk, start

pytestmark = pytest.mark.kernel

#: Two images of one pixel: black, and white.
PIXELS = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTQHLwAAAABJRU5ErkJggg==",
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return start(tmp_path)


def test_a_change_is_committed_pushed_run_and_offered(desk: Desk) -> None:
    desk.write(EDITED)
    before = desk.git("rev-parse", "HEAD")
    result = desk.propose(message="Count better\n\nand why", issue=155)
    shown = result.proposal
    assert (shown.branch, shown.base, shown.title) == ("agent/health", "main", "Count better")
    assert (result.opened, result.committed, shown.state) == (True, True, "open")
    assert (
        desk.git("rev-parse", "HEAD") == before and desk.git("branch", "--show-current") == "main"
    )
    assert git(desk.folder.parent / "origin.git", "rev-parse", "agent/health") == result.commit
    assert desk.git("show", f"agent/health:{NAME}") == EDITED.rstrip("\n")
    assert desk.git("diff", "--name-only", "main", "agent/health").split() == [
        "notebooks/health.ipynb",
        NAME,
    ]
    assert desk.git("log", "-1", "--format=%B", "agent/health").strip() == (
        "Count better\n\nand why\n\nRefs #155"
    )
    for told in ("health_score", "0.9 → **1**", "healthy = hosts - hosts // 20", "Refs #155"):
        assert told in shown.body
    [status] = desk.forge.statuses(result.commit)
    assert (status.context, status.state) == ("octavo/run", "success")
    assert desk.leftovers() == []


def test_the_committed_ipynb_has_no_outputs_and_is_in_step(desk: Desk) -> None:
    desk.write(EDITED)
    result = desk.propose(message="x")
    made = json.loads(desk.git("show", f"{result.commit}:notebooks/health.ipynb"))
    code = [cell for cell in made["cells"] if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)
    assert any("hosts // 20" in "".join(cell["source"]) for cell in code)


def test_proposing_again_brings_it_up_to_date(desk: Desk) -> None:
    desk.write(EDITED)
    first = desk.propose(message="Count better")
    again = desk.propose(message="Count better")
    assert (again.opened, again.committed, again.commit) == (False, False, first.commit)
    assert again.proposal == first.proposal
    desk.forge.update(first.proposal.number, body=f"By hand.\n\n{first.proposal.body}\nBelow.\n")
    desk.write(EDITED.replace("// 20", "// 5"))
    second = desk.propose(message="And better still")
    shown = second.proposal
    assert (second.opened, second.committed, shown.number) == (False, True, first.proposal.number)
    assert shown.title == "Count better"
    assert shown.body.startswith("By hand.") and shown.body.rstrip().endswith("Below.")
    assert shown.body.count(BEGIN) == shown.body.count(END) == 1
    assert "**0.8**" in shown.body and "**1**" not in shown.body
    assert desk.git("rev-parse", f"{second.commit}^") == first.commit
    assert len(desk.forge.proposals("all")) == 1


def test_a_notebook_that_fails_is_not_proposed(desk: Desk) -> None:
    desk.write(BROKEN)
    with pytest.raises(NotebookFailed) as caught:
        desk.propose(message="x")
    assert "AssertionError: too few" in str(caught.value) and "--draft" in caught.value.hint
    assert caught.value.place == f"{NAME}:15"
    assert desk.forge.proposals("all") == () and "agent/health" not in desk.git("branch", "-a")
    result = desk.propose(message="x", draft=True)
    assert result.proposal.draft and "❌" in result.proposal.body
    [status] = desk.forge.statuses(result.commit)
    assert status.state == "failure"


def test_a_run_that_fits_is_used_again(desk: Desk) -> None:
    from octavo.runs.operation import run
    from octavo.runs.request import RunRequest

    desk.write(EDITED)
    [ran] = desk.do(run, RunRequest(paths=(NAME,))).results
    result = desk.propose(message="x")
    assert result.facts.after and result.facts.after.record
    assert result.facts.after.reused and result.facts.after.record.run_id == ran.run_id
    assert result.facts.before and not result.facts.before.reused
    again = desk.propose(message="x", parameters=(("hosts", "40"),))
    assert again.facts.after and not again.facts.after.reused


def test_a_run_in_other_surroundings_is_not(desk: Desk) -> None:
    from octavo.runs.operation import run
    from octavo.runs.request import RunRequest

    commit_files(desk.folder, {"helper.py": "x = 1\n"})
    desk.git("push", "--quiet")
    desk.write(EDITED)
    desk.write("x = 2\n", "helper.py")
    desk.do(run, RunRequest(paths=(NAME,)))
    result = desk.propose(message="x")
    assert result.facts.after and not result.facts.after.reused
    assert result.left_alone == ("helper.py",)


def test_a_run_among_files_that_git_does_not_know_is_not(desk: Desk) -> None:
    """It may have used them, and nobody else has them."""
    from octavo.runs.operation import run
    from octavo.runs.request import RunRequest

    desk.write("x = 2\n", "notebooks/extra.py")
    desk.write(EDITED + "\n# %%\nimport extra\n")
    [ran] = desk.do(run, RunRequest(paths=(NAME,))).results
    assert ran.status == "success"
    with pytest.raises(NotebookFailed, match="No module named 'extra'"):
        desk.propose(message="x")
    taken = desk.propose(message="x", also=("notebooks/extra.py",))
    assert taken.facts.after and not taken.facts.after.reused
    desk.write("1\n", "notes.txt")
    again = desk.propose(message="x", also=("notebooks/extra.py",))
    assert again.facts.after and again.facts.after.reused


def test_a_notebook_with_another_name_is_compared_with_the_old_one(desk: Desk) -> None:
    for suffix in ("py", "ipynb"):
        desk.git("mv", f"notebooks/health.{suffix}", f"notebooks/vigour.{suffix}")
    gone = ("notebooks/health.py", "notebooks/health.ipynb")
    result = desk.propose("notebooks/vigour.py", message="x", also=gone)
    assert result.facts.before and result.facts.before.ok
    assert "### `notebooks/vigour.py`, formerly `notebooks/health.py`" in result.proposal.body
    assert "cells added" not in result.proposal.body and result.left_alone == ()
    changes = desk.git("diff", "--name-status", "-M", "main", result.commit).splitlines()
    assert [line[0] for line in changes] == ["R", "R"]


def test_a_new_notebook_has_no_run_before(desk: Desk) -> None:
    desk.write(NOTEBOOK, "notebooks/new one's.py")
    result = desk.propose("notebooks/new one's.py", message="New")
    assert result.proposal.branch == "agent/new-one-s"
    assert result.facts.before is None and "health_score" in result.proposal.body


def test_figures_that_changed_are_shown_side_by_side(desk: Desk, tmp_path: Path) -> None:
    drawing = "\n# %%\nfrom IPython.display import Image\n\nImage(PIXEL[hosts // 100])\n"
    known = "# %% pixels\nimport base64\n\nPIXEL = [base64.b64decode(x) for x in PIXELS]\n"
    text = NOTEBOOK + f"\n{known.replace('PIXELS', repr(list(PIXELS)))}{drawing}"
    commit_files(desk.folder, {NAME: text})
    desk.git("push", "--quiet")
    desk.write(text.replace("hosts // 100", "1 + hosts // 100"))
    result = desk.propose(message="x")
    [figure] = result.facts.figures
    assert figure.before and figure.after
    shown = desk.review(result.proposal.number, export=str(tmp_path / "out"))
    body = Path(str(shown.exported)).read_text()
    found = re.findall(r"!\[(before|after)\]\((files/[^)]+)\)", body)
    assert [label for label, _ in found] == ["before", "after"]
    contents = [(tmp_path / "out" / path).read_bytes() for _, path in found]
    assert contents == [figure.before.content, figure.after.content]


def test_a_secret_parameter_is_not_in_the_text(desk: Desk) -> None:
    text = NOTEBOOK.replace("hosts: int = 10", 'api_token: str = ""\nhosts: int = 10')
    desk.write(text)
    given = (("api_token", "hunter2-hunter2"), ("hosts", "20"))
    result = desk.propose(message="x", parameters=given)
    assert "hunter2" not in result.proposal.body and "hunter2" not in str(result.to_json())
    assert "-p hosts 20" in result.proposal.body and "-p api_token" in result.proposal.body


def test_nothing_changed_is_said(desk: Desk) -> None:
    with pytest.raises(UsageError) as caught:
        desk.propose(message="x")
    assert caught.value.kind == "nothing-to-propose"


def test_on_a_branch_of_its_own_the_commit_goes_there(desk: Desk) -> None:
    desk.git("checkout", "--quiet", "-b", "feature")
    commit_files(desk.folder, {"helper.py": "x = 1\n"})
    desk.write(EDITED)
    (desk.folder / "other.txt").write_text("staged\n")
    desk.git("add", "other.txt")
    result = desk.propose(message="x")
    assert result.proposal.branch == "feature"
    assert desk.git("rev-parse", "HEAD") == result.commit
    assert desk.git("status", "--porcelain") == "A  other.txt"
    assert "helper.py" in desk.git("diff", "--name-only", "main", "feature")


def test_other_files_come_along_when_asked(desk: Desk) -> None:
    commit_files(desk.folder, {"gone.txt": "x\n"})
    desk.git("push", "--quiet")
    desk.write(EDITED)
    desk.write("1\n", "data/hosts.csv")
    (desk.folder / "gone.txt").unlink()
    result = desk.propose(message="x", also=("data/hosts.csv", "gone.txt"))
    names = desk.git("diff", "--name-status", "main", "agent/health").splitlines()
    assert "A\tdata/hosts.csv" in names and "D\tgone.txt" in names
    assert "data/hosts.csv" in result.proposal.body and result.left_alone == ()


def test_a_detached_head_needs_a_branch(desk: Desk) -> None:
    desk.git("checkout", "--quiet", "--detach")
    desk.write(EDITED)
    with pytest.raises(UsageError) as caught:
        desk.propose(message="x")
    assert caught.value.kind == "detached-head" and "--branch agent/health" in caught.value.hint
    assert desk.propose(message="x", branch="agent/it").proposal.branch == "agent/it"


def test_a_branch_that_was_made_elsewhere_is_left_alone(desk: Desk, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "origin.git", "other")
    other = Desk(tmp_path / "other", "ben")
    other.write(EDITED)
    other.propose(message="theirs")
    desk.write(EDITED.replace("20", "30"))
    with pytest.raises(ConflictError) as caught:
        desk.propose(message="mine")
    assert caught.value.kind == "branch-exists" and "--branch" in caught.value.hint
    assert desk.propose(message="mine", branch="agent/mine").proposal.number == 2


def test_commits_that_are_not_here_are_not_overwritten(desk: Desk, tmp_path: Path) -> None:
    desk.write(EDITED)
    desk.propose(message="first")
    git(tmp_path, "clone", "--quiet", "-b", "agent/health", "origin.git", "other")
    commit_files(tmp_path / "other", {NAME: EDITED + "\n# %%\n1\n"}, "by a reviewer")
    git(tmp_path / "other", "push", "--quiet")
    desk.write(EDITED.replace("20", "30"))
    with pytest.raises(ConflictError) as caught:
        desk.propose(message="second")
    assert caught.value.kind == "push-rejected" and "git pull" in caught.value.hint
    shown = git(tmp_path / "origin.git", "log", "-1", "--format=%s", "agent/health")
    assert shown == "by a reviewer"


def test_after_a_merge_the_next_change_starts_anew(desk: Desk) -> None:
    desk.write(EDITED)
    first = desk.propose(message="first")
    desk.merge(first.proposal.number, method="squash")
    desk.git("checkout", "--quiet", NAME, "notebooks")
    desk.git("pull", "--quiet")
    assert desk.notebook.read_text() == EDITED
    desk.write(EDITED.replace("20", "30"))
    second = desk.propose(message="second")
    assert second.proposal.number == 2
    assert desk.git("rev-parse", f"{second.commit}^") == desk.git("rev-parse", "main")


def test_both_files_changed_differently(desk: Desk) -> None:
    path = desk.folder / "notebooks" / "health.ipynb"
    document = json.loads(path.read_text())
    document["cells"][2]["source"] = ["healthy = 5\n"]
    path.write_text(json.dumps(document))
    desk.write(EDITED)
    with pytest.raises(ConflictError) as caught:
        desk.propose(message="x")
    assert caught.value.kind == "conflict"
    assert desk.notebook.read_text() == EDITED and desk.forge.proposals("all") == ()


@pytest.mark.parametrize("name", ["a b.py", "-x.py", "quo'te\".py", "übung 1.py"])
def test_names_of_all_kinds(desk: Desk, name: str) -> None:
    desk.write(EDITED, name)
    path = name if not name.startswith("-") else f"./{name}"
    result = desk.propose(path, message="x")
    assert desk.git("show", f"{result.commit}:{name}") == EDITED.rstrip("\n")
    assert desk.leftovers() == []
