"""The local forge passes what every forge must pass: two clones of a bare repository."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from git_repositories import ENVIRON, cloned, git
from octavo.forges.conformance import SUITE, Check
from octavo.forges.local import LocalForge, Protection
from octavo.forges.port import Comment, Forge
from octavo.git.remotes import remote_of
from octavo.git.repository import Repository

BOB = {
    **ENVIRON,
    "GIT_AUTHOR_NAME": "Bob",
    "GIT_AUTHOR_EMAIL": "bob@example.org",
    "GIT_COMMITTER_NAME": "Bob",
    "GIT_COMMITTER_EMAIL": "bob@example.org",
}


class TwoClones:
    """Ada proposes from one clone, Bob reviews from another."""

    base = "main"

    def __init__(self, folder: Path) -> None:
        self.clone = cloned(folder)
        self._folder = folder
        self._origin = folder / "origin.git"
        git(folder, "clone", "--quiet", "origin.git", "bob")
        bobs = Repository.around(folder / "bob", BOB)
        self._ada = LocalForge(self.clone, remote_of(self.clone.git))
        self._bob = LocalForge(bobs, remote_of(bobs.git))
        self.forge: Forge = self._ada
        self.other: Forge = self._bob

    def protect(self, *, approvals: int = 0, statuses: Sequence[str] = ()) -> None:
        self._ada.protection = self._bob.protection = Protection(approvals, tuple(statuses))

    def written(self) -> object:
        return git(self._origin, "for-each-ref"), git(self.clone.top, "for-each-ref", "refs/octavo")

    def fetch(self, address: str) -> bytes:
        for proposal in self._bob.proposals("all"):
            place = self._bob.export(proposal.number, self._folder / f"read-{proposal.number}")
            if (place.parent / address).exists():
                return (place.parent / address).read_bytes()
        raise AssertionError(address)

    def resolve(self, number: int, comment: Comment) -> None:
        self._bob.resolve(number, comment.thread)

    def remark_on_old(self, number: int, path: str, line: int, body: str) -> None:
        self._bob.comment(number, body, path=path, line=line, old=True)


@pytest.mark.parametrize("check", SUITE, ids=lambda check: f"{check.room}-{check.name}")
def test_it_does_what_every_forge_does(check: Check, tmp_path: Path) -> None:
    check.drive(TwoClones(tmp_path))
