"""`inspect` tells what a notebook takes, without running it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from jsonschema import Draft202012Validator

from octavo.authoring.inspect import InspectRequest, InspectResult, inspect
from octavo.errors import NotebookError, OctavoError, ParameterError

NOTEBOOK = """\
# %% [markdown]
# Some words first.
#
# ## System health
#
# # Not the first heading

# %% tags=["parameters"]
threshold: float = 0.5  # alert above this
hostname = "localhost"
day: date

# %%
raise SystemExit("never run")
"""


def inspected(folder: Path, text: str, name: str = "nb.py") -> InspectResult:
    (folder / name).write_text(text)
    return asyncio.run(inspect(InspectRequest(name), SimpleNamespace(cwd=str(folder))))


def test_the_facts_of_a_notebook(tmp_path: Path) -> None:
    result = inspected(tmp_path, NOTEBOOK)
    assert result.path == "nb.py"
    assert result.title == "System health"
    assert result.language == "python"
    assert result.cells == {"code": 2, "markdown": 1, "raw": 0}
    assert result.parameters_cell == 1
    assert result.table() == [
        ("threshold", "float", "0.5", "alert above this"),
        ("hostname", "str", '"localhost"', ""),
        ("day", "date", "required", ""),
    ]


def test_json_is_a_schema_with_the_facts_beside_it(tmp_path: Path) -> None:
    made = json.loads(json.dumps(inspected(tmp_path, NOTEBOOK).to_json()))
    Draft202012Validator.check_schema(made)
    validator = Draft202012Validator(made)
    assert validator.is_valid({"threshold": 1, "day": "2026-01-31"})
    assert not validator.is_valid({"threshold": 1})
    assert not validator.is_valid({"day": "2026-01-31", "treshold": 1})
    assert next(iter(made)) == "$schema"
    assert made["title"] == "System health"
    assert made["required"] == ["day"]
    facts = made["x-notebook"]
    assert facts["cells"] == {"code": 2, "markdown": 1, "raw": 0}
    assert facts["parameters"]["threshold"] == {
        "name": "threshold",
        "inferred_type_name": "float",
        "default": "0.5",
        "help": "alert above this",
    }
    assert facts["problems"] == []
    assert len(facts["sha256"]) == 64


def test_what_it_hands_out_is_a_schema_of_its_own(tmp_path: Path) -> None:
    text = '# %% tags=["scraps"]\nscore: float  # [0..1 share] the rest\nt: "DataFrame | None"\n'
    result = inspected(tmp_path, NOTEBOOK + "\n" + text)
    assert result.handout_table() == [
        ("score", "float", "0..1 share", "the rest"),
        ("t", "DataFrame | None", "", ""),
    ]
    made = result.to_json()["x-notebook"]["scraps"]
    Draft202012Validator.check_schema(made)
    assert Draft202012Validator(made).is_valid({"score": 1})
    assert not Draft202012Validator(made).is_valid({"score": 1.5})
    assert inspected(tmp_path, NOTEBOOK).to_json()["x-notebook"]["scraps"] is None


def test_a_notebook_that_takes_nothing(tmp_path: Path) -> None:
    result = inspected(tmp_path, "# %%\nx = 1\n")
    assert result.title == ""
    assert result.parameters == ()
    assert result.parameters_cell is None
    assert result.to_json()["properties"] == {}
    assert "title" not in result.to_json()


def test_a_heading_in_a_code_block_is_no_title(tmp_path: Path) -> None:
    text = "# %% [markdown]\n# ```\n# # a comment\n# ```\n# #hashtag\n# # Real #\n"
    assert inspected(tmp_path, text).title == "Real"


def test_cells_that_cannot_run_are_told(tmp_path: Path) -> None:
    result = inspected(tmp_path, "# %%\nx = 1\n\n# %%\ny = = 2\n")
    assert [(problem.place, problem.message) for problem in result.problems] == [
        ("nb.py:5", "invalid syntax")
    ]


@pytest.mark.parametrize(
    ("text", "error", "kind"),
    [
        ("", NotebookError, "notebook-empty"),
        (
            '# %% tags=["parameters"]\nx = 1\n# %% tags=["parameters"]\ny = 1\n',
            ParameterError,
            "parameters-ambiguous",
        ),
        ('# %% tags=["parameters"]\nx = = 1\n', NotebookError, "notebook-syntax"),
        ('# %% tags=["scraps"]\nx: int = 1\n', NotebookError, "scraps-declaration"),
    ],
)
def test_what_cannot_be_told_is_an_error(
    tmp_path: Path, text: str, error: type[OctavoError], kind: str
) -> None:
    with pytest.raises(error) as refused:
        inspected(tmp_path, text)
    assert refused.value.kind == kind


def test_a_missing_notebook_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotebookError) as refused:
        asyncio.run(inspect(InspectRequest("none.py"), SimpleNamespace(cwd=str(tmp_path))))
    assert refused.value.kind == "notebook-not-found"
