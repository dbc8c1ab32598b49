"""The command line in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from bad_input.refusing import Folder
from cli.calling import variables
from octavo.surfaces.cli.main import main


@pytest.fixture
def folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Folder:
    """An empty folder; commands run in this process and start no kernel ahead of time."""
    path = tmp_path / "project"
    path.mkdir()
    (tmp_path / "runtime").mkdir()
    for name, value in variables(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.chdir(path)
    monkeypatch.setattr("octavo.app.prestart.prestart", lambda words: None)

    def call(words: list[str]) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(words)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return Folder(path, call)
