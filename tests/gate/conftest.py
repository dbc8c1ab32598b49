"""A project with notebooks, and the command line in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.calling import variables
from gate.project import Project
from octavo.surfaces.cli.main import main


@pytest.fixture
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Project:
    """An empty project; commands run in this process."""
    folder = tmp_path / "project"
    (folder / "notebooks").mkdir(parents=True)
    (folder / "octavo.toml").write_text("")
    for name, value in variables(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.chdir(folder)

    def call(words: list[str]) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(words)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return Project(folder, call)
