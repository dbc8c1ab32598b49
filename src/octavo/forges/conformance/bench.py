"""What a check is given: a forge with a repository of its own, and the means to work on both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from octavo.errors import OctavoError
from octavo.forges.port import Comment, Forge, Proposal
from octavo.git.repository import Repository

README = "README.md"


class Bench(Protocol):
    """A repository made for one check, with one commit on `base` that has a file README.md.

    `forge` is that of who proposes, `other` the same repository for somebody else who may write to
    it. `clone` is a clone of it, checked out at `base`, whose remote `origin` can be pushed to.
    """

    forge: Forge
    other: Forge
    clone: Repository
    base: str

    def protect(self, *, approvals: int = 0, statuses: Sequence[str] = ()) -> None:
        """Ask for approvals, and for statuses of these contexts, before a merge into `base`."""

    def written(self) -> object:
        """A value that becomes another one whenever `forge` writes something."""

    def fetch(self, address: str) -> bytes:
        """What is at the address of an attachment."""

    def resolve(self, number: int, comment: Comment) -> None:
        """Mark the discussion of a comment as resolved."""

    def remark_on_old(self, number: int, path: str, line: int, body: str) -> None:
        """Comment, as `other`, on a line of the base that the proposal takes away."""


def push(bench: Bench, branch: str, files: Mapping[str, str], message: str = "change") -> str:
    """Commit files on a branch, which begins at the base when it is new, and push it."""
    git, start = bench.clone.git, f"origin/{bench.base}"
    git.run("fetch", "--quiet", "--prune", "origin")
    known = bench.clone.commit(f"refs/remotes/origin/{branch}")
    git.run("checkout", "--quiet", "--force", "-B", branch, known or start)
    for name, text in files.items():
        path = bench.clone.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git.run("add", "--all")
    git.run("commit", "--quiet", "--allow-empty", "-m", message)
    git.run("push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")
    return git.text("rev-parse", "HEAD")


def head(bench: Bench, branch: str) -> str | None:
    """The commit that a branch on the forge is at; None when it is not there."""
    there = bench.clone.git.lines("ls-remote", "origin", f"refs/heads/{branch}")
    return there[0].split()[0] if there else None


def content(bench: Bench, branch: str, path: str) -> str | None:
    """A file as it is on a branch of the forge."""
    bench.clone.git.run("fetch", "--quiet", "origin")
    found = bench.clone.read(f"origin/{branch}", path)
    return None if found is None else found.decode()


def parents(bench: Bench, commit: str) -> list[str]:
    """The parents of a commit on the forge."""
    bench.clone.git.run("fetch", "--quiet", "origin")
    return bench.clone.git.text("rev-list", "--parents", "-n", "1", commit).split()[1:]


def message(bench: Bench, commit: str) -> str:
    """The message of a commit on the forge."""
    bench.clone.git.run("fetch", "--quiet", "origin")
    return bench.clone.git.text("log", "-n", "1", "--format=%B", commit)


def proposed(bench: Bench, branch: str = "agent/change", *, draft: bool = False) -> Proposal:
    """A proposal of a branch that adds `notes.txt`, a file of three lines, unless it was pushed."""
    if bench.clone.commit(f"refs/remotes/origin/{branch}") is None:
        push(bench, branch, {"notes.txt": "one\ntwo\nthree\n"})
    return bench.forge.open(branch, bench.base, f"Change of {branch}", "A body.\n", draft=draft)


def more_than_a_page(bench: Bench) -> int:
    """So many items do not fit on one page. A bench whose forge has shorter pages says `page`."""
    return int(getattr(bench, "page", 50)) + 3


def refused(kind: str, call: Callable[[], object]) -> OctavoError:
    """The error of a call that must end in one of that kind, with a hint for the user."""
    try:
        given = call()
    except OctavoError as error:
        assert error.kind == kind, f"{error.kind} instead of {kind}: {error.message}"
        assert error.hint, f"{kind} without a hint"
        return error
    raise AssertionError(f"no {kind}, but {given!r}")
