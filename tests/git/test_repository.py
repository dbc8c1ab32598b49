"""Facts of real repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_repositories import ENVIRON, cloned, commit_files, git, repository
from octavo.errors import UsageError
from octavo.git.program import Git, GitFailed
from octavo.git.repository import Repository


@pytest.mark.parametrize("name", ["a repo", "two\nlines"])
def test_a_repository_is_found_from_within(tmp_path: Path, name: str) -> None:
    made = repository(tmp_path / name, {"notebooks/x.py": "# %%\n"})
    found = Repository.around(tmp_path / name / "notebooks", ENVIRON)
    assert found.top == made.top == tmp_path / name
    assert found.folder == tmp_path / name / ".git"
    assert found.name_of(found.top / "notebooks" / "new.py") == "notebooks/new.py"


def test_outside_of_a_repository_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        Repository.around(tmp_path, ENVIRON)
    assert (caught.value.kind, caught.value.place) == ("not-a-repository", str(tmp_path))
    with pytest.raises(UsageError, match="is not in the repository"):
        repository(tmp_path / "here").name_of(tmp_path / "elsewhere.py")


def test_a_bare_repository_is_told_apart(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "bare.git")
    with pytest.raises(UsageError, match="bare"):
        Repository.around(tmp_path / "bare.git", ENVIRON)


def test_head_branch_and_files(tmp_path: Path) -> None:
    made = repository(tmp_path, {"é 'x'.py": "1\n"})
    assert made.branch() == "main"
    assert made.head() == made.commit("main") == git(tmp_path, "rev-parse", "HEAD")
    assert made.commit("nowhere") is None and made.commit("--all") is None
    assert made.read("HEAD", "é 'x'.py") == b"1\n" and made.read("HEAD", "y.py") is None
    (tmp_path / "é 'x'.py").write_text("2\n")
    (tmp_path / "new.py").write_text("3\n")
    assert sorted(made.dirty()) == ["new.py", "é 'x'.py"] and made.dirty("new.py") == ["new.py"]
    git(tmp_path, "checkout", "--quiet", "--detach")
    assert made.branch() is None


def test_an_empty_repository_has_no_head(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    made = Repository.around(tmp_path, ENVIRON)
    assert made.head() is None and made.branch() == "main"


def test_the_default_branch_is_that_of_the_remote(tmp_path: Path) -> None:
    work = cloned(tmp_path)
    git(work.top, "checkout", "--quiet", "-b", "other")
    assert work.default_branch("origin") == work.default_branch() == "main"
    git(work.top, "branch", "-m", "main", "trunk")
    assert work.default_branch("origin") == "main"


def test_a_worktree_shares_the_folder_of_its_repository(tmp_path: Path) -> None:
    made = repository(tmp_path / "one")
    git(made.top, "worktree", "add", "--quiet", str(tmp_path / "two"))
    other = Repository.around(tmp_path / "two", ENVIRON)
    assert (other.top, other.folder) == (tmp_path / "two", made.folder)


def test_the_variables_of_a_hook_do_not_mislead_it(tmp_path: Path) -> None:
    made, other = repository(tmp_path / "one"), repository(tmp_path / "two")
    commit_files(other.top, {"x": "1"})
    hook = {**ENVIRON, "GIT_DIR": str(other.folder), "GIT_INDEX_FILE": str(other.folder / "index")}
    assert Repository.around(made.top, hook).head() == made.head() != other.head()


def test_a_failure_tells_what_git_said_and_no_password(tmp_path: Path) -> None:
    made = repository(tmp_path)
    with pytest.raises(GitFailed) as caught:
        made.git.run("fetch", "http://ada:secret@127.0.0.1:1/x.git")
    assert "127.0.0.1" in str(caught.value)
    assert "secret" not in f"{caught.value} {caught.value.to_json()}"


def test_git_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="the git program is not there") as caught:
        Git(tmp_path, {"PATH": str(tmp_path)}).run("status")
    assert caught.value.hint  # type: ignore[attr-defined]
