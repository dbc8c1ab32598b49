"""Checkouts for a while: they leave nothing, also when their process is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from git_repositories import ENVIRON, commit_files, git, repository
from octavo.git.worktrees import remove_abandoned, worktree

HELD = """
import os, sys, signal
from octavo.git.repository import Repository
from octavo.git.worktrees import worktree
with worktree(Repository.around(sys.argv[1], dict(os.environ)), "HEAD") as files:
    print(files, flush=True)
    signal.pause()
"""


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in (folder / "octavo" / "worktrees").iterdir() if path.is_dir()]


def test_files_of_a_commit_for_a_while(tmp_path: Path) -> None:
    made = repository(tmp_path / "repo", {"x.py": "1\n"})
    first = str(made.head())
    commit_files(made.top, {"x.py": "2\n"})
    with worktree(made, first) as files:
        assert (files / "x.py").read_text() == "1\n" and files.name == "repo"
        assert made.branch() == "main" and made.dirty() == []
    assert not files.exists() and leftovers(made.folder) == []
    assert len(git(made.top, "worktree", "list").splitlines()) == 1


def test_what_does_not_exist_leaves_nothing(tmp_path: Path) -> None:
    made = repository(tmp_path)
    with pytest.raises(Exception, match="worktree"), worktree(made, "nowhere"):
        pass
    assert leftovers(made.folder) == []


def test_a_killed_process_is_cleaned_up_after(tmp_path: Path) -> None:
    made = repository(tmp_path)
    environ = {**ENVIRON, "PYTHONPATH": os.pathsep.join(sys.path)}
    dead, alive = (
        subprocess.Popen(
            [sys.executable, "-c", HELD, str(tmp_path)],
            env=environ,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    )
    assert dead.stdout and alive.stdout
    gone, kept = (Path(process.stdout.readline().strip()) for process in (dead, alive))
    dead.send_signal(signal.SIGKILL)
    dead.communicate()
    remove_abandoned(made)
    assert not gone.exists() and kept.exists()
    alive.send_signal(signal.SIGINT)
    alive.communicate()
    assert leftovers(made.folder) == []
    assert len(git(made.top, "worktree", "list").splitlines()) == 1
