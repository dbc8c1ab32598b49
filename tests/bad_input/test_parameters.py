"""Values that do not fit, names that nobody declared, files that hold something else."""

from __future__ import annotations

import json

import pytest

from bad_input.refusing import Folder

NOTEBOOK = """\
# %% tags=["parameters"]
threshold: float = 0.9
hosts: list[str] = ["a"]
mode: Literal["fast", "slow"] = "fast"
count = 3

# %%
open("ran", "w").close()
"""


@pytest.fixture
def declared(folder: Folder) -> Folder:
    folder.write("nb.py", NOTEBOOK)
    return folder


@pytest.mark.parametrize(
    ("words", "kind", "word"),
    [
        (["-p", "threshold", "high"], "parameter-type", "'high', not a number"),
        (["-p", "count", "many"], "parameter-type", "`count` is 'many', not a"),
        (["-p", "mode", "fats"], "parameter-type", "not one of 'fast', 'slow'"),
        (["-y", "hosts: 3"], "parameter-type", "not a list"),
        (["-p", "treshold", "1"], "parameter-unknown", "the closest is `threshold`"),
        (["-p", "zzz", "1"], "parameter-unknown", "only threshold, hosts, mode, count"),
        (["-p", "1st", "1", "--allow-unknown"], "parameter-unknown", "not a Python name"),
        (["-y", "[1, 2]"], "parameter-file", "does not map names to values"),
        (["-y", "a: ["], "parameter-file", "is not YAML"),
        (["-b", "!!"], "parameter-file", "is not base64"),
        (["-b", "aGVsbG8="], "parameter-file", "does not map names to values"),
    ],
)
def test_a_value_or_name_that_does_not_fit(
    declared: Folder, words: list[str], kind: str, word: str
) -> None:
    error = declared.refuses("run", "nb.py", *words)
    assert (error.code, error.kind) == (2, kind)
    assert word in error.message


def test_every_problem_is_told_at_once(declared: Folder) -> None:
    error = declared.refuses("run", "nb.py", "-p", "count", "x", "-p", "mod", "fast")
    assert "`count`" in error.message
    assert "the closest is `mode`" in error.message


def test_a_value_that_is_missing(folder: Folder) -> None:
    folder.write("nb.py", '# %% tags=["parameters"]\nname: str\n')
    error = folder.refuses("run", "nb.py")
    assert (error.code, error.kind, error.hint) == (2, "parameter-missing", "-p name VALUE")


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("values.yaml", "[1, 2]\n", "holds a value of type list"),
        ("values.json", "3", "holds a value of type int"),
        ("values.toml", "a = 1\n", "holds a value of type str"),
        ("values.yaml", "a: [\n", "is not YAML: line 2"),
        ("values.json", '{"a":', "is not JSON: line 1"),
        ("values.yaml", "{1: 2}\n", "the key 1, which is not a name"),
        ("values.yaml", b"a: '\xe4'\n", "byte 0xe4 in line 1"),
        ("values.yaml", "!!python/object/apply:os.mkdir [made]\n", "could not determine"),
    ],
)
def test_a_parameter_file_that_is_no_mapping(
    declared: Folder, name: str, content: str | bytes, word: str
) -> None:
    declared.write(name, content)
    error = declared.refuses("run", "nb.py", "-f", name)
    assert (error.code, error.kind) == (2, "parameter-file")
    assert word in error.message
    assert name in error.place


def test_a_parameter_file_that_is_not_there(declared: Folder) -> None:
    assert declared.refuses("run", "nb.py", "-f", "values.yaml").kind == "parameter-file"
    declared.write("values.yaml/x", "")
    error = declared.refuses("run", "nb.py", "-f", "values.yaml")
    assert (error.kind, error.message) == ("parameter-file", "this is a folder, not a file")


def test_with_several_notebooks_the_one_that_refuses_is_named(declared: Folder) -> None:
    declared.write("other.py", '# %% tags=["parameters"]\nlevel = 1\n')
    error = declared.refuses("run", "nb.py", "other.py", "-p", "count", "1")
    assert error.place == "other.py: count"
    assert json.loads(declared("inspect", "other.py", "--json")[1])["properties"].keys() == {
        "level"
    }
