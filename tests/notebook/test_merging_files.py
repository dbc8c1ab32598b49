"""Merging files: every byte that nobody changed stays, and a conflict is still a notebook."""

from __future__ import annotations

import json
from typing import Any

import pytest

from octavo.notebook import formats
from octavo.notebook.formats import ipynb
from octavo.notebook.merging.files import merge_texts
from octavo.notebook.merging.marks import Labels
from octavo.notebook.merging.unresolved import TAG

SCRIPT = """\
#!/usr/bin/env python
# ---
# jupyter:
#   kernelspec: {name: python3, display_name: P}   # odd but fine
# ---

# %% [markdown]
# # Title


#%%   odd  marker
x = 1   \ny = 2
z = 3



# %% last one tags=["a"]
print(x)
"""


def replaced(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("prefix", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_other_bytes_of_a_script_stay(prefix: str, newline: str) -> None:
    base = prefix + SCRIPT.replace("\n", newline)
    ours = replaced(base, ("x = 1", "x = 10"))
    theirs = replaced(base, ("z = 3", "z = 30"), ("print(x)", "print( x )"))
    merged = merge_texts(base, ours, theirs, "nb.py")
    assert merged.clean
    assert merged.text == replaced(theirs, ("x = 1", "x = 10"))


def test_other_bytes_stay_in_a_conflict_too() -> None:
    ours = replaced(SCRIPT, ("x = 1", "x = 10"))
    theirs = replaced(SCRIPT, ("x = 1", "x = 11"), ("print(x)", "print( x )  # theirs"))
    text = merge_texts(SCRIPT, ours, theirs, "nb.py").text
    assert text.startswith(ours.partition("#%%")[0])
    assert "#%%   odd  marker\nx = 10   \ny = 2\nz = 3\n" in text
    assert text.endswith('# %% last one tags=["a"]\nprint( x )  # theirs\n')


def test_a_cell_of_theirs_is_spelled_as_they_spell_it() -> None:
    ours = replaced(SCRIPT, ("print(x)", "print(x)\n\n# %%\nours()"))
    theirs = replaced(SCRIPT, ("print(x)", "print(x)\n\n#%%  Mine\ntheirs( )"))
    merged = merge_texts(SCRIPT, ours, theirs, "nb.py")
    assert merged.clean
    assert merged.text == SCRIPT + "\n# %%\nours()\n\n#%%  Mine\ntheirs( )\n"


def test_a_cell_split_by_one_side_and_edited_by_the_other() -> None:
    """Lines tell more than cells here, as they would tell git."""
    base = "# %%\n" + "".join(f"step_{at}()\n" for at in range(8))
    ours = replaced(base, ("step_4()\n", "step_4()\n\n# %%\n"))
    theirs = replaced(base, ("step_7()", "step_7(1)"))
    merged = merge_texts(base, ours, theirs, "nb.py")
    assert merged.clean
    assert merged.text == replaced(ours, ("step_7()", "step_7(1)"))


def test_a_header_in_conflict_keeps_ours_and_tells_both() -> None:
    name = "name: python3"
    ours, theirs = (replaced(SCRIPT, (name, f"name: {each}")) for each in ("one", "two"))
    merged = merge_texts(SCRIPT, ours, theirs, "nb.py")
    assert merged.conflicts == 1
    note = formats.read(merged.text, "nb.py").cells[0]
    assert TAG in note.tags
    assert '"name": "one"' in note.source
    assert '"name": "two"' in note.source
    assert "kernelspec: {name: one, display_name: P}   # odd but fine" in merged.text


def test_conflicts_are_seen_where_a_header_filters_tags() -> None:
    base = (
        "# ---\n# jupyter:\n#   jupytext:\n#     cell_metadata_filter: -all\n# ---\n\n# %%\nx = 1\n"
    )
    ours, theirs = replaced(base, ("x = 1", "x = 2")), replaced(base, ("x = 1", "x = 3"))
    text = merge_texts(base, ours, theirs, "nb.py").text
    from octavo.notebook.merging.unresolved import find_conflict

    assert find_conflict(formats.read(text, "nb.py"), "nb.py") is not None


def test_labels_and_length_of_the_marks() -> None:
    base, ours, theirs = (f"# %%\nx = {value}\n" for value in (1, 2, 3))
    text = merge_texts(base, ours, theirs, "nb.py", Labels("HEAD", "feature", 9)).text
    assert "# <<<<<<<<< HEAD\n" in text
    assert "# =========\n" in text
    assert "# >>>>>>>>> feature\n" in text


MYST = """\
---
kernelspec:
  name: python3
  display_name: P
---

# Title

```{code-cell}
x = 1
```

```{code-cell}
print(x)
```
"""


@pytest.mark.parametrize("conflict", [True, False])
def test_myst(conflict: bool) -> None:
    ours = replaced(MYST, ("x = 1", "x = 2"))
    theirs = replaced(MYST, ("x = 1", "x = 3") if conflict else ("print(x)", "print(x, x)"))
    merged = merge_texts(MYST, ours, theirs, "nb.md")
    assert merged.clean != conflict
    code = [cell.source for cell in formats.read(merged.text, "nb.md").cells if cell.kind == "code"]
    assert code == (["x = 2", "x = 3", "print(x)"] if conflict else ["x = 2", "print(x, x)"])


def document(*sources: str, **more: Any) -> dict[str, Any]:
    cells = [
        {
            "cell_type": "code",
            "execution_count": at,
            "id": f"cell-{at}",
            "metadata": {},
            "outputs": [{"name": "stdout", "output_type": "stream", "text": [f"é {at}\n"]}],
            "source": source.splitlines(True),
        }
        for at, source in enumerate(sources)
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}


SPELLINGS: dict[str, dict[str, Any]] = {
    "nbformat": {"indent": 1, "ensure_ascii": False},
    "wide": {"indent": 2, "ensure_ascii": False},
    "escaped": {"indent": 1, "ensure_ascii": True},
    "tabs": {"indent": "\t", "ensure_ascii": False},
    "one line": {"indent": None, "ensure_ascii": False},
    "dense": {"separators": (",", ":"), "ensure_ascii": True},
}


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("order", [1, -1])
def test_an_ipynb_is_spelled_as_it_was(spelling: str, end: str, order: int) -> None:
    def text(*sources: str) -> str:
        whole = document(*sources)
        cells = [dict([*cell.items()][::order]) for cell in whole["cells"]]
        ordered = dict([*{**whole, "cells": cells}.items()][::order])
        return json.dumps(ordered, **SPELLINGS[spelling]) + end

    merged = merge_texts(text("a", "b"), text("a1", "b"), text("a", "b1"), "nb.ipynb")
    assert merged.text == text("a1", "b1")


def test_the_higher_minor_version_is_taken_and_every_cell_has_an_id() -> None:
    old = document("a", "b", nbformat_minor=4)
    for cell in old["cells"]:
        del cell["id"]
    ours = document("a1", "b", nbformat_minor=4)
    for cell in ours["cells"]:
        del cell["id"]
    theirs = document("a", "b", "c")
    texts = (json.dumps(each) for each in (old, ours, theirs))
    merged = ipynb.parse(merge_texts(*texts, "nb.ipynb").text, "nb.ipynb")
    assert merged["nbformat_minor"] == 5
    assert [cell["id"] for cell in merged["cells"]] == ["cell-0", "cell-1", "cell-2"]
    assert [cell["source"] for cell in merged["cells"]] == ["a1", "b", "c"]


def test_outputs_follow_the_source_and_a_merged_source_has_none() -> None:
    base = document("a\nb\nc", "x")
    ours, theirs = document("a1\nb\nc", "x"), document("a\nb\nc1", "x1")
    theirs["cells"][1]["outputs"] = []
    texts = (json.dumps(each) for each in (base, ours, theirs))
    merged = ipynb.parse(merge_texts(*texts, "nb.ipynb").text, "nb.ipynb")
    first, second = merged["cells"]
    assert (first["source"], first["outputs"], first["execution_count"]) == ("a1\nb\nc1", [], None)
    assert (second["source"], second["outputs"], second["execution_count"]) == ("x1", [], 1)


def test_attachments_merge_by_name() -> None:
    def text(source: str, **names: str) -> str:
        held = {f"{name}.png": {"image/png": data} for name, data in names.items()}
        cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": source}
        return json.dumps({**document(), "cells": [{**cell, "attachments": held}]})

    merged = merge_texts(text("t", a="1"), text("t", a="1", b="2"), text("t2", a="3"), "nb.ipynb")
    (cell,) = ipynb.parse(merged.text, "nb.ipynb")["cells"]
    assert cell["attachments"] == {"a.png": {"image/png": "3"}, "b.png": {"image/png": "2"}}
    assert cell["source"] == "t2"
    assert not merge_texts(text("t", a="1"), text("t", a="2"), text("t", a="3"), "nb.ipynb").clean
