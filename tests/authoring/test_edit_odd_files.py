"""`octavo edit` on odd files and with odd sources: the answer tells what is then in the file."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from git_repositories import ENVIRON
from octavo.authoring.editing.answer import EditResult
from octavo.authoring.editing.operation import edit
from octavo.authoring.editing.request import EditRequest
from octavo.errors import OctavoError
from octavo.notebook.front_matter import front_matter
from octavo.notebook.identity import handle
from octavo.sources import read_source

SCRIPT = "# %% [markdown]\n# # Report\n\n# %%\nthreshold = 1.0\n"
DOCUMENT = "# Report\n\n```python\nthreshold = 1.0\n```\n\nSome text.\n"
MYST = """\
---
jupytext:
  text_representation:
    format_name: myst
kernelspec:
  name: python3
---

# Title

```{code-cell} ipython3
x = 1
```
"""
HEADED = {
    "nb.py": "# ---\n# parameters:\n#   a: 1\n# ---\n\n# %%\nx = 1\n\n# %%\ny = 1\n",
    "nb.md": "---\nparameters:\n  a: 1\n---\n\nText.\n\n```python\nx = 1\n```\n",
}


class File:
    """A notebook file, and how it is edited."""

    def __init__(self, folder: Path, name: str, text: str) -> None:
        self.path = folder / name
        self.path.write_bytes(text.encode())
        self.project = folder
        self.cwd = str(folder)
        self.environ = ENVIRON

    def edit(self, cell: int | str = "", **options: Any) -> EditResult:
        return asyncio.run(edit(EditRequest(self.path.name, str(cell), **options), self))

    def edits(self, *items: dict[str, Any]) -> EditResult:
        (self.project / "edits.json").write_text(json.dumps(items))
        return self.edit(edits="edits.json")

    def refused(self, cell: int | str = "", **options: Any) -> OctavoError:
        before = self.path.read_bytes()
        with pytest.raises(OctavoError) as caught:
            self.edit(cell, **options)
        assert self.path.read_bytes() == before and caught.value.hint
        return caught.value

    @property
    def text(self) -> str:
        return self.path.read_bytes().decode()


@pytest.mark.parametrize(
    ("name", "text", "cell", "source"),
    [
        ("nb.py", SCRIPT, 1, "\t"),
        ("nb.py", "# %%\nx = 1\n\x0c\n# %%\ny = 1\n", 0, "x = 2"),
        ("nb.md", MYST, 0, "\n\nWith blank lines before it."),
        ("nb.md", DOCUMENT, 0, ""),
    ],
)
def test_the_answer_names_cells_as_they_are_read_afterwards(
    tmp_path: Path, name: str, text: str, cell: int, source: str
) -> None:
    """Otherwise the next edit, with the handle of this answer, is refused as stale."""
    file = File(tmp_path, name, text)
    (touched,) = file.edit(cell, source=source).cells
    assert touched.index is not None
    assert touched.handle == handle(read_source(file.path).notebook.cells[touched.index])
    file.edit(cell, source="x = 3", expect=touched.handle)


def test_a_document_that_cannot_hold_an_empty_text_says_so(tmp_path: Path) -> None:
    file = File(tmp_path, "nb.md", MYST)
    for options in ({"source": ""}, {"insert": "after", "source": " ", "kind": "markdown"}):
        error = file.refused(0, **options)
        assert "would be empty" in error.message and "delete" in error.hint


@pytest.mark.parametrize("name", HEADED)
def test_nothing_stands_before_the_header_with_its_parameters(tmp_path: Path, name: str) -> None:
    file = File(tmp_path, name, HEADED[name])
    assert "is the header" in file.refused(0, insert="before", source="q = 1").message
    assert "is the header" in file.refused(-1, move_before="0").message
    assert "is the header" in file.refused(0, move_after="1").message
    assert "is the header" in file.refused(0, rename="top").message
    (touched,) = file.edit(insert="before", source="q = 1").cells
    notebook = read_source(file.path).notebook
    assert touched.index == 1 and notebook.cells[1].source == "q = 1"
    assert front_matter(notebook) == {"parameters": {"a": 1}}
    head = HEADED[name].partition("\n\n")[0]
    assert file.text.startswith(f"{head}\n\n")


def test_a_header_may_be_deleted_or_become_something_else(tmp_path: Path) -> None:
    file = File(tmp_path, "nb.py", HEADED["nb.py"])
    file.edits({"op": "delete", "cell": 0}, {"op": "insert", "before": 1, "source": "q = 1"})
    assert file.text == "# %%\nq = 1\n\n# %%\nx = 1\n\n# %%\ny = 1\n"


def test_a_text_cell_whose_marker_says_md_becomes_raw(tmp_path: Path) -> None:
    file = File(tmp_path, "nb.py", "# %% [md]\n# Text.\n\n# %%\nx = 1\n")
    file.edit(0, kind="raw")
    assert file.text == "# %% [raw]\n# Text.\n\n# %%\nx = 1\n"


def test_many_changes_among_lines_that_are_all_alike_are_told(tmp_path: Path) -> None:
    """To find the least difference of such texts would take minutes."""
    file = File(tmp_path, "nb.py", "".join(f"# %%\nx{at} = {at}\n\n" for at in range(2000)))
    edits = [{"op": "replace", "cell": at, "source": f"y = {at}"} for at in range(0, 2000, 2)]
    result = file.edits(*edits)
    assert result.diff.startswith("--- nb.py\n+++ nb.py\n@@ -1,") and result.diff_cut
    assert "\n-x0 = 0\n+y = 0\n \n # %%\n x1 = 1\n" in result.diff


@pytest.mark.parametrize("option", ["expect", "expect_file", "base"])
def test_a_condition_that_is_empty_is_no_condition(tmp_path: Path, option: str) -> None:
    """`--expect "$HANDLE"` without a handle would be an edit that nothing guards."""
    error = File(tmp_path, "nb.py", SCRIPT).refused(1, source="x = 1", **{option: " "})
    assert error.kind == "wrong-argument" and "is empty" in error.message


def test_something_is_expected_of_a_cell(tmp_path: Path) -> None:
    file = File(tmp_path, "nb.py", SCRIPT)
    error = file.refused(insert="after", source="x = 1", expect="4f1d22ab")
    assert "name the cell" in error.hint


@pytest.mark.parametrize(
    ("edits", "message", "hint"),
    [
        ('[{"op": "delete", "cell": 0, "cell": 1}]', "`cell` is twice", "[{"),
        ('[{"op": "delete", "cell": 0, "expect": ""}]', "`expect` is empty", "may have expect"),
        (
            '[{"op": "replace", "cell": 0, "new_source": "x"}]',
            "does not take `new_source`",
            "replace has cell, source, and may have kind, expect",
        ),
        ('[{"op": "insert", "source": "x", "at": 1}]', "take `at`", "may have before, after, kind"),
        ('{"op": "delete", "cell": 0}', "not a list of objects in [ ]", '[{"op": "replace"'),
    ],
)
def test_edits_that_make_no_sense_are_told_how_they_are_spelled(
    tmp_path: Path, edits: str, message: str, hint: str
) -> None:
    file = File(tmp_path, "nb.py", SCRIPT)
    (tmp_path / "edits.json").write_text(edits)
    error = file.refused(edits="edits.json")
    assert message in error.message and hint in error.hint
