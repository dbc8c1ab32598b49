"""The parts below the tools: paths, tokens, owners, and what is loaded when."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.calling import variables
from git_repositories import git
from mcp_clients import Project, Raw, answer, over_stdio
from octavo import config
from octavo.errors import UsageError
from octavo.surfaces.mcp.confinement import confined
from octavo.surfaces.mcp.declaring import slim
from octavo.surfaces.mcp.identity import new_token_file, read_tokens, tokens_from
from octavo.surfaces.mcp.ownership import Owners

LONG = "a-token-that-is-long-enough"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with links that lead out of it and back."""
    home = tmp_path_factory.mktemp("home")
    root = home / "project"
    (root / "notebooks").mkdir(parents=True)
    (root / ".octavo").mkdir()
    (home / "project-beside").mkdir()
    (root / "notebooks" / ".git").mkdir()
    (root / "out").symlink_to(home)
    (root / "notebooks" / "round").symlink_to(root)
    return root


PIECES = [
    "..",
    ".",
    "notebooks",
    "out",
    "round",
    "project-beside",
    "",
    "~",
    ".octavo",
    ".git",
    "a b",
]


@given(
    pieces=st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=8), rooted=st.booleans()
)
def test_no_path_leads_out_of_the_project(folder: Path, pieces: list[str], rooted: bool) -> None:
    path = ("/" if rooted else "") + "/".join(pieces)
    try:
        found = confined(path, str(folder))
    except UsageError as error:
        assert error.kind == "outside-project"
        assert error.hint
        return
    real = os.path.realpath(folder / found)
    assert os.path.commonpath([real, os.path.realpath(folder)]) == os.path.realpath(folder)
    assert {".octavo", ".git"}.isdisjoint(Path(found).parts)
    assert not os.path.isabs(found)


def test_a_folder_beside_with_the_same_beginning_is_outside(folder: Path) -> None:
    with pytest.raises(UsageError):
        confined("../project-beside/x.py", str(folder))
    assert confined("notebooks/round/x.py", str(folder)) == "x.py"
    assert confined(str(folder / "x.py"), str(folder)) == "x.py"


def test_tokens_have_names_and_a_least_length() -> None:
    tokens = tokens_from([f"alice {LONG}1 # hers", "", "# all", f"{LONG}2", f"alice {LONG}3"], "t")
    assert tokens.identity_of(f"{LONG}1") == tokens.identity_of(f"{LONG}3") == "alice"
    assert str(tokens.identity_of(f"{LONG}2")).startswith("token-")
    for wrong in (LONG, "", f"{LONG}1 ", f"{LONG}1\0", "\ud800", "alice"):
        assert tokens.identity_of(wrong) is None
    for bad in ("short", f"a b {LONG}", f"../x {LONG}", "alice short"):
        with pytest.raises(UsageError) as caught:
            tokens_from([bad], "t")
        assert (caught.value.kind, caught.value.place) == ("token-file", "t:1")
        assert LONG not in caught.value.message
    with pytest.raises(UsageError):
        tokens_from([f"alice {LONG}", f"bob {LONG}"], "t")


def test_tokens_of_the_environment() -> None:
    given = config.mcp_tokens({"OCTAVO_MCP_TOKENS": f"alice={LONG}==, {LONG}2==;bob={LONG}3\n"})
    assert given == [f"alice {LONG}==", f"{LONG}2==", f"bob {LONG}3"]
    assert config.mcp_tokens({}) == []


def test_a_token_file_is_made_once_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "tokens"
    new_token_file(str(path))
    made = path.read_text()
    new_token_file(str(path))
    assert path.read_text() == made
    assert path.stat().st_mode & 0o077 == 0
    token = made.split()[-1]
    assert read_tokens(str(path)).identity_of(token) == "agent"
    path.chmod(0o644)
    with pytest.raises(UsageError, match="others on this machine"):
        read_tokens(str(path))


def test_what_has_no_owner_is_the_users(tmp_path: Path) -> None:
    owners = Owners(str(tmp_path))
    owners.note("01a1e427-b359-75ca-b41c-eb3b1834dc42", "alice")
    owners.note("01a1e427-0000-75ca-b41c-000000000000", "")
    assert owners.has("1834dc42", "alice") and owners.has("1834dc42.17", "alice")
    assert not owners.has("1834dc42", "bob") and not owners.has("1834dc42", "")
    assert owners.has("00000000", "") and not owners.has("00000000", "alice")
    assert owners.may_look("00000000", "alice") and not owners.may_look("1834dc42", "bob")
    assert list(owners.all()) == [("1834dc42", "alice")]
    for strange in ("../../x", "a/b", "", "x" * 200, "a\0b"):
        with pytest.raises(UsageError):
            owners.of(strange)


def test_schemas_say_nothing_twice() -> None:
    schema = {
        "title": "F", "type": "object",
        "properties": {"title": {"title": "Title", "type": "string"},
                       "x": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}},
    }  # fmt: skip
    assert slim(schema) == {
        "type": "object",
        "properties": {"title": {"type": "string"}, "x": {"type": "integer"}},
    }


def test_the_page_lists_the_tools_as_they_are() -> None:
    from octavo.surfaces.mcp.reference import brought_up_to_date

    page = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
    assert brought_up_to_date(page) == page, "python -m octavo.surfaces.mcp.reference docs/mcp.md"


def test_the_sdk_is_loaded_by_servers_only(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom octavo.surfaces.cli.main import main\n"
        "main(['mcp', '--help']); main(['serve', '--help']); main(['--help']); main(['runs'])\n"
        "print([n for n in ('mcp', 'pydantic', 'starlette', 'anyio') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60,
        env={**variables(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.kernel
@pytest.mark.fault
def test_a_check_goes_on_when_its_server_is_killed(tmp_path: Path) -> None:
    project = Project(tmp_path)
    raw = Raw(project, "--limit", "500ms")
    raw.initialize("2025-06-18")
    called = raw.call(
        "tools/call", {"name": "notebook_check", "arguments": {"paths": ["waiting.py"]}}
    )
    going = called["result"]["structuredContent"]
    assert going["status"] == "running"
    raw.process.kill()
    raw.process.wait()

    async def ask() -> None:
        async with over_stdio(project) as client:
            assert (await answer(client, "job_wait", job=going["job"], seconds=0))[
                "status"
            ] == "running"
            project.go()
            done = await answer(client, "job_wait", job=going["job"])
            assert done["result"]["passed"] is True
            assert "status" in done and done["job"] == going["job"]

    asyncio.run(ask())


@pytest.mark.kernel
def test_a_check_that_never_ends_is_cancelled(tmp_path: Path) -> None:
    project = Project(tmp_path)

    async def ask() -> None:
        async with over_stdio(project, "--limit", "500ms") as client:
            going = await answer(client, "notebook_check", paths=["waiting.py"])
            ended = {"status": "running"}
            while ended["status"] == "running":
                ended = await answer(client, "job_cancel", job=going["job"])
            assert ended["how"] in ("interrupted", "ended")
            assert "job-not-found" not in json.dumps(ended)

    asyncio.run(ask())


@pytest.mark.kernel
def test_git_sees_nothing_of_ours_and_old_answers_are_forgotten(tmp_path: Path) -> None:
    project = Project(tmp_path)
    old = project.root / ".octavo" / "works" / "check-000000000000"
    old.mkdir(parents=True)
    os.utime(old, (0, 0))

    async def ask() -> None:
        async with over_stdio(project) as client:
            assert (await answer(client, "notebook_check", paths=["quick.py"]))["passed"] is True

    asyncio.run(ask())
    assert not old.exists()
    assert git(project.root, "status", "--porcelain") == ""
