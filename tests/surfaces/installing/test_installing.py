"""`octavo skill install` and `octavo mcp install`, as a user calls them: shown, made, undone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from octavo.surfaces.installing.skill_install import pages
from octavo.surfaces.installing.splice import Splice

CONFIGURATIONS = {
    "claude": (".claude.json", '{\n  "a": [1,  2],\n  "mcpServers": {}\n}'),
    "codex": (".codex/config.toml", 'model = "x" # mine'),
    "hermes": (".hermes/config.yaml", "model: {default: x}\nmcp_servers:\n\n# end"),
}


def octavo(home: Path, *words: str, code: int = 0, **more: str) -> str:
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), **more}
    done = subprocess.run(
        [sys.executable, "-m", "octavo", *words],
        cwd=home,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr + done.stdout
    return done.stdout + done.stderr


def files(home: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()
    }


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose agents have settings already."""
    for name, text in CONFIGURATIONS.values():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)
    return tmp_path


@pytest.mark.parametrize("agent", CONFIGURATIONS)
def test_a_server_comes_once_and_goes_to_the_byte(home: Path, agent: str) -> None:
    before = files(home)
    path = home / CONFIGURATIONS[agent][0]
    shown = octavo(home, "mcp", "install", f"--{agent}", "--dry-run")
    assert files(home) == before
    assert f"change {path}" in shown and "octavo" in shown.split("+", 1)[1]
    octavo(home, "mcp", "install", f"--{agent}")
    made = files(home)
    assert path.read_bytes() != before[CONFIGURATIONS[agent][0]]
    assert path.stat().st_mode & 0o777 == 0o600
    assert "everything is there" in octavo(home, "mcp", "install", f"--{agent}")
    assert files(home) == made
    octavo(home, "mcp", "uninstall", f"--{agent}")
    assert files(home) == before
    assert "nothing to take back" in octavo(home, "mcp", "uninstall", f"--{agent}")


def test_where_there_was_nothing_nothing_is_left(tmp_path: Path) -> None:
    flags = [f"--{agent}" for agent in CONFIGURATIONS]
    octavo(tmp_path, "mcp", "install", *flags)
    assert len(files(tmp_path)) == 4
    octavo(tmp_path, "mcp", "uninstall", *flags)
    assert files(tmp_path) == {}


def test_a_program_that_wrote_its_settings_anew_keeps_them(home: Path) -> None:
    octavo(home, "mcp", "install", "--claude")
    path = home / ".claude.json"
    settings = json.loads(path.read_text())
    path.write_text(json.dumps({**settings, "numStartups": 3}))
    octavo(home, "mcp", "uninstall", "--claude")
    assert json.loads(path.read_text()) == {"a": [1, 2], "mcpServers": {}, "numStartups": 3}


def test_another_server_of_that_name_is_not_overwritten_unasked(home: Path) -> None:
    path = home / ".hermes/config.yaml"
    path.write_text("mcp_servers:\n  octavo:\n    command: mine\n")
    before = files(home)
    told = octavo(home, "mcp", "install", "--hermes", code=2)
    assert "another server is called octavo" in told and "--replace" in told
    assert files(home) == before
    octavo(home, "mcp", "install", "--hermes", "--replace")
    assert yaml.safe_load(path.read_text())["mcp_servers"]["octavo"]["args"] == ["mcp"]
    octavo(home, "mcp", "uninstall", "--hermes")
    assert files(home) == before


def test_an_entry_that_became_another_stays(home: Path) -> None:
    octavo(home, "mcp", "install", "--codex")
    path = home / ".codex/config.toml"
    path.write_text('[mcp_servers.octavo]\ncommand = "mine"\n')
    told = octavo(home, "mcp", "uninstall", "--codex")
    assert "it stays" in told
    assert path.read_text() == '[mcp_servers.octavo]\ncommand = "mine"\n'


def test_one_that_cannot_be_changed_changes_none(home: Path) -> None:
    (home / ".codex/config.toml").write_text("a =")
    before = files(home)
    told = octavo(home, "mcp", "install", "--claude", "--codex", "--hermes", code=2)
    assert "config.toml" in told and "hint" in told
    assert files(home) == before


def test_a_link_is_followed(home: Path) -> None:
    kept = home / "dotfiles.toml"
    (home / ".codex/config.toml").rename(kept)
    (home / ".codex/config.toml").symlink_to(kept)
    octavo(home, "mcp", "install", "--codex")
    assert "mcp_servers.octavo" in kept.read_text()
    octavo(home, "mcp", "uninstall", "--codex")
    assert kept.read_text() == CONFIGURATIONS["codex"][1]
    assert (home / ".codex/config.toml").is_symlink()


def test_each_program_has_its_own_folder(tmp_path: Path) -> None:
    moved = {
        "CLAUDE_CONFIG_DIR": str(tmp_path / "c"),
        "CODEX_HOME": str(tmp_path / "x"),
        "HERMES_HOME": str(tmp_path / "h"),
    }
    flags = ("--claude", "--codex", "--hermes")
    octavo(tmp_path, "skill", "install", *flags, **moved)
    octavo(tmp_path, "mcp", "install", *flags, **moved)
    there = {"c/.claude.json", "x/config.toml", "h/config.yaml"}
    there |= {f"{folder}/skills/octavo/SKILL.md" for folder in "cxh"}
    assert there < set(files(tmp_path))


def test_a_skill_comes_and_goes(home: Path) -> None:
    before = files(home)
    shown = octavo(home, "skill", "install", "--dir", "skills", "--dry-run")
    assert files(home) == before and "+name: octavo" in shown
    octavo(home, "skill", "install", "--dir", "skills")
    for name, content in pages().items():
        assert (home / "skills/octavo" / name).read_bytes() == content
    assert "everything is there" in octavo(home, "skill", "install", "--dir", "skills")
    octavo(home, "skill", "install", "--dir", "skills", "--undo")
    assert files(home) == before
    assert not (home / "skills/octavo").exists()


def test_a_page_that_somebody_changed_is_theirs(home: Path) -> None:
    octavo(home, "skill", "install", "--dir", "skills")
    page = home / "skills/octavo/SKILL.md"
    page.write_text("mine\n")
    changed = files(home)
    told = octavo(home, "skill", "install", "--dir", "skills", code=2)
    assert "somebody wrote or changed this page" in told
    assert files(home) == changed
    octavo(home, "skill", "install", "--dir", "skills", "--replace")
    assert page.read_bytes() == pages()["SKILL.md"]
    octavo(home, "skill", "install", "--dir", "skills", "--undo")
    assert page.read_text() == "mine\n"


def test_undo_leaves_a_page_that_was_changed_since(home: Path) -> None:
    octavo(home, "skill", "install", "--dir", "skills")
    page = home / "skills/octavo/SKILL.md"
    page.write_text("mine\n")
    told = octavo(home, "skill", "install", "--dir", "skills", "--undo")
    assert "SKILL.md was changed since: it stays" in told
    assert [name for name in files(home) if name.startswith("skills")] == ["skills/octavo/SKILL.md"]


def test_nothing_named_is_an_error(tmp_path: Path) -> None:
    for words in (("skill", "install"), ("mcp", "install"), ("mcp", "uninstall")):
        assert "--claude" in octavo(tmp_path, *words, code=2)
    assert files(tmp_path) == {}


def test_a_folder_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "skills").write_text("")
    assert "hint" in octavo(tmp_path, "skill", "install", "--dir", "skills", code=2)


def test_what_cannot_be_noted_is_not_done(home: Path) -> None:
    (home / ".local").write_text("a file")
    before = files(home)
    told = octavo(home, "mcp", "install", "--codex", code=2)
    assert "installed.json" in told and "hint" in told
    assert files(home) == before


def test_a_damaged_note_is_no_note(home: Path) -> None:
    octavo(home, "mcp", "install", "--codex")
    (home / ".local/state/octavo/installed.json").write_text('{"files": [')
    octavo(home, "mcp", "uninstall", "--codex")
    assert (home / ".codex/config.toml").read_text().strip() == CONFIGURATIONS["codex"][1]


def test_the_skill_is_short_and_says_at_once_what_it_is_for(tmp_path: Path) -> None:
    text = octavo(tmp_path, "skill", "show")
    head = yaml.safe_load(text.split("---")[1])
    assert head["name"] == "octavo"
    assert "notebooks" in head["description"][:60] and "run" in head["description"][:60].lower()
    assert len(head["description"]) < 1024 and len(text) < 4000
    for name in pages():
        assert octavo(tmp_path, "skill", "show", name).encode() == pages()[name]
    assert "SKILL.md" in octavo(tmp_path, "skill", "show", "nothing", code=2)


@given(st.none() | st.binary(max_size=30), st.binary(max_size=30), st.binary(max_size=10))
def test_a_splice_is_taken_out_to_the_byte(
    before: bytes | None, after: bytes, behind: bytes
) -> None:
    splice = Splice.from_json(json.loads(json.dumps(Splice.between(before, after).to_json())))
    assert splice.undone(after) == (before or b"")
    assert splice.undone(after + behind) == (before or b"") + behind


def test_what_was_written_behind_us_keeps_its_meaning(tmp_path: Path) -> None:
    """Our line break goes with the entry only where nothing has come to need it."""
    path = tmp_path / ".hermes" / "config.yaml"
    path.parent.mkdir()
    for behind in ("later: 1\n", "# a comment\n"):
        path.write_text("a: 1")
        octavo(tmp_path, "mcp", "install", "--hermes")
        path.write_text(path.read_text() + behind)
        octavo(tmp_path, "mcp", "uninstall", "--hermes")
        assert path.read_text() == f"a: 1\n{behind}"


def test_odd_files_and_homes_are_told_and_left_alone(tmp_path: Path) -> None:
    claude, hermes = tmp_path / ".claude.json", tmp_path / ".hermes" / "config.yaml"
    hermes.parent.mkdir()
    claude.symlink_to(claude.name)
    assert "cannot be read" in octavo(tmp_path, "mcp", "install", "--claude", code=2)
    claude.unlink()
    os.mkfifo(claude)
    assert "not a file" in octavo(tmp_path, "mcp", "install", "--claude", code=2)
    claude.unlink()
    claude.write_text('{"a":' * 3000 + "1" + "}" * 3000)
    assert str(claude) in octavo(tmp_path, "mcp", "install", "--claude", code=2)
    hermes.write_text("a: &a [*a]\n")
    assert str(hermes) in octavo(tmp_path, "mcp", "install", "--hermes", code=2)
    for home in ("", "beside", str(tmp_path / "missing")):
        told = octavo(tmp_path, "mcp", "install", "--codex", code=2, HOME=home)
        assert "there is no home folder" in told
    assert set(files(tmp_path)) == {".claude.json", ".hermes/config.yaml"}
