"""A Gitea that hangs up in the middle, answers nonsense, or is not one: nothing is done twice."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import pytest

from forges.hostile_server import PAGE, Answer, Asked, HangsUp, Hostile, Says
from octavo.errors import InfrastructureError, OctavoError
from octavo.forges.gitea import GiteaForge
from octavo.forges.http import Api
from octavo.forges.port import Status
from octavo.git.credentials import Token

SECRET = "5ecret0123456789abcdef"
HEAD = "a" * 40


def forge(server: Hostile, token: str | None = SECRET) -> GiteaForge:
    known = Token(token, "GITEA_TOKEN") if token else None
    header = f"token {token}" if token else ""
    api = Api(f"{server.address}/api/v1", header, wait=lambda _: None, timeout=10)
    return GiteaForge(server.address, "ada", "notes", known, api=api)


def pull(number: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "number": number,
        "title": "One",
        "body": "",
        "draft": False,
        "merged": False,
        "mergeable": True,
        "state": "open",
        "head": {"label": "agent/one", "ref": "agent/one", "sha": HEAD, "repo_id": 1},
        "base": {"label": "main", "ref": "main", "sha": "b" * 40, "repo_id": 1},
        "html_url": "http://gitea/ada/notes/pulls/1",
        "user": {"login": "ada"},
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "merge_commit_sha": None,
        **changes,
    }


class Scripted:
    """A small Gitea that does what it is asked, and may hang up before it answers a write."""

    def __init__(self, trouble: Answer, does: bool) -> None:
        self.trouble: list[Answer] = [trouble]
        self.does = does
        self.pulls: list[dict[str, Any]] = []
        self.comments: list[dict[str, Any]] = []
        self.statuses: list[dict[str, Any]] = []

    def __call__(self, asked: Asked) -> Answer:
        path = asked.path.partition("?")[0].removeprefix("/api/v1/repos/ada/notes/")
        if asked.method == "GET":
            return Says(200, self._found(path))
        if not self.trouble:
            return Says(201, self._done(path, asked.json))
        if self.does:
            self._done(path, asked.json)
        return self.trouble.pop()

    def _found(self, path: str) -> Any:
        if path.endswith("/user"):
            return {"login": "ada"}
        if path.startswith("commits/"):
            return {"statuses": self.statuses}
        known = {"pulls": self.pulls, "issues/1/comments": self.comments}
        if path == "pulls/1":
            return self.pulls[0]
        return known.get(path, [])

    def _done(self, path: str, asked: Any) -> Any:
        if path == "pulls":
            self.pulls.append(pull(len(self.pulls) + 1, title=asked["title"]))
            return self.pulls[-1]
        if path.endswith("/merge"):
            self.pulls[0].update(merged=True, state="closed", merge_commit_sha="c" * 40)
            return None
        if path.endswith("/comments"):
            made = {"id": len(self.comments) + 1, "user": {"login": "ada"}, "html_url": "x"}
            self.comments.append({**made, **asked, "created_at": "2026-01-01T00:00:00Z"})
            return self.comments[-1]
        self.statuses.append({**asked, "status": asked["state"]})
        return self.statuses[-1]


TROUBLE = [
    pytest.param(HangsUp(), True, id="hangs up when done"),
    pytest.param(HangsUp(), False, id="hangs up before"),
    pytest.param(Says(502, "<html>Bad gateway</html>"), True, id="502 when done"),
    pytest.param(Says(500, {"message": ""}), False, id="500 before"),
    pytest.param(PAGE, True, id="a page when done"),
]


@pytest.mark.parametrize(("trouble", "does"), TROUBLE)
def test_one_pull_request_whatever_happens(hostile: Hostile, trouble: Answer, does: bool) -> None:
    hostile.answers = gitea = Scripted(trouble, does)
    opened = forge(hostile).open("agent/one", "main", "One", "", draft=False)
    assert (opened.number, len(gitea.pulls)) == (1, 1)
    assert len(hostile.posts("/pulls")) == (1 if does else 2)


@pytest.mark.parametrize(("trouble", "does"), TROUBLE)
def test_one_merge_whatever_happens(hostile: Hostile, trouble: Answer, does: bool) -> None:
    hostile.answers = gitea = Scripted(trouble, does)
    gitea.pulls.append(pull())
    assert forge(hostile).merge(1, "squash", HEAD) == "c" * 40
    assert len(hostile.posts("/merge")) == (1 if does else 2)


@pytest.mark.parametrize(("trouble", "does"), TROUBLE)
def test_one_comment_whatever_happens(hostile: Hostile, trouble: Answer, does: bool) -> None:
    hostile.answers = gitea = Scripted(trouble, does)
    gitea.pulls.append(pull())
    assert forge(hostile).comment(1, "Hello.").body == "Hello."
    assert [each["body"] for each in gitea.comments] == ["Hello."]


@pytest.mark.parametrize(("trouble", "does"), TROUBLE)
def test_one_status_whatever_happens(hostile: Hostile, trouble: Answer, does: bool) -> None:
    hostile.answers = gitea = Scripted(trouble, does)
    forge(hostile).set_status(HEAD, Status("octavo/run", "success"))
    assert len(gitea.statuses) == 1


def test_a_pull_request_that_somebody_else_opens_meanwhile(hostile: Hostile) -> None:
    hostile.answers = gitea = Scripted(Says(409, {"message": "already exists"}), does=True)
    assert forge(hostile).open("agent/one", "main", "One", "", draft=False).number == 1
    assert len(gitea.pulls) == 1


def test_a_merge_waits_until_gitea_has_looked_for_conflicts(hostile: Hostile) -> None:
    later = Says(405, {"message": "Please try again later"})
    hostile.answers = gitea = Scripted(later, does=False)
    gitea.pulls.append(pull())
    found = gitea._found
    protection = {"name": "main", "protected": False, "user_can_merge": True}
    gitea._found = lambda path: protection if path == "branches/main" else found(path)  # type: ignore[method-assign]
    assert forge(hostile).merge(1, "merge", HEAD) == "c" * 40
    assert len(hostile.posts("/merge")) == 2


CALLS: dict[str, Callable[[GiteaForge], object]] = {
    "about": lambda f: f.about(),
    "proposals": lambda f: f.proposals(),
    "proposal": lambda f: f.proposal(1),
    "find": lambda f: f.find("agent/one"),
    "open": lambda f: f.open("agent/one", "main", "One", "", draft=False),
    "update": lambda f: f.update(1, title="Two"),
    "close": lambda f: f.close(1),
    "attach": lambda f: f.attach(1, "a.png", b"a", "image/png"),
    "comments": lambda f: f.comments(1),
    "comment": lambda f: f.comment(1, "Hello."),
    "comment at": lambda f: f.comment(1, "Hello.", path="a", line=1),
    "reviews": lambda f: f.reviews(1),
    "review": lambda f: f.review(1, "approved"),
    "statuses": lambda f: f.statuses(HEAD),
    "set_status": lambda f: f.set_status(HEAD, Status("octavo/run", "success")),
    "mergeable": lambda f: f.mergeable(1),
    "merge": lambda f: f.merge(1, "merge", HEAD),
    "delete_branch": lambda f: f.delete_branch("agent/one"),
}
NONSENSE: list[Any] = [{}, [{}], [None], "x", 42, {"login": 1}, [pull()], [{"id": "x"}]]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("body", NONSENSE, ids=lambda body: str(body)[:20])
def test_nonsense_is_never_a_traceback(hostile: Hostile, name: str, body: Any) -> None:
    hostile.will(Says(200, body if not isinstance(body, str) else f'"{body}"'))
    try:
        CALLS[name](forge(hostile))
    except OctavoError as error:
        assert error.kind in ("forge-answer", "proposal-not-mergeable", "branch-moved")


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    "answer", [PAGE, Says(503, "<html>down</html>"), HangsUp()], ids=["page", "503", "hangs up"]
)
def test_a_forge_that_does_not_work_is_infrastructure(
    hostile: Hostile, name: str, answer: Answer
) -> None:
    hostile.will(answer)
    with pytest.raises(InfrastructureError) as caught:
        CALLS[name](forge(hostile))
    assert caught.value.kind in ("forge-down", "forge-answer")
    assert caught.value.hint


ECHO = [
    Says(401, {"message": f"token {SECRET} is unknown"}),
    Says(403, {"message": f"token {SECRET}: required scope(s), required=[write:issue]"}),
    Says(404, {"message": f"Authorization: token {SECRET}"}),
    Says(422, {"message": SECRET, "errors": [SECRET]}),
    Says(500, {"message": f"panic: {SECRET}"}),
    Says(200, {"number": SECRET, "login": SECRET}),
    Says(302, None, {"Location": f"https://elsewhere.example/?{SECRET}"}),
]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("answer", ECHO, ids=lambda a: str(a.status))
def test_the_token_is_in_nothing_that_a_failure_leaves(
    hostile: Hostile, name: str, answer: Says, caplog: pytest.LogCaptureFixture
) -> None:
    """Even where the forge says it back to us."""
    hostile.will(answer)
    asked = forge(hostile)
    if (name, answer.status) == ("delete_branch", 200):
        return asked.delete_branch("agent/one")
    with pytest.raises(OctavoError) as caught:
        CALLS[name](asked)
    error = caught.value
    shown = "".join(traceback.format_exception(error))
    left = (str(error), repr(error), str(error.to_json()), error.place, error.hint, shown)
    assert not any(SECRET in each for each in (*left, caplog.text, repr(asked), str(vars(asked))))
    assert all(each.authorization == f"token {SECRET}" for each in hostile.asked)
    assert not any(SECRET in each.path for each in hostile.asked)


@pytest.mark.parametrize("name", CALLS)
def test_without_a_token_it_says_where_to_get_one(hostile: Hostile, name: str) -> None:
    hostile.will(Says(401, {"message": "token is required"}))
    with pytest.raises(OctavoError) as caught:
        CALLS[name](forge(hostile, None))
    assert caught.value.kind == "token-missing"
    assert f"{hostile.address}/user/settings/applications" in caught.value.hint
    assert "OCTAVO_FORGE_TOKEN or GITEA_TOKEN" in caught.value.hint


def test_a_token_that_gitea_does_not_know(hostile: Hostile) -> None:
    hostile.will(Says(401, {"message": "invalid username, password or token"}))
    with pytest.raises(OctavoError) as caught:
        forge(hostile).about()
    assert caught.value.kind == "token-refused"
    assert "GITEA_TOKEN" in caught.value.message


@pytest.mark.parametrize("address", ["git@host:path", "ssh://git@host/x", "", "ftp://x"])
def test_an_address_that_no_gitea_has(address: str) -> None:
    with pytest.raises(OctavoError) as caught:
        GiteaForge(address, "ada", "notes", None)
    assert caught.value.kind == "forge-unknown"


def test_a_password_in_an_address_goes_nowhere(hostile: Hostile) -> None:
    hostile.will(Says(404, {}))
    with_password = hostile.address.replace("://", "://ada:hunter2@")
    with pytest.raises(OctavoError) as caught:
        GiteaForge(with_password, "ada", "notes", Token(SECRET, "a test")).about()
    assert "hunter2" not in str(caught.value.to_json())
