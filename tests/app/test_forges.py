"""Which forge a repository is on."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_repositories import ENVIRON, cloned, repository
from octavo.app.forges import choose
from octavo.config import Settings
from octavo.errors import InfrastructureError, UsageError
from octavo.git.remotes import parse_address, remote_of
from octavo.git.repository import Repository

PLUGIN = """
class Shelf:
    name = "shelf"

    def __init__(self, remote, token):
        self.remote, self.token = remote, token

    about = open = update = comments = set_status = merge = None


def broken(remote, token):
    raise ValueError("no shelf")


def empty(remote, token):
    return object()
"""


@pytest.fixture
def alone(tmp_path: Path) -> Repository:
    return repository(tmp_path / "alone")


@pytest.mark.parametrize(
    ("address", "forge"),
    [
        ("git@github.com:team/notes.git", "github"),
        ("https://github.com/team/notes", "github"),
        ("/srv/git/notes.git", "local"),
    ],
)
def test_the_address_tells(alone: Repository, address: str, forge: str) -> None:
    assert choose(alone, parse_address("origin", address), Settings())[0].name == forge


def test_without_a_remote_it_is_the_repository_itself(alone: Repository) -> None:
    assert choose(alone, None, Settings())[0].name == "local"


def test_what_is_asked_for_wins_over_settings_and_address(tmp_path: Path) -> None:
    work = cloned(tmp_path)
    remote = remote_of(work.git)
    assert choose(work, remote, Settings(forge="local"), "gitea")[0].name == "gitea"
    assert choose(work, remote, Settings(forge="github"))[0].name == "github"
    told = Settings(forge_url="https://git.example.org/forge")
    ssh = parse_address("origin", "git@git.example.org:team/notes.git")
    assert choose(work, ssh, told)[0].name == "gitea"


def test_a_token_comes_along(alone: Repository) -> None:
    here = Repository.around(alone.top, {**ENVIRON, "GH_TOKEN": "t1"})
    remote = parse_address("origin", "git@github.com:team/notes.git")
    _, token = choose(here, remote, Settings())
    assert token is not None and (token.secret, token.origin) == ("t1", "GH_TOKEN")


def test_a_file_of_the_project_does_not_say_who_gets_the_token(alone: Repository) -> None:
    """Somebody may have proposed that very file."""
    secret = {**ENVIRON, "GITEA_TOKEN": "t1"}
    remote = parse_address("origin", "git@git.example.org:team/notes.git")
    elsewhere = Settings(forge="gitea", forge_url="https://evil.example/git")
    with pytest.raises(UsageError) as caught:
        choose(Repository.around(alone.top, secret), remote, elsewhere)
    assert caught.value.kind == "forge-unknown" and "OCTAVO_FORGE_URL=" in caught.value.hint
    trusted = {**secret, "OCTAVO_FORGE_URL": "https://evil.example/git"}
    assert choose(Repository.around(alone.top, trusted), remote, elsewhere)[1]
    here = Settings(forge="gitea", forge_url="https://git.example.org:3000/forge")
    assert choose(Repository.around(alone.top, secret), remote, here)[1]


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "octavo_shelf.py").write_text(PLUGIN)
    info = tmp_path / "octavo_shelf-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: octavo-shelf\nVersion: 1\n")
    names = "shelf = octavo_shelf:Shelf\nbroken = octavo_shelf:broken\nempty = octavo_shelf:empty\n"
    (info / "entry_points.txt").write_text(f"[octavo.forges]\n{names}")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("shelf")
def test_a_plug_in_brings_another_forge(alone: Repository) -> None:
    remote = parse_address("origin", "https://shelf.example.org/team/notes")
    forge, _ = choose(alone, remote, Settings(forge="shelf"))
    assert forge.name == "shelf" and forge.remote == remote  # type: ignore[attr-defined]


@pytest.mark.usefixtures("shelf")
def test_a_plug_in_that_is_none_is_told(alone: Repository) -> None:
    remote = parse_address("origin", "https://shelf.example.org/team/notes")
    for name, said in (("broken", "no shelf"), ("empty", "it has no about")):
        with pytest.raises(InfrastructureError, match=said) as caught:
            choose(alone, remote, Settings(), name)
        assert caught.value.kind == "plugin"
    with pytest.raises(UsageError, match="no forge 'shelv'") as wrong:
        choose(alone, remote, Settings(), "shelv")
    assert "shelf" in wrong.value.hint
