"""Rules that look at a notebook before it runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from octavo.environments.launch import Environment
from octavo.gate.preflight.examine import examine
from octavo.gate.preflight.rules import RULES
from octavo.gate.verdicts import Finding
from octavo.notebook.formats import read
from octavo.sources import SourceFile, read_source

DOCS = Path(__file__).parents[2] / "docs" / "lint.md"


def findings(text: str, name: str = "nb.py") -> tuple[Finding, ...]:
    return examine(SourceFile(f"/nowhere/{name}", text, read(text, name)), name, None)


def told(text: str, name: str = "nb.py") -> list[tuple[str, int | None, int | None]]:
    return [(each.rule, each.cell, each.line) for each in findings(text, name)]


def ipynb(*cells: Mapping[str, object]) -> str:
    whole = [
        {
            "cell_type": "code",
            "id": f"c{index}",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            **cell,
        }
        for index, cell in enumerate(cells)
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": whole})


def test_a_name_is_used_before_it_is_defined() -> None:
    (found,) = findings("# %%\nprint(1)\nprint(nowhere)\n")
    assert (found.rule, found.severity, found.line, found.cell) == ("undefined-name", "error", 3, 0)
    assert "`nowhere`" in found.message
    assert found.hint


def test_a_name_that_is_missing_in_many_cells_is_told_once() -> None:
    assert told("# %%\nnowhere\n# %%\nnowhere\n") == [("undefined-name", 0, 2)]


def test_a_name_is_defined_only_in_a_later_cell() -> None:
    (found,) = findings("# %%\nprint(df)\n\n# %%\ndf = 1\n")
    assert found.rule == "defined-later"
    assert "cell 1 (line 5)" in found.message
    assert "move cell 1" in found.hint


def test_a_name_in_a_branch_is_a_warning() -> None:
    (found,) = findings("# %%\nimport sys\nif sys.argv:\n    nowhere\n")
    assert (found.rule, found.severity) == ("undefined-name", "warning")


def test_in_an_ipynb_lines_count_within_the_cell() -> None:
    text = ipynb({"source": "x = 1"}, {"source": "\n\nnowhere"})
    assert told(text, "nb.ipynb") == [("undefined-name", 1, 3)]


@pytest.mark.parametrize(
    ("use", "unused"),
    [
        ("print(region)", []),
        ("!ls {region}", []),
        ("query('x == @region')", []),
        ("f'{region}'", []),
        ("region += 'x'", []),
        ("%%bash\necho $region", []),
        ("print(1)", [("unused-parameter", 0, 3)]),
        ("region = 'us'", [("unused-parameter", 0, 3)]),
    ],
)
def test_parameters_that_are_never_used(use: str, unused: list[object]) -> None:
    text = f'# %% tags=["parameters"]\ndays = 1\nregion = "eu"\n\n# %%\ndays\n\n# %%\n{use}\n'
    assert [each for each in told(text) if each[0] == "unused-parameter"] == unused


def test_cells_that_are_never_reached() -> None:
    (found,) = findings("# %%\nimport sys\nsys.exit()\n# %%\n1\n# %%\n2\n")
    assert (found.rule, found.severity, found.cell, found.line) == ("unreachable", "warning", 1, 5)
    assert "line 3" in found.message


def test_cells_that_do_not_parse() -> None:
    assert told("# %%\nx = 1\n# %%\ndef f(:\n") == [("syntax", 1, 4)]


def test_parameters_that_cannot_be_read() -> None:
    text = '# %% tags=["parameters"]\na = 1\n# %% tags=["parameters"]\nb = 1\n# %%\na, b\n'
    assert [each[0] for each in told(text)] == ["invalid-notebook"]


def test_a_notebook_that_does_not_follow_its_format() -> None:
    text = ipynb({"source": "1", "outputs": [], "execution_count": None, "oops": 1})
    assert told(text, "nb.ipynb") == [("invalid-notebook", 0, None)]


def test_a_merge_that_was_left() -> None:
    text = "# %%\nx = 1\n# %%\n<<<<<<< ours\ny = 1\n=======\ny = 2\n>>>>>>> theirs\n"
    assert told(text) == [("merge-conflict", 1, 4)]


def test_files_of_a_pair_that_do_not_say_the_same(tmp_path: Path) -> None:
    text = tmp_path / "nb.py"
    text.write_text("# %%\nx = 1\n")
    other = tmp_path / "nb.ipynb"
    other.write_text(ipynb({"source": "x = 1"}))
    for path in (text, other):
        assert examine(read_source(path), path.name, None) == ()
    other.write_text(ipynb({"source": "x = 2"}))
    for path in (text, other):
        (found,) = examine(read_source(path), path.name, None)
        assert found.rule == "out-of-step"
        assert "octavo sync" in found.hint
    other.write_text("{")
    (found,) = examine(read_source(text), text.name, None)
    assert found.rule == "out-of-step"


def test_a_page_beside_a_notebook_is_no_pair(tmp_path: Path) -> None:
    (tmp_path / "nb.md").write_text("# Only a page\n")
    (tmp_path / "nb.ipynb").write_text(ipynb({"source": "x = 1"}))
    assert examine(read_source(tmp_path / "nb.ipynb"), "nb.ipynb", None) == ()


@pytest.mark.parametrize(
    "comment",
    [
        "# octavo: ignore",
        "# octavo: ignore[undefined-name]",
        "#octavo:ignore[secret,undefined-name]",
    ],
)
def test_a_comment_silences_its_line(comment: str) -> None:
    rules = [each[0] for each in told(f"# %%\nnowhere  {comment}\n")]
    assert "undefined-name" not in rules


def test_a_tag_silences_a_rule_in_its_cell() -> None:
    text = '# %% tags=["octavo-ignore-undefined-name"]\nnowhere\n# %%\nother\n'
    assert told(text) == [("undefined-name", 1, 4)]


def test_what_silences_nothing_is_a_note() -> None:
    text = (
        '# %% tags=["octavo-ignore-secret"]\nx = 1  # octavo: ignore\n'
        "y = 1  # octavo: ignore[no-such-rule]\n"
    )
    found = findings(text)
    assert {each.rule for each in found} == {"unused-ignore"}
    assert {each.severity for each in found} == {"note"}
    assert {each.line for each in found} == {2, 3}
    assert any("names no rule" in each.message for each in found)


def test_other_languages_are_looked_at_as_far_as_that_goes() -> None:
    text = "---\nkernelspec:\n  name: ir\n  language: R\n---\n\n```r\nx <- nowhere\n```\n"
    assert told(text, "nb.md") == []


@pytest.mark.parametrize(
    "text",
    [
        "# %%\n",
        "# %%\n\x00\n",
        "# %%\n" + "(" * 5000,
        "# %%\n" + "x" * 100_000,
        "# %%\n\tx = 1\n y",
    ],
)
def test_odd_notebooks_are_survived(text: str) -> None:
    assert isinstance(findings(text), tuple)


def test_odd_metadata_is_survived() -> None:
    text = ipynb(
        {"source": "1", "metadata": {"tags": ["x", "octavo-ignore-"], "octavo": 3}}, {"source": "2"}
    )
    assert isinstance(findings(text, "nb.ipynb"), tuple)


def test_every_rule_is_in_the_docs_as_it_is() -> None:
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    assert rows == [
        f"| `{rule.id}` | {rule.severity} | {rule.about} | {rule.instead} |"
        for rule in RULES.values()
    ]


@pytest.mark.parametrize("marker", ["NBVAL_SKIP", "NBVAL_RAISES_EXCEPTION"])
@pytest.mark.parametrize("shape", ["# {}\n{}", "x = 1\n##  {}\n{}", '# %% tags=["{}"]\n{}'])
@pytest.mark.parametrize("line", ["print(nowhere)", "import nowhere_at_all", "print("])
def test_cells_that_the_gate_skips_or_lets_fail_are_not_held_to_it(
    tmp_path: Path, marker: str, shape: str, line: str
) -> None:
    tagged = shape.startswith("# %%")
    marked = shape.format(marker.lower().replace("_", "-") if tagged else marker, line)
    path = tmp_path / "nb.py"
    path.write_text(marked if tagged else f"# %%\n{marked}")
    environment = Environment(sys.executable, "for the test")
    assert examine(read_source(path), "nb.py", environment) == ()
