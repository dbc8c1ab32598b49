"""Servers are built once, whole or not at all. A stand-in for Go builds in no time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from servers.build import GITEA, SERVERS

_TESTS = Path(__file__).parents[1]
_GO = """#!/bin/sh
echo "$@" >> "{log}"
case "$1" in
  mod) echo '{{"Dir": "{module}"}}' ;;
  build) {build} ;;
esac
"""
#: All of them, as they are kept.
ALL = sorted(each.folder.name for each in SERVERS)
_BUILD = 'while [ "$1" != "-o" ]; do shift; done; cp main.go "$2"'


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder that is all a build sees: a module that may not be written to, and a cache."""
    module = tmp_path / "module"
    for name in GITEA.kept:
        (module / name).mkdir(parents=True)
        (module / name / "file").write_text(name)
    (module / "main.go").write_text("a server\n")
    subprocess.run(["chmod", "-R", "a-w", str(module)], check=True)
    return tmp_path


def make(machine: Path, build: str | None = _BUILD) -> subprocess.CompletedProcess[str]:
    programs = machine / "bin"
    shutil.rmtree(programs, ignore_errors=True)
    programs.mkdir()
    for name in ("sh", "cp", "chmod", "kill"):
        (programs / name).symlink_to(str(shutil.which(name)))
    if build is not None:
        go = programs / "go"
        go.write_text(_GO.format(log=machine / "log", module=machine / "module", build=build))
        go.chmod(0o755)
    return subprocess.run(
        [sys.executable, "-m", "servers.build"],
        cwd=_TESTS,
        env={"PATH": str(programs), "XDG_CACHE_HOME": str(machine / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )


def kept(machine: Path) -> list[str]:
    folder = machine / "cache" / "octavo-tests" / "servers"
    return sorted(each.name for each in folder.iterdir() if each.name != ".lock")


def test_a_server_is_built_once(machine: Path) -> None:
    first, second = make(machine), make(machine)
    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert kept(machine) == ALL
    assert second.stdout.count("is there") == len(SERVERS)
    calls = (machine / "log").read_text().splitlines()
    assert [call.split()[0] for call in calls] == ["mod", "build"] * len(SERVERS)
    folder = machine / "cache" / "octavo-tests" / "servers" / GITEA.folder.name
    assert sorted(os.listdir(folder)) == ["gitea", *GITEA.kept]
    assert (folder / "gitea").read_text() == "a server\n"


def test_a_build_that_fails_leaves_no_server(machine: Path) -> None:
    failed = make(machine, "echo broken >&2; exit 1")
    assert failed.returncode != 0
    assert "broken" in failed.stderr
    assert f"gitea-{GITEA.version}" not in kept(machine)
    assert make(machine).returncode == 0
    assert kept(machine) == ALL


def test_a_build_that_is_killed_leaves_no_server(machine: Path) -> None:
    killed = make(machine, f"{_BUILD}; kill -9 $PPID")
    assert killed.returncode == -9
    assert f"gitea-{GITEA.version}" not in kept(machine)
    assert make(machine).returncode == 0
    assert kept(machine) == ALL


def test_without_go_there_is_one_plain_line(machine: Path) -> None:
    told = make(machine, None)
    assert told.returncode == 1
    assert told.stdout == ""
    assert told.stderr == "gitea is built with Go, which is not here: https://go.dev/dl\n"
