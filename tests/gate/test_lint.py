"""`octavo lint` from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gate.project import Project
from git_repositories import commit_files, repository
from octavo.surfaces.cli.main import main


def linted(project: Project, *words: str) -> tuple[int, dict[str, Any]]:
    code, out, err = project.octavo("lint", "--json", *words)
    assert out, err
    return code, json.loads(out)


def test_errors_end_with_one_and_name_their_places(project: Project) -> None:
    project.write("good.py", "x = 1", "print(x)")
    project.write("bad.py", "print(y)", "y = 1")
    code, answer = linted(project)
    assert (code, answer["ok"], answer["notebooks"]) == (1, False, 2)
    (found,) = answer["findings"]
    assert (found["path"], found["rule"], found["line"]) == (
        "notebooks/bad.py", "defined-later", 2,
    )  # fmt: skip


def test_warnings_end_with_zero(project: Project) -> None:
    project.write("nb.py", "raise SystemExit", "1")
    code, answer = linted(project)
    assert code == 0
    assert [each["severity"] for each in answer["findings"]] == ["warning"]
    assert linted(project, "--errors-only")[1]["findings"] == []


def test_rules_are_chosen_and_left_out(project: Project) -> None:
    project.write("nb.py", "nowhere", "raise SystemExit", "1")
    rules = {each["rule"] for each in linted(project)[1]["findings"]}
    assert rules == {"undefined-name", "unreachable"}
    assert linted(project, "--rule", "unreachable")[0] == 0
    left = linted(project, "--ignore", "unreachable")[1]["findings"]
    assert [each["rule"] for each in left] == ["undefined-name"]


def test_a_rule_that_is_not_there_is_refused_with_those_that_are(project: Project) -> None:
    project.write("nb.py", "1")
    code, _, err = project.octavo("lint", "--rule", "nonsense")
    assert code == 2
    assert "undefined-name" in err


def test_a_file_that_is_no_notebook_any_more_is_a_finding(project: Project) -> None:
    (project.folder / "notebooks" / "nb.ipynb").write_text('{"cells": [')
    (project.folder / "notebooks" / "empty.ipynb").write_text("")
    code, answer = linted(project)
    assert code == 1
    assert [each["rule"] for each in answer["findings"]] == ["invalid-notebook"] * 2


def test_a_file_that_is_not_there_is_an_error(project: Project) -> None:
    code, _, err = project.octavo("lint", "nowhere.py")
    assert code == 2
    assert "nowhere.py" in err


def test_people_read_places_messages_rules_and_a_count(project: Project) -> None:
    project.write("nb.py", "print(nowhere)")
    _, out, _ = project.octavo("lint")
    assert out.splitlines()[0] == "notebooks/nb.py"
    assert ":2" in out
    assert "undefined-name" in out
    assert out.splitlines()[-1].endswith("1 notebook: 1 error")
    project.write("nb.py", "print(1)")
    assert "nothing found" in project.octavo("lint")[1]


def test_hostile_text_in_a_finding_does_not_reach_the_terminal(project: Project) -> None:
    project.write("nb.py", "x = 1  # octavo: ignore[\x1b]0;owned\x07]")
    assert "\x1b" not in project.octavo("lint")[1]


def test_without_configured_folders_what_git_tracks_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "repo"
    repository(folder)
    commit_files(folder, {"deep/nb.py": "# %%\nnowhere\n", "module.py": "x = 1\n"})
    (folder / "untracked.py").write_text("# %%\nnowhere\n")
    monkeypatch.chdir(folder)
    assert main(["lint", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["notebooks"] == 1
    assert [each["path"] for each in answer["findings"]] == ["deep/nb.py"]
