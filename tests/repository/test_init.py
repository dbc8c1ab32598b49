"""`octavo init` on real repositories: what it adds, that it does so once, and its undoing."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from git_repositories import commit_files, git, repository
from repository.setting_up import contents, environ, initialized, octavo

HOOKS = ("pre-commit", "pre-merge-commit", "post-checkout", "post-merge", "post-rewrite")


def attributes(top: Path, name: str) -> dict[str, str]:
    told = git(top, "check-attr", "-a", "--", name).splitlines()
    return dict(line.removeprefix(f"{name}: ").split(": ") for line in told)


def test_a_repository_gets_all_that_notebooks_need(tmp_path: Path) -> None:
    top = repository(tmp_path / "project").top
    assert octavo(top, "init").code == 0
    assert (top / "notebooks").is_dir()
    assert (top / "octavo.toml").is_file()
    assert "octavo sync" in (top / "docs" / "NOTEBOOK_WORKFLOW.md").read_text()
    assert git(top, "check-ignore", ".octavo/runs/x") == ".octavo/runs/x"
    octavos = {"filter": "octavo", "diff": "octavo", "merge": "octavo"}
    assert attributes(top, "x.ipynb") == octavos
    assert attributes(top, "notebooks/a/x.ipynb") == {**octavos, "linguist-generated": "set"}
    assert attributes(top, "notebooks/x.py") == {"merge": "octavo"}
    assert attributes(top, "notebooks/x.md") == {"merge": "octavo"}
    assert attributes(top, "x.py") == {}
    for name in ("runs", "executions", "outputs", "reports"):
        assert attributes(top, f"{name}/x.ipynb") == {"merge": "octavo"}
        assert attributes(top, f"a/{name}/b/x.ipynb") == {"merge": "octavo"}
        assert attributes(top, f"notebooks/{name}/x.ipynb") == {"merge": "octavo"}
    for name in HOOKS:
        hook = top / ".git" / "hooks" / name
        assert stat.S_IMODE(hook.stat().st_mode) & 0o111
        subprocess.run(["sh", "-n", hook], check=True)
    assert "required" not in git(top, "config", "--local", "--list")


def test_a_second_time_there_is_nothing_to_do(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    before = contents(top)
    answer = octavo(top, "init")
    assert answer.out == "everything is set up\n"
    assert contents(top) == before


def test_dry_run_shows_every_line_and_writes_none(tmp_path: Path) -> None:
    top = repository(tmp_path / "project").top
    before = contents(top)
    answer = octavo(top, "init", "--dry-run")
    assert contents(top) == before
    assert "+*.ipynb filter=octavo diff=octavo merge=octavo" in answer.out
    assert "set git config merge.octavo.driver" in answer.out
    asked = octavo(top, "init", "--dry-run", "--json").json
    assert not asked["made"]
    made = octavo(top, "init", "--json").json
    assert made["made"]
    assert made["changes"] == asked["changes"]


#: What people have in their files: line ends, no end of the last line, nothing, our words.
FILES = {
    "plain": (b"*.png binary\n", b"*.pyc\n"),
    "crlf": (b"*.png binary\r\n*.txt text\r\n", b"*.pyc\r\n"),
    "unended": (b"*.png binary", b"*.pyc"),
    "unended crlf": (b"a text\r\n*.png binary", b"*.pyc\r\nx"),
    "empty": (b"", b""),
    "not utf-8": (b"caf\xe9.txt text\n", b"caf\xe9\n"),
    "blank lines": (b"\n\n*.png binary\n\n", b"\n"),
}


@pytest.mark.parametrize("kind", FILES)
def test_undo_leaves_every_file_as_it_was(tmp_path: Path, kind: str) -> None:
    top = repository(tmp_path / "project").top
    given = dict(zip((".gitattributes", ".gitignore"), FILES[kind], strict=True))
    for name, content in given.items():
        (top / name).write_bytes(content)
    before = contents(top)
    assert octavo(top, "init").code == 0
    for name, content in given.items():
        assert (top / name).read_bytes().startswith(content)
    if "crlf" in kind:
        assert b"# octavo end\r\n" in (top / ".gitattributes").read_bytes()
    assert octavo(top, "init").out == "everything is set up\n"
    assert octavo(top, "init", "--undo").code == 0
    assert contents(top) == before
    assert octavo(top, "init", "--undo").out == "there is nothing to take back\n"


def test_what_people_changed_since_is_not_taken_away(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    page = top / "docs" / "NOTEBOOK_WORKFLOW.md"
    page.write_text(page.read_text() + "\nAsk Ada.\n")
    (top / ".gitattributes").write_text((top / ".gitattributes").read_text() + "*.csv text\n")
    answer = octavo(top, "init", "--undo")
    assert "docs/NOTEBOOK_WORKFLOW.md was changed since: it stays" in answer.out
    assert page.read_text().endswith("Ask Ada.\n")
    assert (top / ".gitattributes").read_text() == "*.csv text\n"
    assert (top / "notebooks" / "n.py").exists()


def test_undo_in_another_clone_leaves_what_came_with_the_repository(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    git(tmp_path, "clone", "--quiet", str(top), "other")
    other = tmp_path / "other"
    before = contents(other)
    added = octavo(other, "init", "--json").json["changes"]
    assert {each["file"].split("/")[0] for each in added if "file" in each} == {".git"}
    answer = octavo(other, "init", "--undo")
    assert "came with the repository and stay" in answer.out
    assert contents(other) == before


def test_own_configuration_and_lines_are_not_written_again(tmp_path: Path) -> None:
    top = repository(tmp_path / "project").top
    files = {"pyproject.toml": '[tool.octavo]\nnotebooks = ["work books"]\n',
             ".gitignore": "/.octavo/\n", "docs/NOTEBOOK_WORKFLOW.md": "ours\n"}  # fmt: skip
    commit_files(top, files)
    assert octavo(top, "init").code == 0
    assert not (top / "octavo.toml").exists()
    assert {name: (top / name).read_text() for name in files} == files
    assert attributes(top, "work books/x.py") == {"merge": "octavo"}
    assert (top / "work books" / ".gitkeep").exists()


def test_a_notebook_without_a_text_is_not_hidden_from_reviewers(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    (top / "notebooks" / "odd name.ipynb").write_text((top / "notebooks/n.ipynb").read_text())
    env = environ(tmp_path / "home")
    git(top, "add", "--all", environ=env)
    assert octavo(top, "init").code == 0
    assert attributes(top, "notebooks/odd name.ipynb")["linguist-generated"] == "unset"
    assert attributes(top, "notebooks/n.ipynb")["linguist-generated"] == "set"


def test_hooks_and_configuration_are_shared_by_worktrees(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    git(top, "worktree", "add", "--quiet", "../beside", "-b", "beside")
    beside = tmp_path / "beside"
    assert octavo(beside, "init").out == "everything is set up\n"
    assert octavo(beside, "init", "--undo").code == 0
    assert not (top / ".git" / "hooks" / "pre-commit").exists()


def test_a_submodule_is_a_repository_of_its_own(tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner").top
    outer = repository(tmp_path / "outer").top
    git(outer, "submodule", "add", "--quiet", str(inner), "part")
    assert octavo(outer / "part", "init").code == 0
    assert (outer / ".git" / "modules" / "part" / "hooks" / "pre-commit").exists()
    assert not (outer / ".gitattributes").exists()
    assert octavo(outer / "part", "init").out == "everything is set up\n"


def test_a_folder_below_the_top_means_the_whole_repository(tmp_path: Path) -> None:
    top = repository(tmp_path / "project").top
    (top / "a").mkdir()
    assert octavo(top / "a", "init").code == 0
    assert (top / ".gitattributes").exists()
    assert octavo(tmp_path, "init", "project").out == "everything is set up\n"


def test_without_a_repository_it_says_what_to_do(tmp_path: Path) -> None:
    answer = octavo(tmp_path, "init", "--json")
    assert answer.code == 2
    assert answer.json["error"]["kind"] == "not-a-repository"
    assert "git init" in answer.json["error"]["hint"]
    assert octavo(tmp_path, "init", "nowhere").code == 2
    git(tmp_path, "init", "--bare", "--quiet", "bare.git")
    assert "bare" in octavo(tmp_path, "init", "bare.git").err


@pytest.mark.parametrize("hindrance", ["link", "read-only", "folder"])
def test_a_file_that_cannot_be_written_stops_everything_before_it_begins(
    tmp_path: Path, hindrance: str
) -> None:
    top = repository(tmp_path / "project").top
    path = top / ".gitattributes"
    if hindrance == "link":
        (top / "elsewhere").write_text("*.png binary\n")
        path.symlink_to("elsewhere")
    elif hindrance == "folder":
        path.mkdir()
    else:
        path.write_text("*.png binary\n")
        path.chmod(0o444)
    before = contents(top)
    answer = octavo(top, "init", "--json")
    assert answer.code == 2
    assert answer.json["error"]["kind"] == "setup"
    assert contents(top) == before


KILLED = """
import os, sys
from octavo.repository import changes
count, made = int(sys.argv[1]), 0
def counted(method):
    def make(self):
        global made
        if made == count:
            os.kill(os.getpid(), 9)
        made += 1
        method(self)
    return make
changes.FileChange.make = counted(changes.FileChange.make)
changes.ConfigChange.make = counted(changes.ConfigChange.make)
from octavo.surfaces.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.fault
@pytest.mark.parametrize("count", range(0, 17, 2))
def test_killed_half_way_and_run_again_is_done(tmp_path: Path, count: int) -> None:
    top = repository(tmp_path / "project").top
    (top / ".gitattributes").write_bytes(b"*.png binary")
    before = contents(top)
    env = environ(tmp_path / "home")

    def killed(*words: str) -> int:
        command = [sys.executable, "-c", KILLED, str(count), *words]
        return subprocess.run(command, cwd=top, env=env, capture_output=True).returncode

    assert killed("init") in (-signal.SIGKILL, 0)
    assert octavo(top, "init").code == 0
    assert octavo(top, "init").out == "everything is set up\n"
    assert killed("init", "--undo") in (-signal.SIGKILL, 0)
    assert octavo(top, "init", "--undo").code == 0
    assert contents(top) == before


def test_a_program_in_an_odd_place_is_called_from_there(tmp_path: Path) -> None:
    odd = tmp_path / "it's 100% odd"
    odd.mkdir()
    for name in ("python", "octavo"):
        called = f'#!/bin/sh\necho "$1" >> "$0.log"\nexec {sys.executable} -m octavo "$@"\n'
        (odd / name).write_text(called)
        (odd / name).chmod(0o755)
    top = repository(tmp_path / "project").top
    code = (
        "import sys; sys.executable = sys.argv[1]\n"
        "from octavo.surfaces.cli.main import main; sys.exit(main(['init']))"
    )
    env = environ(tmp_path / "home", PATH=os.environ["PATH"])
    subprocess.run([sys.executable, "-c", code, str(odd / "python")], cwd=top, env=env, check=True)
    (top / "x.ipynb").write_text('{"cells": [{"outputs": [1]}]}\n')
    git(top, "add", "--all", environ=env)
    shown = git(top, "cat-file", "blob", ":x.ipynb", environ=env)
    assert shown == '{"cells": [{"outputs": []}]}'
    git(top, "config", "--unset", "filter.octavo.process", environ=env)
    (top / "y.ipynb").write_text('{"cells": [{"outputs": [1]}]}\n')
    git(top, "add", "--all", environ=env)
    assert git(top, "cat-file", "blob", ":y.ipynb", environ=env) == shown
    assert set((odd / "octavo.log").read_text().split()) == {"git-clean"}


def test_a_mark_whose_end_was_lost_takes_no_line_with_it(tmp_path: Path) -> None:
    top = repository(tmp_path / "project").top
    assert octavo(top, "init").code == 0
    path = top / ".gitattributes"
    path.write_text(path.read_text().replace("# octavo end\n", "*.csv -text\n"))
    assert octavo(top, "init").code == 0
    assert octavo(top, "init", "--json").json["changes"] == []
    assert "*.csv -text\n" in path.read_text()
    assert octavo(top, "init", "--undo").code == 0
    assert "*.csv -text\n" in path.read_text()


def test_lines_that_were_added_between_two_calls_survive_undoing(tmp_path: Path) -> None:
    top = repository(tmp_path / "project").top
    assert octavo(top, "init").code == 0
    for name, line in ((".gitattributes", "*.csv -text\n"), (".gitignore", "*.tmp\n")):
        (top / name).write_text(line + (top / name).read_text().replace("octavo/\n", "x\n"))
    (top / ".gitattributes").write_text("*.csv -text\n# octavo begin\n# octavo end\n")
    assert octavo(top, "init").code == 0
    assert octavo(top, "init", "--undo").code == 0
    assert (top / ".gitattributes").read_text() == "*.csv -text\n"
    assert (top / ".gitignore").read_text() == "*.tmp\n"
