"""Papermill itself and Octavo's engine for it, in a folder of their own."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, NamedTuple

import pytest

import loaded_programs
from cli.calling import variables


class Done(NamedTuple):
    """What a command leaves behind."""

    code: int
    out: str
    err: str


Program = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project, and the current folder."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "octavo.toml").write_text("")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("OCTAVO_NO_RESIDENT", "1")
    monkeypatch.setenv("OCTAVO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    sockets = Path(mkdtemp(prefix="k", dir="/tmp"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(sockets))
    monkeypatch.chdir(project)
    logger = logging.getLogger("papermill")
    level = logger.level
    yield project
    logger.setLevel(level)
    rmtree(sockets, ignore_errors=True)


@pytest.fixture
def program(folder: Path) -> Program:
    """Run `python -m MODULE` there, with something on standard input."""

    def call(module: str, *words: object, stdin: str | None = "") -> Done:
        environ = {**variables(folder.parent), "IPYTHONDIR": str(folder.parent / "ipython")}
        for _ in range(3):
            done = _called(module, list(map(str, words)), folder, environ, stdin)
            # A port that was free when Jupyter chose it may be taken when the kernel wants it.
            if "Address already in use" not in done.stderr:
                break
        return Done(done.returncode, done.stdout, done.stderr)

    return call


def _called(
    module: str, words: list[str], cwd: Path, env: dict[str, str], stdin: str | None
) -> subprocess.CompletedProcess[str]:
    if module in loaded_programs.NAMES:
        return loaded_programs.call([module, *words], cwd, env, stdin, 120)
    return subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=cwd, env=env, input=stdin, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


Execute = Callable[..., Any]


@pytest.fixture(params=["nbclient", "octavo"])
def engine(request: pytest.FixtureRequest) -> str:
    """Papermill's own engine, then ours: what holds for one must hold for the other."""
    return str(request.param)


@pytest.fixture
def execute(folder: Path) -> Execute:
    """Papermill's own function, without a progress bar.

    Its kernels listen on files: ports that are free when they are chosen may be taken a moment
    later where many tests run at once.
    """
    import papermill
    from traitlets.config import Config

    listening = {"config": Config({"KernelManager": {"transport": "ipc"}})}

    def call(source: Any, output: Any, engine: str, **options: Any) -> Any:
        assert Path(os.getcwd()) == folder
        if engine == "nbclient":
            options = {**listening, **options}
        return papermill.execute_notebook(
            source, output, engine_name=engine, progress_bar=False, **options
        )

    return call
