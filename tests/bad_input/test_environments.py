"""Interpreters that are gone, blocks that do not parse or resolve, and no network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bad_input.refusing import Folder

CELL = "\n# %%\nopen('ran', 'w').close()\n"


def block(*lines: str) -> str:
    return "".join(f"# {line}\n" for line in ("/// script", *lines, "///")) + CELL


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        (block("dependencies = ["), 2, "Invalid value"),
        (block('dependencies = "numpy"'), 1, "must be a list of strings"),
        (block("dependencies = []", 'requires-python = "newest"'), 3, "not a range of versions"),
        ("# /// script\n# dependencies = []\n" + CELL, 1, "has no end"),
        (block() + "\n" + block(), 7, "2 script blocks"),
    ],
)
@pytest.mark.parametrize("command", ["run", "warm"])
def test_a_script_block_that_does_not_parse(
    folder: Folder, command: str, text: str, line: int, word: str
) -> None:
    path = folder.write("nb.py", text)
    error = folder.refuses(command, "nb.py")
    assert (error.code, error.kind) == (2, "environment-block")
    assert error.place == f"{path}:{line}"
    assert word in error.message


def refuses_to_build(folder: Folder, *words: str) -> tuple[str, str]:
    """Kind and message of an error that comes after a line of progress."""
    code, out, err = folder("run", "nb.py", "--json", *words)
    error = json.loads(out)["error"]
    assert code in (2, 3)
    assert error["hint"]
    assert "\n" not in error["message"], "uv's reason, shortened"
    assert len(error["message"]) < 600
    assert "Traceback" not in err
    assert os.listdir(folder.path) == ["nb.py"], "nothing was run"
    return error["kind"], error["message"]


@pytest.mark.network
def test_packages_that_do_not_go_together(folder: Folder) -> None:
    folder.write("nb.py", block('dependencies = ["six==1.16.0", "six==1.15.0"]'))
    kind, message = refuses_to_build(folder)
    assert kind == "environment-unresolved"
    assert "six==1.16.0 and six==1.15.0" in message


@pytest.mark.network
def test_a_package_that_nobody_has(folder: Folder) -> None:
    folder.write("nb.py", block('dependencies = ["octavo-has-no-such-package-9"]'))
    kind, message = refuses_to_build(folder)
    assert kind == "environment-unresolved"
    assert "octavo-has-no-such-package-9 was not found" in message


def test_no_network_and_a_cold_cache(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    folder.write("nb.py", block('dependencies = ["six"]'))
    kind, message = refuses_to_build(folder, "--offline")
    assert kind == "environment-offline"
    assert "is not built yet" in message


def test_no_uv_to_build_with(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo.environments.uv.find_uv", lambda *where: None)
    folder.write("nb.py", block('dependencies = ["six"]'))
    error = folder.refuses("run", "nb.py")
    assert (error.code, error.kind) == (3, "extra-missing")
    assert "octavo[uv]" in error.hint


def test_a_requirement_that_uv_cannot_read(folder: Folder) -> None:
    folder.write("nb.py", block('dependencies = ["six==="]'))
    kind, message = refuses_to_build(folder, "--offline")
    assert (kind, "six===" in message) == ("environment-block", True)


@pytest.mark.parametrize(
    ("python", "code", "kind"),
    [
        ("/nowhere/python", 3, "interpreter-missing"),
        ("./script", 3, "interpreter-missing"),
        ("./folder", 2, "wrong-argument"),
        ("9.99", 3, "interpreter-missing"),
    ],
)
def test_an_interpreter_that_is_none(folder: Folder, python: str, code: int, kind: str) -> None:
    folder.write("nb.py", CELL)
    folder.write("script", "#!/bin/sh\nexit 1\n").chmod(0o755)
    (folder.path / "folder").mkdir()
    error = folder.refuses("run", "nb.py", "--python", python, "--offline")
    assert (error.code, error.kind) == (code, kind)


def test_a_venv_whose_interpreter_is_gone(folder: Folder) -> None:
    folder.write("nb.py", CELL)
    folder.write(".venv/pyvenv.cfg", "home = /nowhere\nversion = 3.11.1\n")
    (folder.path / ".venv/bin").mkdir()
    (folder.path / ".venv/bin/python").symlink_to("/nowhere/python3.11")
    error = folder.refuses("run", "nb.py")
    assert (error.code, error.kind) == (3, "interpreter-missing")
    assert "/nowhere/python3.11, which is gone" in error.message
    assert "uv venv" in error.hint


def test_a_venv_that_lost_its_interpreter(folder: Folder) -> None:
    folder.write("nb.py", CELL)
    venv = [sys.executable, "-m", "venv", "--without-pip", "--symlinks", ".venv"]
    subprocess.run(venv, cwd=folder.path, check=True)
    shutil.rmtree(folder.path / ".venv/bin")
    assert folder.refuses("run", "nb.py").kind == "interpreter-missing"


@pytest.mark.parametrize("option", ["--env-file", "--cwd"])
def test_a_file_or_folder_that_is_not_there(folder: Folder, option: str) -> None:
    folder.write("nb.py", CELL)
    error = folder.refuses("run", "nb.py", option, "missing")
    assert (error.code, error.kind) == (2, "wrong-argument")
    assert option in error.message


def test_a_cache_that_cannot_be_written(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = folder.write("cache", "a file")
    monkeypatch.setenv("OCTAVO_CACHE", str(cache))
    folder.write("nb.py", block('dependencies = ["six"]'))
    error = folder.refuses("run", "nb.py")
    assert (error.code, error.kind) == (3, "storage")
    assert "cache folder" in error.hint


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("octavo.toml", "env = [", "Invalid value"),
        ("octavo.toml", b"\xff", "utf-8"),
        ("octavo.toml", "envs = []", "envs is not a setting"),
        ("octavo.toml", "env = 3", "must be a list of strings"),
        ("octavo.toml", "warm-idle-seconds = 'long'", "must be a number"),
        ("pyproject.toml", "[[tool.octavo]]\nenv = []", "not a table"),
    ],
)
def test_a_mistake_in_the_configuration(
    folder: Folder, name: str, text: str | bytes, word: str
) -> None:
    folder.write("nb.py", CELL)
    path = folder.write(name, text)
    error = folder.refuses("run", "nb.py")
    assert (error.code, error.kind, error.place) == (2, "configuration", str(path))
    assert word in error.message
