"""Taking edits back into a Markdown document: only what changed is written anew."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from markdown_documents import hard_notebooks, markdown_texts, myst_texts
from octavo.notebook.formats import read, write
from octavo.notebook.formats.markdown.rewrite import rewrite
from octavo.notebook.formats.percent import LAYOUT
from octavo.notebook.formats.percent.rewrite import held_source
from octavo.notebook.model import Cell, Notebook

DOCUMENT = """\
---
title: Odd   spacing
---


# Heading
```python   tags = ["a"]
x   =   1
```
Text right below.


Other text.

<!-- #region   Named -->
in a region
<!-- #endregion -->



```bash
ls

```
"""
MYST = """\
---
kernelspec: {name: python3, language: python, display_name: P}
---
First
+++
Second
~~~{code-cell}
:tags: [a]
x   =   1
~~~


```{code-cell}
y = 2
```
"""


def held(notebook: Notebook) -> list[tuple[str, str, dict[str, Any]]]:
    dropped = (*LAYOUT, "region_name")
    return [
        (
            cell.kind,
            held_source(cell.kind, cell.source),
            {key: value for key, value in cell.metadata.items() if key not in dropped},
        )
        for cell in notebook.cells
    ]


def edited(text: str, at: int, source: str) -> str:
    cells = list(read(text, "a.md").cells)
    cells[at] = cells[at].replace(source=source)
    return rewrite(text, "a.md", cells)


@pytest.mark.parametrize("text", (DOCUMENT, MYST, DOCUMENT.replace("\n", "\r\n")))
def test_nothing_changed(text: str) -> None:
    assert rewrite(text, "a.md", read(text, "a.md").cells) == text


def test_one_edit_touches_one_cell() -> None:
    assert edited(DOCUMENT, 4, "Changed.") == DOCUMENT.replace("Other text.", "Changed.")
    assert edited(DOCUMENT, 6, "%%bash\ncd") == DOCUMENT.replace("ls\n\n", "cd\n")
    assert edited(MYST, 3, "y = 3") == MYST.replace("y = 2", "y = 3")


def test_line_ends_stay_as_they_are() -> None:
    text = DOCUMENT.replace("\n", "\r\n")
    assert edited(text, 4, "a\nb") == text.replace("Other text.", "a\r\nb")


def test_front_matter_is_edited_in_the_header() -> None:
    assert edited(DOCUMENT, 0, "---\ntitle: New\n---") == DOCUMENT.replace(
        "title: Odd   spacing", "title: New"
    ).replace("---\n\n\n#", "---\n\n#")


def test_cells_are_added_and_deleted_with_the_usual_spacing() -> None:
    found = read(DOCUMENT, "a.md").cells
    assert rewrite(DOCUMENT, "a.md", (*found, Cell("markdown", "The end."))) == (
        DOCUMENT + "\nThe end.\n"
    )
    assert rewrite(DOCUMENT, "a.md", found[:-1]) == DOCUMENT[: DOCUMENT.index("\n\n\n```bash")]
    text = rewrite("Some text.\n", "a.md", (Cell("markdown", "Some text."), Cell("code", "x")))
    assert text == "Some text.\n\n```python\nx\n```\n"


def test_a_new_kernel_is_written_into_the_header() -> None:
    kernel = {"display_name": "J", "language": "julia", "name": "j"}
    text = write(Notebook((Cell("code", "x"),), {"kernelspec": {**kernel, "name": "i"}}), "md")
    found = rewrite(text, "a.md", read(text, "a.md").cells, {"kernelspec": kernel})
    assert found == text.replace("name: i", "name: j")


@settings(max_examples=100, deadline=None)
@given((markdown_texts() | myst_texts()).filter(str.strip))
def test_the_same_cells_give_the_same_bytes(text: str) -> None:
    assume('active="py"' not in text)  # a raw cell whose fence may decide about the language
    assert rewrite(text, "a.md", read(text, "a.md").cells) == text


@settings(max_examples=100, deadline=None)
@given(markdown_texts() | hard_notebooks().map(lambda found: write(found, "md")), st.data())
def test_any_edit_can_be_read_back(text: str, data: st.DataObject) -> None:
    assume("cell_metadata_filter" not in text)
    new = data.draw(hard_notebooks()).cells
    before = read(text, "a.md").cells
    mixed = data.draw(st.permutations([*before, *new]))
    kept = mixed[: data.draw(st.integers(0, len(mixed)))]
    assert held(read(rewrite(text, "a.md", kept), "a.md")) == held(Notebook(tuple(kept)))
