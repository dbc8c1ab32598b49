"""`octavo graph` from the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.project import Project


@pytest.fixture
def notebook(project: Project) -> str:
    (project.folder / "nb.py").write_text(
        '# %% name="load"\nrows = [3, 1]\n\n# %%\nrows.append(2)\n\n# %% [markdown]\n# Text\n\n'
        "# %%\nother = 1\n\n# %%\nprint(sorted(rows))\n"
    )
    return "nb.py"


def graphed(project: Project, *words: str) -> dict[str, Any]:
    code, out, err = project.octavo("graph", "--json", *words)
    assert code == 0, err
    answer: dict[str, Any] = json.loads(out)
    return answer


def test_edges_say_which_names_come_from_where(project: Project, notebook: str) -> None:
    answer = graphed(project, notebook)
    assert [cell["index"] for cell in answer["cells"]] == [0, 1, 3, 4]
    assert [(each["from"], each["to"], each["names"]) for each in answer["edges"]] == [
        (0, 1, ["rows"]),
        (0, 4, ["rows"]),
        (1, 4, ["rows"]),
    ]


@pytest.mark.parametrize(
    ("words", "cells"),
    [
        (["--downstream", "load"], [0, 1, 4]),
        (["--downstream", "1"], [1, 4]),
        (["--downstream", "-1"], [4]),
        (["--upstream", "4"], [0, 1, 4]),
        (["--upstream", "3"], [3]),
    ],
)
def test_what_an_edit_touches(
    project: Project, notebook: str, words: list[str], cells: list[int]
) -> None:
    answer = graphed(project, notebook, *words)
    assert [cell["index"] for cell in answer["cells"]] == cells
    assert answer["direction"] == words[0].lstrip("-")


def test_people_see_what_cells_take_and_give(project: Project, notebook: str) -> None:
    _, out, _ = project.octavo("graph", notebook)
    assert "load  rows = [3, 1]" in out
    assert "rows (changed)" in out
    _, out, _ = project.octavo("graph", notebook, "--downstream", "load")
    assert out.splitlines()[0] == "an edit of cell 0 touches 2 cells: 1, 4"
    _, out, _ = project.octavo("graph", notebook, "--downstream", "3")
    assert out.splitlines()[0] == "an edit of cell 3 touches no other cell"


def test_unknown_cells_say_why(project: Project) -> None:
    (project.folder / "nb.py").write_text("# %%\nx = 'y'\n# %%\nexec(x)\n# %%\nprint(y)\n")
    _, out, _ = project.octavo("graph", "nb.py")
    assert "? unknown: exec runs a text that is made elsewhere" in out
    assert [cell["index"] for cell in graphed(project, "nb.py", "--downstream", "0")["cells"]] == [
        0, 1, 2,
    ]  # fmt: skip


def test_diagrams_cannot_be_broken_by_names(project: Project) -> None:
    (project.folder / "nb.py").write_text('# %%\nx = "]; click c0 \\" `<b>`"\n# %%\nprint(x)\n')
    _, out, _ = project.octavo("graph", "nb.py", "--mermaid")
    assert out.startswith("flowchart TD\n")
    label = out.splitlines()[1].removeprefix('    c0["').removesuffix('"]')
    assert not set(label) & set('"[]<>;`')
    assert '    c0 -->|"x"| c1' in out
    _, out, _ = project.octavo("graph", "nb.py", "--dot")
    assert 'c0 -> c1 [label="x"];' in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nb.py", "--downstream", "99"], "no cell"),
        (["nb.py", "--downstream", "0", "--upstream", "1"], "only one"),
        (["nb.py", "--mermaid", "--dot"], "only one"),
        (["nowhere.py"], "no such file"),
        (["r.md"], "only Python"),
    ],
)
def test_bad_input_gets_a_clear_error(
    project: Project, notebook: str, words: list[str], said: str
) -> None:
    (project.folder / "r.md").write_text(
        "---\nkernelspec:\n  name: ir\n  language: R\n---\n\n```r\nx <- 1\n```\n"
    )
    code, _, err = project.octavo("graph", *words)
    assert code == 2
    assert said in err
