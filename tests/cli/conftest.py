"""The command line in a folder of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cli.calling import NOTEBOOK, Answer, Octavo, variables
from octavo.surfaces.cli.main import main


@pytest.fixture
def octavo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Octavo:
    """Run a command in this process, in the temporary folder."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "octavo.toml").write_text("")
    (project / "nb.py").write_text(NOTEBOOK)
    for name, value in variables(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(project)

    def call(*words: object) -> Answer:
        capsys.readouterr()
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with two runs of one notebook: the first succeeded, the second failed."""
    home = tmp_path_factory.mktemp("recorded")
    (home / "octavo.toml").write_text("")
    (home / "nb.py").write_text(NOTEBOOK)
    for n in ("2", "5"):
        command = [sys.executable, "-m", "octavo", "run", "nb.py", "-p", "n", n, "-q"]
        subprocess.run(
            command, cwd=home, env=variables(home), check=False, capture_output=True, timeout=120
        )
    return home


@pytest.fixture
def in_recorded(recorded: Path, octavo: Octavo, monkeypatch: pytest.MonkeyPatch) -> Octavo:
    """Commands in the project that has runs; they must not add any."""
    monkeypatch.chdir(recorded)
    return octavo
