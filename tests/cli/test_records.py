"""`runs`, `show`, `scraps`: reading what has been run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.calling import Octavo

pytestmark = pytest.mark.kernel


def ids(recorded: Path) -> list[str]:
    """The ids of the runs, the newest first."""
    return sorted((path.name for path in recorded.glob(".octavo/runs/*/*")), reverse=True)


def test_runs_lists_the_newest_first(in_recorded: Octavo, recorded: Path) -> None:
    lines = in_recorded("runs").out.splitlines()
    assert lines[0].split() == ["run", "when", "took", "cells", "notebook"]
    newest, oldest = ids(recorded)
    assert re.match(rf"✗  {newest[-8:]}  .* 4  nb.py     cell-error n=5$", lines[1])
    assert re.match(rf"✓  {oldest[-8:]}  .* 5  nb.py     n=2$", lines[2])


def test_runs_as_json(in_recorded: Octavo, recorded: Path) -> None:
    found = in_recorded("runs", "--json").json
    assert [run["run_id"] for run in found["runs"]] == ids(recorded)
    assert found["more"] is False
    first = found["runs"][0]
    assert (first["status"], first["reason"], first["parameters"]) == (
        "error",
        "cell-error",
        {"n": 5},
    )
    assert first["notebook"] == str(recorded / "nb.py")


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (["--status", "success"], 1),
        (["--status", "cell-error"], 1),
        (["--status", "running"], 0),
        (["--since", "1h"], 2),
        (["--since", "2199-01-01"], 0),
        (["nb.py"], 2),
        (["./nb.py"], 2),
        (["other.py"], 0),
        (["-n", "1"], 1),
        (["--until", "1h"], 0),
        (["--until", "2199-01-01"], 2),
        (["--where", "n=2"], 1),
        (["-w", "n>1", "-w", "words"], 2),
        (["--where", "n=2", "--status", "error"], 0),
    ],
)
def test_runs_filters(in_recorded: Octavo, words: list[str], count: int) -> None:
    assert len(in_recorded("runs", *words, "--json").json["runs"]) == count


def test_runs_sorted_by_a_scrap(in_recorded: Octavo) -> None:
    def order(*words: str) -> list[int]:
        found = in_recorded("runs", *words, "--json").json["runs"]
        return [run["parameters"]["n"] for run in found]

    assert order("--sort", "n") == [5, 2]
    assert order("--sort", "n", "--reverse") == [2, 5]
    assert in_recorded("runs", "--sort", "n").out.splitlines()[0].split()[-1] == "n"
    code, _, err = in_recorded("runs", "--sort", "duratoin")
    assert code == 2
    assert "hint: did you mean duration?" in err


def test_runs_end_with_how_long_they_took(in_recorded: Octavo) -> None:
    last = in_recorded("runs").out.splitlines()[-1]
    assert re.match(r"nb\.py  [▁▂▃▄▅▆▇█]{2}  .*, last \d", last)


def test_runs_says_when_there_is_more_or_nothing(in_recorded: Octavo, tmp_path: Path) -> None:
    assert in_recorded("runs", "-n", "1").out.endswith("more with --limit\n")
    assert in_recorded("runs", "other.py").out == "no runs match\n"


def test_without_any_run(octavo: Octavo) -> None:
    assert octavo("runs").out == "no runs yet; octavo run notebook.py\n"
    assert octavo("show").err == "octavo: there are no runs yet\n  hint: octavo run notebook.py\n"


def test_scraps(in_recorded: Octavo) -> None:
    assert in_recorded("scraps", "last").out == 'n      5\nwords  ["a", "b"]\n'
    assert in_recorded("scraps", "last", "n").out == "5\n"
    assert in_recorded("scraps", "last", "words").out == '["a", "b"]\n'
    assert in_recorded("scraps", "last", "--json").json["scraps"] == {"n": 5, "words": ["a", "b"]}


def test_scraps_that_are_not_there(in_recorded: Octavo) -> None:
    code, _, err = in_recorded("scraps", "last", "word")
    assert code == 2
    assert "hint: did you mean words?" in err


def test_a_run_is_found_by_either_end_of_its_id_and_by_its_folder(
    in_recorded: Octavo, recorded: Path
) -> None:
    oldest = ids(recorded)[-1]
    [folder] = recorded.glob(f".octavo/runs/*/{oldest}")
    for name in (oldest, oldest[-8:], folder, folder.relative_to(recorded)):
        assert in_recorded("scraps", name, "n").out == "2\n"


def test_show_a_run(in_recorded: Octavo, recorded: Path) -> None:
    oldest = ids(recorded)[-1]
    out = in_recorded("show", oldest).out
    assert out.startswith("✓ nb.py  success, ")
    assert f"  run {oldest}\n  n = 2\n\nNumbers\n" in out
    assert "print(n * 2)\n│ 4\n" in out
    assert "│ scrap n = 2\n" in out
    assert "\x1b" not in out


def test_show_errors_only(in_recorded: Octavo, recorded: Path) -> None:
    out = in_recorded("show", "last", "--errors").out
    assert "print(n * 2)" not in out
    assert re.search(r"\[3\] ✗ .*, failed", out)
    assert "│ ValueError: too many: 5" in out
    assert in_recorded("show", ids(recorded)[-1], "-e").out.endswith("\nno cell failed\n")


@pytest.mark.parametrize(
    ("cell", "sources"),
    [
        ("2", ["print(n * 2)"]),
        ("1-2", ["n: int = 1  # how many", "print(n * 2)"]),
        ("Double it", ["print(n * 2)"]),
        ("injected-parameters", ["# Parameters\nn = 5"]),
    ],
)
def test_show_some_cells(in_recorded: Octavo, cell: str, sources: list[str]) -> None:
    shown = in_recorded("show", "last", "--cell", cell, "--json").json
    assert [each["source"].strip() for each in shown["cells"]] == sources


def test_show_a_cell_that_is_not_there(in_recorded: Octavo) -> None:
    code, _, err = in_recorded("show", "last", "--cell", "nope")
    assert code == 2
    assert err == (
        "octavo: there is no cell 'nope'\n"
        "  hint: the cells are numbered 0 to 5; names are: Double it\n"
    )


def test_show_a_notebook_file(in_recorded: Octavo) -> None:
    out = in_recorded("show", "nb.py").out
    assert out.startswith("Numbers\n\n[1] #parameters ──")
    assert in_recorded("show", "missing.py").code == 2


def test_show_a_notebook_with_saved_outputs(
    in_recorded: Octavo, recorded: Path, tmp_path: Path
) -> None:
    [executed] = recorded.glob(f".octavo/runs/*/{ids(recorded)[-1]}/notebook.ipynb")
    assert in_recorded("show", executed).out.startswith("✓ nb.py  success")
    copy = tmp_path / "copy.ipynb"
    copy.write_bytes(executed.read_bytes())
    out = in_recorded("show", copy).out
    assert "print(n * 2)\n│ 4\n" in out
    assert "✓" not in out


def test_show_a_run_as_json(in_recorded: Octavo) -> None:
    shown = in_recorded("show", "last", "--errors", "--json").json
    assert shown["run"]["reason"] == "cell-error"
    [cell] = shown["cells"]
    assert (cell["index"], cell["status"]) == (3, "failed")
    assert cell["outputs"][-1]["ename"] == "ValueError"


def test_an_unknown_run(in_recorded: Octavo) -> None:
    assert in_recorded("show", "ffffffff") == (
        2, "", "octavo: no run matches 'ffffffff'\n  hint: octavo runs\n",
    )  # fmt: skip
