"""Real repositories for tests: a clone and the bare one that it came from."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from octavo.git.repository import Repository

#: Nothing of the machine's own configuration reaches these repositories.
ENVIRON: Mapping[str, str] = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}


def git(folder: Path, *arguments: str, environ: Mapping[str, str] = ENVIRON) -> str:
    """What git prints in a folder; a failure fails the test with what git said."""
    done = subprocess.run(
        ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *arguments],
        cwd=folder,
        env={**environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stderr}{done.stdout}"
    return done.stdout.rstrip("\n")


def commit_files(folder: Path, files: Mapping[str, str], message: str = "files") -> str:
    """Write files and commit them; the commit."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def repository(folder: Path, files: Mapping[str, str] | None = None) -> Repository:
    """A new repository with one commit."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet")
    commit_files(folder, files or {"README.md": "a repository\n"}, "first")
    return Repository.around(folder, ENVIRON)


def cloned(folder: Path, files: Mapping[str, str] | None = None) -> Repository:
    """A clone in `folder/work` of the bare repository `folder/origin.git`."""
    first = repository(folder / "first", files)
    git(folder, "clone", "--quiet", "--bare", str(first.top), "origin.git")
    git(folder, "clone", "--quiet", "origin.git", "work")
    return Repository.around(folder / "work", ENVIRON)
