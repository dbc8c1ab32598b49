"""Taking edits back into a script: only what changed is written anew."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from notebook_documents import HARD_CODE_LINES, HARD_TEXT_LINES, cells, percent_texts
from octavo.notebook.formats import read
from octavo.notebook.formats.percent import LAYOUT
from octavo.notebook.formats.percent.rewrite import held_source, rewrite
from octavo.notebook.model import Cell, Notebook

SCRIPT = '''\
#!/usr/bin/env python
"""Unusual spacing, quotes and a first cell without marker."""
import os



#%% [markdown]
"""
Some text.
"""
# %%   odd   title   tags = ["a"]
x   =   1
# %%
y = 2

# %% Last
z = 3
'''


def held(notebook: Notebook) -> list[tuple[str, str, dict[str, object]]]:
    return [
        (
            cell.kind,
            held_source(cell.kind, cell.source),
            {key: value for key, value in cell.metadata.items() if key not in LAYOUT},
        )
        for cell in notebook.cells
    ]


def changed(**sources: str) -> str:
    """The script after cells (`c0`, `c1` ...) got a new source."""
    found = list(read(SCRIPT, "a.py").cells)
    for name, source in sources.items():
        found[int(name[1:])] = found[int(name[1:])].replace(source=source)
    return rewrite(SCRIPT, "a.py", found)


def test_nothing_changed() -> None:
    assert changed() == SCRIPT


def test_one_edit_touches_one_line() -> None:
    assert changed(c3="y = 22") == SCRIPT.replace("y = 2\n", "y = 22\n")


def test_text_in_quotes_stays_in_quotes() -> None:
    assert changed(c1="Other text.") == SCRIPT.replace("Some text.", "Other text.").replace(
        "#%% [markdown]", "# %% [markdown]"
    )


def test_the_first_cell_stays_without_marker() -> None:
    assert changed(c0='"""Doc."""\nimport os, sys').startswith(
        '#!/usr/bin/env python\n"""Doc."""\nimport os, sys\n\n\n\n#%% [markdown]'
    )


def test_a_cell_above_gives_the_first_one_a_marker() -> None:
    found = read(SCRIPT, "a.py").cells
    text = rewrite(SCRIPT, "a.py", (Cell("code", "new()"), *found))
    assert '# %%\nnew()\n\n# %%\n"""Unusual' in text
    assert held(read(text, "a.py"))[1:] == held(read(SCRIPT, "a.py"))


def test_cells_are_added_and_deleted_with_the_usual_spacing() -> None:
    found = read(SCRIPT, "a.py").cells
    assert rewrite(SCRIPT, "a.py", (*found, Cell("markdown", "The end."))) == (
        SCRIPT + "\n# %% [markdown]\n# The end.\n"
    )
    assert rewrite(SCRIPT, "a.py", found[:-1]) == SCRIPT[: SCRIPT.index("\n# %% Last")]


def test_line_ends_stay_as_they_are() -> None:
    text = SCRIPT.replace("\n", "\r\n")
    found = read(text, "a.py").cells
    edited = (*found[:3], found[3].replace(source="a\nb"), *found[4:])
    assert rewrite(text, "a.py", edited) == text.replace("y = 2\r\n", "a\r\nb\r\n")


def test_a_new_kernel_is_written_into_the_header() -> None:
    header = "# ---\n# jupyter:\n#   kernelspec:\n#     name: a\n#     display_name: A\n# ---\n\n"
    text = header + "#%%\n1\n"
    metadata = {"kernelspec": {"name": "b", "display_name": "A"}}
    found = rewrite(text, "a.py", read(text, "a.py").cells, metadata)
    assert read(found, "a.py").metadata == metadata
    assert found.endswith("# ---\n\n#%%\n1\n")


def test_front_matter_is_edited_in_the_header() -> None:
    text = "# ---\n# title: a\n# ---\n\n# %%\n1\n"
    first, second = read(text, "a.py").cells
    edited = first.replace(source="---\ntitle: b\n---")
    assert rewrite(text, "a.py", (edited, second)) == text.replace("title: a", "title: b")
    assert held(read(rewrite(text, "a.py", (second,)), "a.py")) == held(Notebook((second,)))


@settings(max_examples=100, deadline=None)
@given(percent_texts().filter(str.strip))
def test_the_same_cells_give_the_same_bytes(text: str) -> None:
    found = read(text, "a.py").cells
    written = rewrite(text, "a.py", found)
    assert written.rstrip() == text.rstrip()
    assert held(read(written, "a.py")) == held(Notebook(found))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(cells(HARD_CODE_LINES, HARD_TEXT_LINES), max_size=5),
    st.lists(cells(HARD_CODE_LINES, HARD_TEXT_LINES), max_size=3),
    st.data(),
)
def test_any_edit_can_be_read_back(
    before: list[Cell], new: list[Cell], data: st.DataObject
) -> None:
    from octavo.notebook.formats import write

    text = write(Notebook(tuple(before)), "py") or "# %%\n"
    mixed = data.draw(st.permutations([*read(text, "a.py").cells, *new]))
    kept = mixed[: data.draw(st.integers(0, len(mixed)))]
    assert held(read(rewrite(text, "a.py", kept), "a.py")) == held(Notebook(tuple(kept)))
