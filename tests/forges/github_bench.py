"""A repository on the GitHub of the tests, with its forge for two people and a clone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from forges.github_server import GitHubServer
from forges.github_state import Finding, Protection, User
from git_repositories import ENVIRON
from octavo.forges.github import GitHubForge
from octavo.forges.github.api import GitHubApi, api_address
from octavo.forges.port import Comment, Forge
from octavo.git.credentials import Token
from octavo.git.repository import Repository


@contextmanager
def github(folder: Path) -> Iterator[GitHubBench]:
    """A bench on a server of its own; what does not fit GitHub's description fails the test."""
    server = GitHubServer(folder / "github")
    try:
        yield GitHubBench(server, folder)
        assert not server.mismatches, server.mismatches
    finally:
        server.close()


class GitHubBench:
    """What the suite wants, and what the tests of GitHub need beyond it."""

    forge: Forge
    other: Forge
    base = "main"

    def __init__(self, server: GitHubServer, folder: Path) -> None:
        self.server, self.hub = server, server.hub
        self.page = server.page_limit = 8
        self.ada, self.bob = self.hub.user("ada", admin=True), self.hub.user("bob")
        self.hosted = self.hub.repository("ada", "notes")
        self.waits: list[float] = []
        self.github = self.of(self.ada)
        self.forge, self.other = self.github, self.of(self.bob)
        clone = server.clone(self.hosted, self.ada, folder / "work")
        self.clone = Repository.around(clone, ENVIRON)

    def of(self, user: User | None, *, timeout: float = 30.0, now: float = 0.0) -> GitHubForge:
        """The forge as a user has it; waiting is noted and takes no time."""
        token = Token(user.token, "GH_TOKEN") if user else None
        address = api_address(self.server.address)
        wait = self.waits.append
        api = GitHubApi(address, token, timeout=timeout, wait=wait, now=lambda: now)
        return GitHubForge(self.server.address, "ada", "notes", token, api=api)

    def protect(self, *, approvals: int = 0, statuses: Sequence[str] = ()) -> None:
        self.hosted.protection[self.base] = Protection(approvals, tuple(statuses))

    def written(self) -> object:
        return self.hub.writes

    def fetch(self, address: str) -> bytes:
        with urlopen(address, timeout=10) as response:
            found: bytes = response.read()
        return found

    def finding(self, number: int, comment: Comment) -> Finding:
        """A comment as the server knows it."""
        known = {f"discussion_r{each.id}": each for each in self.hosted.pulls[number].findings}
        return known[comment.thread]

    def resolve(self, number: int, comment: Comment) -> None:
        self.finding(number, comment).resolved = True

    def remark_on_old(self, number: int, path: str, line: int, body: str) -> None:
        head = self.hosted.refreshed(self.hosted.pulls[number]).head
        wanted = {"body": body, "path": path, "line": line, "side": "LEFT", "commit_id": head}
        api = GitHubApi(api_address(self.server.address), Token(self.bob.token, "GH_TOKEN"))
        api.call("POST", f"/repos/ada/notes/pulls/{number}/comments", wanted)
