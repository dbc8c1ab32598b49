"""Local forges for tests: people with names, in one repository or in clones of a bare one."""

from __future__ import annotations

from pathlib import Path

from git_repositories import ENVIRON, cloned, commit_files, git, repository
from octavo.forges.local import LocalForge, Protection
from octavo.forges.port import Proposal
from octavo.git.remotes import remote_of
from octavo.git.repository import Repository


def environ(name: str) -> dict[str, str]:
    """The variables of somebody by whose name git commits."""
    address = f"{name.lower()}@example.org"
    return {
        **ENVIRON,
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": address,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": address,
    }


def forge_in(folder: Path, name: str = "Ada", protection: Protection | None = None) -> LocalForge:
    """The forge of a repository, with its remote when it has one."""
    here = Repository.around(folder, environ(name))
    return LocalForge(here, remote_of(here.git), protection=protection or Protection())


def alone(folder: Path) -> Path:
    """A repository without a remote: `main` is checked out, `agent/x` has one commit more."""
    top = repository(folder / "alone", {"README.md": "a repository\n"}).top
    branch(top, "agent/x", {"notes.txt": "one\ntwo\nthree\n"})
    return top


def two_clones(folder: Path) -> tuple[Path, Path]:
    """Two clones of a bare repository, which has a branch `agent/x`."""
    ada = cloned(folder).top
    branch(ada, "agent/x", {"notes.txt": "one\ntwo\nthree\n"})
    git(ada, "push", "--quiet", "origin", "agent/x")
    git(folder, "clone", "--quiet", "origin.git", "bob")
    return ada, folder / "bob"


def branch(top: Path, name: str, files: dict[str, str], start: str = "main") -> str:
    """Commit files on a branch, and go back to where we were; the commit."""
    before = git(top, "rev-parse", "--abbrev-ref", "HEAD")
    known = git(top, "branch", "--list", name)
    git(top, "checkout", "--quiet", *([name] if known else ["-b", name, start]))
    commit = commit_files(top, files, f"files of {name}")
    git(top, "checkout", "--quiet", before)
    return commit


def proposed(forge: LocalForge, name: str = "agent/x") -> Proposal:
    """A proposal of a branch."""
    return forge.open(name, "main", f"Title of {name}", "A body.\n", draft=False)


def cut_off(top: Path) -> None:
    """Make the remote of a clone one that does not answer."""
    git(top, "remote", "set-url", "origin", str(top.parent / "nowhere.git"))


def reconnect(top: Path) -> None:
    """Give the clone its remote back."""
    git(top, "remote", "set-url", "origin", str(top.parent / "origin.git"))
