"""`octavo compare`: what differs between two runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.calling import Octavo, variables

pytestmark = pytest.mark.kernel

NOTEBOOK = """\
# %% tags=["parameters"]
n: int = 1
who: str = "me"

# %% Count
print("first")
print("n is", n)
print("last")

# %%
from octavo_runtime import glue

glue("score", 0.5 * n)
glue("metrics", {"f1": n, "auc": 0.9})
glue("note", f"one\\n{n}\\nthree")
glue("same", "same")

# %%
1 // (3 - n)
"""
EDITED = NOTEBOOK.replace('print("first")', 'print("erst")')


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of one notebook: twice the same, with another parameter, edited, failing."""
    home = tmp_path_factory.mktemp("compared")
    (home / "octavo.toml").write_text("")
    source = home / "nb.py"
    for n, text in ((1, NOTEBOOK), (1, NOTEBOOK), (2, NOTEBOOK), (2, EDITED), (3, EDITED)):
        source.write_text(text)
        words = ["run", "nb.py", "-p", "n", str(n), "-q", "-o", f"{n}.ipynb"]
        subprocess.run(
            [sys.executable, "-m", "octavo", *words],
            cwd=home, env=variables(home), capture_output=True, timeout=120, check=False,
        )  # fmt: skip
    return home


@pytest.fixture
def compared(project: Path, octavo: Octavo, monkeypatch: pytest.MonkeyPatch) -> Octavo:
    monkeypatch.chdir(project)
    return octavo


def sections(text: str) -> dict[str, str]:
    """The text below each heading."""
    found: dict[str, str] = {}
    for block in text.split("\n\n")[1:]:
        title, _, body = block.partition("\n")
        found[title.strip()] = body.rstrip("\n")
    return found


def named(changes: list[Any]) -> dict[str, Any]:
    return {change["name"]: change for change in changes}


def test_equal_runs_have_no_differences(compared: Octavo) -> None:
    code, out, _ = compared("compare", "last~4", "last~3")
    assert code == 0
    assert set(sections(out)) == {"✓ no differences", "Durations"}
    assert compared("compare", "last~4", "last~3", "--json").json["equal"] is True


def test_what_another_parameter_changes(compared: Octavo) -> None:
    code, out, _ = compared("compare", "last~3", "last~2")
    assert code == 0
    found = sections(out)
    assert found["Parameters"] == "  n  1 → 2  (+1, +100 %)\n  1 other is equal"
    assert found["Scraps"] == (
        "  score       0.5 → 1.0  (+0.5, +100 %)\n"
        "  metrics.f1  1 → 2  (+1, +100 %)\n"
        "  note        changed\n"
        "       one\n"
        "      -1\n"
        "      +2\n"
        "       three\n"
        "  2 others are equal"
    )
    assert found["Cells"] == (
        "  [1] Count  stdout changed\n"
        "       first\n"
        "      -n is 1\n"
        "      +n is 2\n"
        "       last\n"
        "  [3] 1 // (3 - n)  text/plain changed\n"
        "      -0\n"
        "      +1"
    )
    assert "Environment" not in found


def test_an_edited_cell_is_told_from_one_that_prints_something_else(compared: Octavo) -> None:
    found = compared("compare", "last~2", "last~1", "--json").json
    assert found["equal"] is False
    [edited] = [cell for cell in found["cells"] if cell["source"] != "equal"]
    assert (edited["title"], edited["source"], edited["outputs"]) == ("Count", "changed", "changed")
    assert edited["details"][0]["diff"] == ["-first", "+erst", " n is 2"]
    assert all(change["change"] == "equal" for change in found["parameters"] + found["scraps"])


def test_a_run_that_failed(compared: Octavo) -> None:
    out = compared("compare").out
    assert out.splitlines()[1].split()[:2] == ["B", "✗"]
    assert "[3] 1 // (3 - n)  succeeded → failed, text/plain only in A, error only in B" in out
    assert "+ZeroDivisionError: integer" in out


def test_as_json_everything_is_typed(compared: Octavo) -> None:
    found = compared("compare", "last~3", "last~2", "--json").json
    assert named(found["parameters"])["n"] == {
        "name": "n", "change": "changed", "a": 1, "b": 2, "difference": 1, "percent": 100.0,
        "diff": [],
    }  # fmt: skip
    assert (found["a"]["status"], found["same_notebook"]) == ("success", True)
    assert found["ratio"] > 0
    count = next(cell for cell in found["cells"] if cell["title"] == "Count")
    assert count["a"]["index"] == 1
    assert count["a"]["duration_seconds"] > 0
    assert count["ratio"] > 0
    assert found["packages"] == []


def test_two_executed_files(compared: Octavo, project: Path) -> None:
    found = compared("compare", "1.ipynb", project / "2.ipynb", "--json").json
    assert named(found["parameters"])["n"]["b"] == 2
    assert named(found["scraps"])["score"]["difference"] == 0.5
    assert found["cells"][0]["source"] == "equal"
    assert found["packages"] is None
    same = compared("compare", "1.ipynb", "last~3", "--json").json
    assert same["equal"] is True
    assert [cell["outputs"] for cell in same["cells"]] == ["none", "none", "equal", "none", "equal"]


def test_what_is_ignored_makes_no_difference(compared: Octavo) -> None:
    found = compared("compare", "last~3", "last~2", "--ignore", r"n is \d", "--json").json
    count = next(cell for cell in found["cells"] if cell["title"] == "Count")
    assert count["outputs"] == "equal"
    code, _, err = compared("compare", "--ignore", "[")
    assert code == 2
    assert "is not a regular expression" in err


def test_runs_of_different_notebooks(octavo: Octavo) -> None:
    Path("other.py").write_text("# %%\nimport math\nmath.pi\n")
    octavo("run", "nb.py", "-q")
    octavo("run", "other.py", "-q")
    out = octavo("compare").out
    assert "these are runs of different notebooks" in out
    assert "  n  only in A: 1\n" in out
    assert "import math  only in B\n" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nb.py", "last"], "nb.py is a notebook's source, which has no outputs"),
        (["last", "missing.ipynb"], "missing.ipynb"),
        (["last", "ffffffff"], "no run matches 'ffffffff'"),
        (["last~99"], "last~99: there are only"),
    ],
)
def test_what_cannot_be_compared(compared: Octavo, words: list[str], said: str) -> None:
    code, out, err = compared("compare", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert "hint: " in err


@pytest.mark.slow
def test_notebooks_that_papermill_made(octavo: Octavo) -> None:
    import nbformat
    import papermill

    cells = [
        nbformat.v4.new_code_cell("n = 1", metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell("print('n is', n)"),
    ]
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": spec})
    nbformat.write(notebook, "in.ipynb")
    for n in (2, 3):
        papermill.execute_notebook("in.ipynb", f"{n}.ipynb", {"n": n}, progress_bar=False)
    found = octavo("compare", "2.ipynb", "3.ipynb", "--json").json
    assert found["same_notebook"] is True
    assert (found["a"]["status"], found["b"]["status"]) == ("success", "success")
    assert named(found["parameters"])["n"]["difference"] == 1
    [printing] = [cell for cell in found["cells"] if cell["outputs"] == "changed"]
    assert printing["details"][0]["diff"] == ["-n is 2", "+n is 3"]
    assert printing["ratio"] > 0
    assert found["environment"][0]["change"] == "equal"
