"""Completion scripts, in the shells that are here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.calling import Octavo, variables
from octavo.surfaces.cli.commands import COMMANDS


def run_shell(shell: str, script: str, home: Path) -> str:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    environ = variables(home)
    environ["PATH"] = f"{home / 'bin'}:{environ['PATH']}"
    done = subprocess.run(
        [shell, "-c", script], cwd=home, env=environ, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def home(recorded: Path) -> Path:
    """The project with runs, and a program `octavo` for the scripts to ask."""
    (recorded / "bin").mkdir(exist_ok=True)
    program = recorded / "bin" / "octavo"
    if not program.exists():
        draft = program.with_suffix(".draft")
        draft.write_text(f'#!/bin/sh\nexec {sys.executable} -m octavo "$@"\n')
        draft.chmod(0o755)
        draft.rename(program)
    return recorded


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_parse(octavo: Octavo, tmp_path: Path, shell: str) -> None:
    answer = octavo("completion", shell)
    assert answer.code == 0
    (tmp_path / "script").write_text(answer.out)
    run_shell(shell, f"{shell} -n {tmp_path / 'script'}", tmp_path)
    for entry in COMMANDS:
        told = all(word in answer.out for word in entry.name.split())
        assert told is not entry.hidden


BASH = """
eval "$(octavo completion bash)"
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _octavo
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("octavo sc", ["scraps"]),
        ("octavo ru", ["run", "runs"]),
        ("octavo run --cell", ["--cell-timeout"]),
        ("octavo run n", ["nb.py"]),
        ("octavo show --images s", ["sixel"]),
        ("octavo completion f", ["fish"]),
        ("octavo scraps la", ["last"]),
        ("octavo run nb.py --cwd b", ["bin"]),
        ("octavo run nb.py --engine j", ["jupyter"]),
        ("octavo run nb.py --kernel pyth", ["python3"]),
        ("octavo run nb.py -p ''", [""]),
        ("octavo jo", ["job"]),
        ("octavo job w", ["wait"]),
        ("octavo job poll --cur", ["--cursor"]),
        ("octavo mcp inst", ["install"]),
        ("octavo mcp --tools", ["--toolsets"]),
    ],
)
def test_bash_offers(home: Path, words: str, offered: list[str]) -> None:
    assert run_shell("bash", BASH.format(words=words), home).splitlines() == offered


def test_bash_offers_runs(home: Path) -> None:
    offered = run_shell("bash", BASH.format(words="octavo rerun ''"), home).splitlines()
    ids = [path.name for path in home.glob(".octavo/runs/*/*")]
    assert offered[0] == "last"
    assert sorted(offered[1:]) == sorted(ids)


def test_fish_offers_with_help(home: Path) -> None:
    script = 'octavo completion fish | source; complete -C "octavo run --cell"'
    assert run_shell("fish", script, home) == "--cell-timeout\tlongest time for a cell\n"


def test_fish_offers_the_second_word_and_what_follows_it(home: Path) -> None:
    offer = "octavo completion fish | source; complete -C "
    assert run_shell("fish", f'{offer}"octavo job wa"', home).startswith("wait\t")
    assert run_shell("fish", f'{offer}"octavo job poll --cur"', home).startswith("--cursor\t")
    assert run_shell("fish", f'{offer}"octavo job po --cur"', home) == ""


def test_a_family_has_a_page_of_its_own(octavo: Octavo) -> None:
    for words in (["job"], ["job", "--help"]):
        told = octavo(*words)
        assert told.code == 0
        assert told.out.startswith("usage: octavo job COMMAND [options]\n")
        assert "  job wait " in told.out
