from __future__ import annotations

import os
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.making import MakeVenv
from octavo.environments.launch import Environment
from octavo.environments.variables import BASE, matches, missing_variable_hint, variables
from octavo.errors import UsageError

SYSTEM = Environment("/opt/python/bin/python3", "a test")
CALLER = {
    "PATH": "/usr/local/bin:/usr/bin",
    "HOME": "/home/ada",
    "LC_ALL": "C.UTF-8",
    "AWS_REGION": "eu-1",
    "AWS_SECRET": "abc",
    "EDITOR": "vi",
}


def test_only_the_base_set_is_passed_without_being_asked_for() -> None:
    passed = variables(CALLER, SYSTEM)
    assert passed == {
        "PATH": "/opt/python/bin:/usr/local/bin:/usr/bin",
        "HOME": "/home/ada",
        "LC_ALL": "C.UTF-8",
    }


def test_a_name_a_pattern_and_a_value_can_be_added() -> None:
    passed = variables(CALLER, SYSTEM, names=["EDITOR", "AWS_*", "MODE=a=b", "EMPTY="])
    added = {name: passed.get(name) for name in ("EDITOR", "AWS_REGION", "MODE", "EMPTY")}
    assert added == {"EDITOR": "vi", "AWS_REGION": "eu-1", "MODE": "a=b", "EMPTY": ""}


def test_a_star_passes_everything() -> None:
    assert CALLER.keys() <= variables(CALLER, SYSTEM, names=["*"]).keys()


def test_a_value_that_is_written_out_wins() -> None:
    files = [{"HOME": "/file", "A": "1"}, {"A": "2"}]
    passed = variables(CALLER, SYSTEM, names=["PATH=/only", "A=3"], files=files)
    assert (passed["PATH"], passed["HOME"], passed["A"]) == ("/only", "/file", "3")


def test_a_name_may_come_from_a_file_instead_of_the_caller() -> None:
    assert variables(CALLER, SYSTEM, names=["TOKEN"], files=[{"TOKEN": "t"}])["TOKEN"] == "t"


def test_a_name_that_is_not_set_is_an_error() -> None:
    with pytest.raises(UsageError, match="--env NOWHERE: there is no such variable") as caught:
        variables(CALLER, SYSTEM, names=["NOWHERE"])
    assert "--env NOWHERE=VALUE" in caught.value.hint


@pytest.mark.parametrize("name", ["", "=x", "A B", "A\0"])
def test_what_is_no_name_is_an_error(name: str) -> None:
    with pytest.raises(UsageError, match="is not the name of a variable"):
        variables(CALLER, SYSTEM, names=[name])


def test_a_venv_is_active_whatever_the_caller_has_active(make_venv: MakeVenv) -> None:
    root = make_venv()
    environment = Environment(str(root / "bin/python"), "a test", root=str(root))
    caller = {**CALLER, "VIRTUAL_ENV": "/other", "PYTHONHOME": "/x", "CONDA_PREFIX": "/conda"}
    passed = variables(caller, environment, names=["*"])
    assert passed["VIRTUAL_ENV"] == str(root)
    assert passed["PATH"].split(os.pathsep)[0] == str(root / "bin")
    assert not passed.keys() & {"PYTHONHOME", "CONDA_PREFIX"}


def test_shell_commands_in_a_notebook_find_the_same_python(make_venv: MakeVenv) -> None:
    root = make_venv()
    environment = Environment(str(root / "bin/python"), "a test", root=str(root))
    passed = variables(dict(os.environ), environment)
    shown = subprocess.run(
        ["/bin/sh", "-c", "python -c 'import sys; print(sys.prefix)'"],
        env=passed,
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.strip() == str(root)


def test_a_conda_environment_is_active(tmp_path: Path) -> None:
    (tmp_path / "conda-meta").mkdir()
    environment = Environment(str(tmp_path / "bin/python"), "a test", root=str(tmp_path))
    passed = variables(CALLER, environment)
    assert passed["CONDA_PREFIX"] == str(tmp_path)
    assert "VIRTUAL_ENV" not in passed


def test_a_missing_variable_is_explained_only_when_the_caller_has_it() -> None:
    passed = variables(CALLER, SYSTEM)
    assert "add --env EDITOR" in missing_variable_hint("EDITOR", CALLER, passed)
    assert missing_variable_hint("HOME", CALLER, passed) == ""
    assert missing_variable_hint("NOWHERE", CALLER, passed) == ""


@given(st.text("AB_*", max_size=8), st.text("AB_", max_size=8))
def test_patterns_mean_what_they_mean_to_a_shell(pattern: str, name: str) -> None:
    assert matches(name, pattern) == fnmatchcase(name, pattern)


def test_the_base_set_is_documented() -> None:
    text = Path(__file__, "../../../docs/environments.md").resolve().read_text()
    assert [name for name in BASE if f"`{name}`" not in text] == []
