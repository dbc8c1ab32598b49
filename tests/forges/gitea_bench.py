"""A bench on a real Gitea: a repository of its own, an owner, and somebody else who may write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from git_repositories import ENVIRON, git
from octavo.forges.gitea import GiteaForge
from octavo.forges.http import Answer, Api
from octavo.forges.port import Comment
from octavo.git.credentials import Token
from octavo.git.repository import Repository
from servers.gitea import Gitea, Person
from servers.keeper import PAGE


class Counted(Api):
    """An API that knows how often it was asked to write."""

    writes = 0

    def call(self, method: str, path: str, body: Any = None, **named: Any) -> Answer:
        self.writes += method != "GET"
        return super().call(method, path, body, **named)


class GiteaBench:
    """What the suite wants, on a server that runs."""

    base = "main"
    page = PAGE

    def __init__(self, server: Gitea, folder: Path) -> None:
        self.server = server
        self.ada, self.ben = server.person("ada"), server.person("ben")
        self.repository = server.repository(self.ada, self.ben)
        self.api = Counted(f"{server.address}/api/v1", f"token {self.ada.token}")
        self.forge = self.forge_of(self.ada, self.api)
        self.other = self.forge_of(self.ben)
        self.clone = self._cloned(folder)

    def forge_of(self, person: Person, api: Api | None = None) -> GiteaForge:
        token = Token(person.token, "a test")
        address = self.server.address
        return GiteaForge(address, self.ada.name, self.repository, token, api=api)

    @property
    def path(self) -> str:
        return f"repos/{self.ada.name}/{self.repository}"

    def _cloned(self, folder: Path) -> Repository:
        address = f"{self.server.address}/{self.ada.name}/{self.repository}.git"
        header = f"http.extraHeader=Authorization: token {self.ada.token}"
        git(folder, "clone", "--quiet", "--config", header, address, "clone")
        return Repository.around(folder / "clone", ENVIRON)

    def protect(self, *, approvals: int = 0, statuses: Sequence[str] = ()) -> None:
        rule = {
            "rule_name": self.base,
            "required_approvals": approvals,
            "enable_status_check": bool(statuses),
            "status_check_contexts": list(statuses),
        }
        self.ada.api.call("POST", f"{self.path}/branch_protections", rule)

    def written(self) -> object:
        return self.api.writes

    def fetch(self, address: str) -> bytes:
        from urllib.request import Request, urlopen

        request = Request(address, headers={"Authorization": f"token {self.ada.token}"})
        with urlopen(request, timeout=30) as response:
            content: bytes = response.read()
            return content

    def resolve(self, number: int, comment: Comment) -> None:
        self.ben.api.call("POST", f"{self.path}/pulls/comments/{comment.id}/resolve")

    def remark_on_old(self, number: int, path: str, line: int, body: str) -> None:
        place = {"path": path, "body": body, "old_position": line}
        asked = {"event": "COMMENT", "comments": [place]}
        self.ben.api.call("POST", f"{self.path}/pulls/{number}/reviews", asked)
