"""Agents are installed once, whole or not at all. A stand-in for npm installs in no time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from agents.build import CODEX

_TESTS = Path(__file__).parents[1]
_NPM = '#!/bin/sh\necho "$@" >> "{log}"\n{then}\n'
_INSTALL = "mkdir -p node_modules/.bin && echo agent > node_modules/.bin/codex"


def make(machine: Path, then: str | None = _INSTALL) -> subprocess.CompletedProcess[str]:
    programs = machine / "bin"
    shutil.rmtree(programs, ignore_errors=True)
    programs.mkdir()
    for name in ("sh", "mkdir", "kill"):
        (programs / name).symlink_to(str(shutil.which(name)))
    if then is not None:
        npm = programs / "npm"
        npm.write_text(_NPM.format(log=machine / "log", then=then))
        npm.chmod(0o755)
    return subprocess.run(
        [sys.executable, "-m", "agents.build", "codex"],
        cwd=_TESTS,
        env={"PATH": str(programs), "XDG_CACHE_HOME": str(machine / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )


def is_here(machine: Path) -> bool:
    folder = machine / "cache" / "octavo-tests" / "agents" / CODEX.folder.name
    return (folder / "complete").exists() and os.listdir(folder / "node_modules/.bin") == ["codex"]


def test_an_agent_is_installed_once(tmp_path: Path) -> None:
    first, second = make(tmp_path), make(tmp_path)
    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert is_here(tmp_path) and "is there" in second.stdout
    [call] = (tmp_path / "log").read_text().splitlines()
    assert call.endswith(f"{CODEX.npm}@{CODEX.version}")


def test_an_installation_that_fails_or_is_killed_is_made_anew(tmp_path: Path) -> None:
    for then in ("echo broken >&2; exit 1", f"{_INSTALL}; kill -9 $PPID"):
        failed = make(tmp_path, then)
        assert failed.returncode != 0 and not is_here(tmp_path)
    assert make(tmp_path).returncode == 0
    assert is_here(tmp_path)


def test_without_npm_there_is_one_plain_line(tmp_path: Path) -> None:
    told = make(tmp_path, None)
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr == "codex comes from npm, which is not here: https://nodejs.org\n"
