"""Git goes on working for those who have no Octavo, or have it no more, and tells them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from git_repositories import git
from octavo.repository.launching import Program, configuration, hook_lines
from repository.setting_up import STREAM, environ, initialized, notebook, run

DIRTY = notebook("print('hello')", outputs=[STREAM], count=3)


def bare_path(folder: Path) -> str:
    """A PATH with git and the usual tools, and no Octavo."""
    tools = folder / "tools"
    tools.mkdir()
    for name in ("git", "sh", "cat", "sed", "echo", "grep", "diff"):
        found = shutil.which(name)
        assert found
        (tools / name).symlink_to(found)
    return str(tools)


@pytest.fixture
def clone(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A clone of a set-up repository by somebody without Octavo."""
    top = initialized(tmp_path)
    git(tmp_path, "clone", "--quiet", str(top), "clone")
    return tmp_path / "clone", environ(tmp_path / "home", PATH=bare_path(tmp_path))


def work(top: Path, env: dict[str, str]) -> str:
    """An ordinary day with git; everything that git said."""
    said = ""

    def call(*words: str) -> None:
        nonlocal said
        answer = run(top, "git", *words, env=env)
        assert answer.code == 0, f"{words}: {answer}"
        said += answer.out + answer.err

    (top / "new.ipynb").write_text(DIRTY)
    (top / "notebooks/n.py").write_text("# %%\na = 5\n")
    call("status")
    call("add", "--all")
    call("commit", "-m", "day")
    call("checkout", "-b", "side", "HEAD~1")
    call("checkout", "main")
    (top / "new.ipynb").write_text(DIRTY.replace("hello", "bye"))
    call("diff")
    call("log", "-p", "-2")
    call("checkout", "--", ".")
    (top / "new.ipynb").write_text(DIRTY.replace("stdout", "stderr"))
    call("commit", "--all", "-m", "ours")
    call("checkout", "-b", "theirs", "HEAD~1")
    text = (top / "new.ipynb").read_text()
    (top / "new.ipynb").write_text(text.replace('"nbformat_minor": 5', '"nbformat_minor": 4'))
    call("commit", "--all", "-m", "theirs")
    call("merge", "--no-edit", "main")
    call("stash", "list")
    return said


def test_a_clone_by_somebody_without_octavo_is_an_ordinary_one(
    clone: tuple[Path, dict[str, str]],
) -> None:
    top, env = clone
    said = work(top, env)
    assert "octavo does not run here:" not in said
    assert "pip install octavo" in (top / ".gitattributes").read_text()
    assert (top / "docs" / "NOTEBOOK_WORKFLOW.md").exists()


def test_a_program_that_is_gone_is_told_and_git_goes_on(
    clone: tuple[Path, dict[str, str]],
) -> None:
    top, env = clone
    gone = Program("/nowhere/bin/python", "/nowhere/bin/octavo")
    for key, value in configuration(gone).items():
        git(top, "config", key, value)
    said = work(top, env)
    assert "octavo does not run here: outputs are not taken out" in said
    assert "octavo does not run here: notebooks are compared as text" in said
    assert "octavo does not run here: notebooks are merged as text" in said
    text = (top / "new.ipynb").read_text()
    assert '"nbformat_minor": 4' in text
    assert "stderr" in text


def test_a_program_that_is_broken_does_not_stop_git(clone: tuple[Path, dict[str, str]]) -> None:
    top, env = clone
    broken = top.parent / "broken"
    broken.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    broken.chmod(0o755)
    for key, value in configuration(Program(str(broken), str(broken))).items():
        git(top, "config", key, value)
    hook = top / ".git" / "hooks" / "pre-commit"
    lines = hook_lines(Program(str(broken)), "pre-commit")
    hook.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    hook.chmod(0o755)
    assert "broken" in work(top, env)


def test_a_conflict_without_octavo_has_gits_own_marks(
    clone: tuple[Path, dict[str, str]],
) -> None:
    top, env = clone
    for key, value in configuration(Program("/nowhere/python")).items():
        git(top, "config", key, value)
    (top / "x.ipynb").write_text(DIRTY)
    git(top, "add", "--all", environ=env)
    git(top, "commit", "-qm", "x", environ=env)
    git(top, "checkout", "-qb", "side", environ=env)
    (top / "x.ipynb").write_text(DIRTY.replace("hello", "side"))
    git(top, "commit", "-qam", "side", environ=env)
    git(top, "checkout", "-q", "main", environ=env)
    (top / "x.ipynb").write_text(DIRTY.replace("hello", "main"))
    git(top, "commit", "-qam", "main", environ=env)
    assert run(top, "git", "merge", "side", env=env).code == 1
    text = (top / "x.ipynb").read_text()
    assert "<<<<<<< " in text
    assert "side" in text
    assert "main" in text


def test_hooks_without_octavo_say_so_once_and_let_git_go_on(
    clone: tuple[Path, dict[str, str]],
) -> None:
    top, env = clone
    for name in ("pre-commit", "post-checkout"):
        hook = top / ".git" / "hooks" / name
        lines = hook_lines(Program("/nowhere/python"), name)
        hook.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        hook.chmod(0o755)
    answer = run(top, "git", "commit", "--allow-empty", "-m", "x", env=env)
    assert answer.code == 0
    assert (answer.out + answer.err).count("octavo does not run here") == 1
    assert run(top, "git", "checkout", "-b", "y", env=env).code == 0


def test_another_octavo_on_the_path_takes_over(clone: tuple[Path, dict[str, str]]) -> None:
    top, env = clone
    for key, value in configuration(Program("/nowhere/python")).items():
        git(top, "config", key, value)
    (top / "x.ipynb").write_text(DIRTY)
    env = environ(top.parent / "home")
    git(top, "add", "x.ipynb", environ=env)
    assert '"outputs": []' in git(top, "cat-file", "blob", ":x.ipynb", environ=env)
