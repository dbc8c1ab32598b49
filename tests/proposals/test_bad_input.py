"""What is wrong is told with a kind, a place and what to do; nothing is changed by it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from git_repositories import commit_files, git, repository
from octavo.errors import OctavoError
from proposals.desks import EDITED, NAME, NOTEBOOK, Desk, start
from proposals.test_loop import on_gitea
from servers.gitea import Gitea

pytestmark = pytest.mark.kernel


def refused(desk: Desk, path: str = NAME, **asked: object) -> OctavoError:
    with pytest.raises(OctavoError) as caught:
        desk.propose(path, message="x", **asked)
    assert caught.value.hint and caught.value.place
    return caught.value


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = start(tmp_path)
    made.write(EDITED)
    return made


def test_no_repository(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write(NOTEBOOK)
    assert refused(desk).kind == "not-a-repository"


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    desk = Desk(tmp_path)
    desk.write(NOTEBOOK)
    assert refused(desk).kind in ("git-history", "wrong-argument")


def test_a_repository_without_a_remote_is_its_own_forge(tmp_path: Path) -> None:
    made = repository(tmp_path / "alone", {NAME: NOTEBOOK})
    desk = Desk(made.top)
    desk.write(EDITED)
    error = refused(desk, forge="gitea")
    assert error.kind == "no-remote" and "--forge local" in error.hint
    assert desk.propose(message="x").forge == "local"
    desk.merge(1)
    assert desk.git("show", f"main:{NAME}") == EDITED.rstrip("\n")
    assert "agent/health" not in desk.git("branch")


def test_a_shallow_clone(tmp_path: Path) -> None:
    desk = start(tmp_path)
    commit_files(desk.folder, {"x": "1\n"})
    desk.git("push", "--quiet")
    address = f"file://{tmp_path / 'origin.git'}"
    git(tmp_path, "clone", "--quiet", "--depth=1", address, "shallow")
    commit_files(desk.folder, {"x": "2\n"})
    desk.git("push", "--quiet")
    shallow = Desk(tmp_path / "shallow")
    shallow.write(EDITED)
    assert shallow.propose(message="x").proposal.number == 1
    commit_files(tmp_path / "first", {"y": "1\n"})
    git(tmp_path / "first", "push", "--quiet", "--force", "../origin.git", "main")
    shallow.write(EDITED, "notebooks/other.py")
    error = refused(shallow, "notebooks/other.py")
    assert (error.kind, error.hint) == ("shallow", "git fetch --unshallow")


def test_no_such_file_and_no_notebook(desk: Desk) -> None:
    assert refused(desk, "notebooks/helth.py").kind == "notebook-not-found"
    (desk.folder / "x.txt").write_text("x")
    assert refused(desk, "x.txt").kind == "format-unknown"
    assert refused(desk, "notebooks").kind in ("notebook-unreadable", "format-unknown")


def test_a_source_that_does_not_parse(desk: Desk) -> None:
    desk.write(NOTEBOOK + "\n# %%\nif :\n")
    assert refused(desk).kind == "notebook-syntax"
    assert "agent/health" not in desk.git("branch", "-a") and desk.leftovers() == []


@pytest.mark.parametrize("branch", ["-x", "a b", "main", "refs/../x"])
def test_a_branch_that_cannot_be(desk: Desk, branch: str) -> None:
    assert refused(desk, branch=branch).kind == "wrong-argument"


def test_a_base_that_is_not_there(desk: Desk) -> None:
    assert refused(desk, base="trunk").kind == "wrong-argument"


def test_a_branch_in_another_worktree(desk: Desk, tmp_path: Path) -> None:
    desk.git("worktree", "add", "--quiet", "-b", "agent/health", str(tmp_path / "theirs"))
    error = refused(desk)
    assert error.kind == "branch-exists" and error.place == str(tmp_path / "theirs")


def test_a_push_that_is_refused(desk: Desk, tmp_path: Path) -> None:
    hook = tmp_path / "origin.git" / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho no pushes today >&2\nexit 1\n")
    hook.chmod(0o755)
    error = refused(desk)
    assert error.kind == "push-rejected" and "no pushes today" in str(error)
    hook.unlink()
    assert desk.propose(message="x").proposal.number == 1
    assert desk.git("log", "--format=%s", "main..agent/health") == "x"


def test_a_remote_that_is_gone(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "origin.git").rename(tmp_path / "moved.git")
    assert refused(desk).kind == "git"


def test_a_forge_that_is_down(desk: Desk) -> None:
    desk.git("remote", "set-url", "origin", "http://127.0.0.1:1/team/notes.git")
    error = refused(desk)
    assert error.kind == "forge-down" and "127.0.0.1:1" in error.place


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<html>please log in</html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def page() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_page_where_a_forge_should_be(desk: Desk, page: str) -> None:
    desk.git("remote", "set-url", "origin", f"{page}/team/notes.git")
    error = refused(desk)
    assert error.kind == "forge-unknown" and "--forge gitea" in error.hint
    assert refused(desk, forge="gitea").kind in ("forge-answer", "token-missing")


def test_a_conflict_with_the_base(desk: Desk) -> None:
    desk.propose(message="x")
    desk.write(NOTEBOOK)
    commit_files(desk.folder, {NAME: EDITED.replace("20", "7")}, "meanwhile")
    desk.git("push", "--quiet")
    with pytest.raises(OctavoError) as caught:
        desk.merge(1)
    assert caught.value.kind == "merge-conflict" and "git merge" in caught.value.hint
    assert desk.forge.proposal(1).state == "open"


def test_tokens(gitea: Gitea, tmp_path: Path) -> None:
    desk, _ = on_gitea(gitea, tmp_path)
    desk.write(EDITED)
    known = {name: value for name, value in desk.environ.items() if name != "GITEA_TOKEN"}
    desk.environ = known
    error = refused(desk)
    assert error.kind == "token-missing" and "GITEA_TOKEN" in error.hint
    desk.environ = {**known, "GITEA_TOKEN": "0" * 40}
    error = refused(desk)
    assert error.kind == "token-refused" and "0" * 40 not in str(error.to_json())
    owner = desk.git("remote", "get-url", "origin").split("/")[3]
    narrow = gitea.token(owner, ("read:repository",))
    desk.environ = {**known, "GITEA_TOKEN": narrow}
    error = refused(desk)
    assert error.kind in ("token-scope", "token-refused")
    assert narrow not in str(error.to_json())


def test_the_token_is_written_nowhere(gitea: Gitea, tmp_path: Path) -> None:
    desk, _ = on_gitea(gitea, tmp_path)
    desk.write(EDITED)
    token = desk.environ["GITEA_TOKEN"].encode()
    result = desk.octavo("propose", NAME, "-m", "x")
    assert token.decode() not in str(result)
    found = [
        path for path in desk.folder.rglob("*") if path.is_file() and token in path.read_bytes()
    ]
    assert found == []


def test_a_number_that_is_none(desk: Desk) -> None:
    for call in (desk.review, desk.merge, desk.approve):
        with pytest.raises(OctavoError) as caught:
            call(99)
        assert caught.value.kind == "proposal-not-found"


def test_comments_have_a_place_that_exists(desk: Desk) -> None:
    desk.propose(message="x")
    for asked in ({"line": 3}, {"path": "nowhere.py", "line": 3}, {"path": NAME, "cell": 99}):
        with pytest.raises(OctavoError) as caught:
            desk.comment(1, "hm", **asked)
        assert caught.value.kind in ("wrong-argument", "cell-not-found") and caught.value.hint
    with pytest.raises(OctavoError):
        desk.comment(1, "  ")
    assert desk.forge.comments(1) == ()
    desk.comment(1, "why?", path=NAME, cell=2)
    [finding] = desk.review(1).findings
    assert (finding.cell, finding.path) == (2, NAME)
