"""Commits without an index or a checkout."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from git_repositories import ENVIRON, git, repository
from octavo.errors import ConflictError, UsageError
from octavo.git.objects import ABSENT, delete_ref, move_ref, write_commit, write_tree
from octavo.git.repository import Repository


def test_a_commit_changes_only_what_it_names(tmp_path: Path) -> None:
    made = repository(tmp_path, {"a.py": "1\n", "b.sh": "2\n", "c": "3\n"})
    git(tmp_path, "update-index", "--chmod=+x", "b.sh")
    git(tmp_path, "commit", "--quiet", "-m", "mode")
    (tmp_path / "a.py").write_text("a person's edit\n")
    git(tmp_path, "add", "a.py")
    before = git(tmp_path, "status", "--porcelain=v2", "--branch")
    files = {"b.sh": b"22\n", "c": None, "-d 'é'.py": b"4\n", "e/f.py": b"5\n"}
    tree = write_tree(made.git, "HEAD", files)
    commit = write_commit(made.git, tree, (str(made.head()),), "a change\n\nand why")
    move_ref(made.git, "refs/heads/agent/x", commit, ABSENT)
    assert git(tmp_path, "status", "--porcelain=v2", "--branch") == before
    listed = git(tmp_path, "ls-tree", "-r", "-z", "agent/x").split("\0")
    assert [line.split()[0] + line.split("\t")[1] for line in listed if line] == [
        "100644-d 'é'.py",
        "100644a.py",
        "100755b.sh",
        "100644e/f.py",
    ]
    assert made.read("agent/x", "a.py") == b"1\n"
    assert git(tmp_path, "log", "-1", "--format=%B", "agent/x") == "a change\n\nand why"


def test_a_ref_moves_only_from_where_it_was_seen(tmp_path: Path) -> None:
    made = repository(tmp_path)
    head = str(made.head())
    move_ref(made.git, "refs/heads/x", head, ABSENT)
    with pytest.raises(ConflictError) as caught:
        move_ref(made.git, "refs/heads/x", head, ABSENT)
    assert caught.value.kind == "branch-moved"
    delete_ref(made.git, "refs/heads/x", head)
    delete_ref(made.git, "refs/heads/x", head)
    assert made.branches() == ["main"]


def test_of_many_who_move_a_ref_one_wins(tmp_path: Path) -> None:
    made = repository(tmp_path)
    head = str(made.head())
    commits = [write_commit(made.git, f"{head}^{{tree}}", (head,), f"c{n}") for n in range(4)]
    won: list[str] = []

    def move(commit: str) -> None:
        try:
            move_ref(made.git, "refs/heads/x", commit, ABSENT)
            won.append(commit)
        except ConflictError:
            pass

    threads = [threading.Thread(target=move, args=(commit,)) for commit in commits]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert won == [made.commit("x")]


def test_nobody_commits(tmp_path: Path) -> None:
    made = repository(tmp_path)
    anonymous = {name: ENVIRON[name] for name in ("PATH", "HOME", "GIT_CONFIG_NOSYSTEM")}
    anonymous["EMAIL"] = ""
    git(tmp_path, "config", "user.useConfigOnly", "true")
    here = Repository.around(tmp_path, anonymous)
    with pytest.raises(UsageError, match="who commits") as caught:
        write_commit(here.git, "HEAD^{tree}", (str(made.head()),), "x")
    assert "git config" in caught.value.hint
