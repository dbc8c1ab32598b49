"""Percent files: what is read, where it stands, and where we differ from Jupytext on purpose."""

from __future__ import annotations

import jupytext
import pytest

from octavo.errors import NotebookError
from octavo.notebook.formats import read, write
from octavo.notebook.model import Cell, Notebook

EXAMPLE = '''\
#!/usr/bin/env python
# ---
# title: Health
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# /// script
# dependencies = ["rich"]
# ///

# %% [markdown] tags=["intro"]
# # Health
#
# Two lines.

# %% Inputs tags=["parameters"] name="inputs"
threshold = 1.0  # in percent


# %%
def check():
    """# %% not a cell"""
    return threshold


# %%
# %%time
# !ls
# %matplotlib inline
check()

# %% magic_args="--out x" language="bash"
# ls -l

# %% [markdown]
"""
Text in a string.
"""

# %% [raw]
# raw text
'''


def sources(text: str) -> list[str]:
    return [cell.source for cell in read(text, "a.py").cells]


def test_every_part_of_a_percent_file_is_read() -> None:
    notebook = read(EXAMPLE, "a.py")
    assert [(cell.kind, cell.source) for cell in notebook.cells] == [
        ("raw", "---\ntitle: Health\n---"),
        ("code", '# /// script\n# dependencies = ["rich"]\n# ///'),
        ("markdown", "# Health\n\nTwo lines."),
        ("code", "threshold = 1.0  # in percent"),
        ("code", 'def check():\n    """# %% not a cell"""\n    return threshold'),
        ("code", "%%time\n!ls\n%matplotlib inline\ncheck()"),
        ("code", "%%bash --out x\nls -l"),
        ("markdown", "Text in a string."),
        ("raw", "raw text"),
    ]
    assert notebook.metadata["kernelspec"]["name"] == "python3"
    assert notebook.metadata["jupytext"]["executable"] == "/usr/bin/env python"
    inputs = notebook.cells[3]
    assert (inputs.tags, inputs.name, inputs.metadata["title"]) == (
        ("parameters",),
        "inputs",
        "Inputs",
    )
    assert notebook.cells[2].tags == ("intro",)


def test_the_example_is_written_as_it_was_with_a_marker_for_its_first_cell() -> None:
    expected = EXAMPLE.replace("# /// script", "# %%\n# /// script")
    assert write(read(EXAMPLE, "a.py"), "py") == expected
    assert write(read(expected, "a.py"), "py") == expected


def test_each_cell_knows_the_line_of_its_source() -> None:
    lines = EXAMPLE.split("\n")
    for cell in read(EXAMPLE, "a.py").cells:
        first = cell.source.split("\n")[0]
        found = lines[cell.line - 1]
        if first.startswith("%%bash"):
            assert "bash" in found
            assert lines[cell.line].endswith(cell.source.split("\n")[1])
        else:
            assert first in (found, found.removeprefix("# "))


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_line_ends_make_no_difference(ends: str) -> None:
    assert read(EXAMPLE.replace("\n", ends), "a.py") == read(EXAMPLE, "a.py")


def test_a_byte_order_mark_is_passed_over() -> None:
    assert read("\ufeff# %%\n1\n", "a.py") == read("# %%\n1\n", "a.py")


def test_a_file_without_header_says_so_and_stays_without() -> None:
    notebook = read("# %%\n1\n", "a.py")
    assert notebook.metadata == {"jupytext": {"notebook_metadata_filter": "-all"}}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    with_kernel = Notebook(notebook.cells, {**notebook.metadata, "kernelspec": kernel})
    assert write(with_kernel, "py") == "# %%\n1\n"


def test_a_filter_lets_all_notebook_metadata_into_the_header() -> None:
    metadata = {
        "authors": [{"name": "Ada"}],
        "jupytext": {"notebook_metadata_filter": "all"},
        "language_info": {"name": "python"},
    }
    notebook = Notebook((Cell("code", "1"),), metadata)
    assert read(write(notebook, "py"), "a.py").metadata == metadata


def test_a_filter_in_the_header_is_widened_by_what_the_cells_have() -> None:
    header = "# ---\n# jupyter:\n#   jupytext:\n#     cell_metadata_filter: -all\n# ---\n\n"
    notebook = read(header + '# %% tags=["a"]\n1\n', "a.py")
    assert '# %% tags=["a"]' in write(notebook, "py")


def test_dates_in_the_header_become_text() -> None:
    header = "# ---\n# jupyter:\n#   jupytext:\n#     day: 2024-01-02\n# ---\n"
    metadata = read(header + "# %%\n1\n", "a.py").metadata
    assert metadata["jupytext"]["day"] == "2024-01-02"


def test_a_header_that_is_not_yaml_is_refused_with_its_line() -> None:
    text = "# ---\n# title: x\n# jupyter:\n#   kernelspec: [\n# ---\n# %%\n1\n"
    with pytest.raises(NotebookError) as raised:
        read(text, "nb.py")
    assert raised.value.kind == "notebook-invalid"
    assert raised.value.place == "nb.py:4"


def test_another_declared_encoding_is_refused() -> None:
    with pytest.raises(NotebookError) as raised:
        read("# -*- coding: latin-1 -*-\n# %%\n1\n", "nb.py")
    assert (raised.value.kind, raised.value.place) == ("notebook-encoding", "nb.py:1")


def test_utf8_may_be_declared_in_any_spelling() -> None:
    assert sources("# coding: utf8\n# %%\n1\n")[-1] == "1"


def test_a_cell_magic_without_body_and_odd_spacing_come_back() -> None:
    for source in ("%%bash", "%%bash ", "%%bash\n", "%%python\n1", "%%time\n1"):
        notebook = Notebook((Cell("code", source),))
        assert sources(write(notebook, "py")) == [source]


# Where we differ from Jupytext on purpose: see design/notebooks.md.


def theirs(text: str) -> list[str]:
    return [cell.source for cell in jupytext.reads(text, fmt="py:percent").cells]


def test_a_sentence_in_a_comment_stays_a_comment() -> None:
    text = "# %%\n# copy the data\nx = 1\n"
    assert sources(text) == ["# copy the data\nx = 1"]
    assert theirs(text) == ["copy the data\nx = 1"]


def test_a_bare_command_is_written_as_it_is() -> None:
    notebook = Notebook((Cell("code", "ls -l"),))
    assert write(notebook, "py") == "# %%\nls -l\n"
    assert sources("# %%\nls -l\n") == theirs("# %%\nls -l\n") == ["ls -l"]


def test_a_heading_keeps_its_sign_whatever_it_says() -> None:
    text = "# %% [markdown]\n# # Why?\n# # %matplotlib\n"
    assert sources(text) == ["# Why?\n# %matplotlib"]
    assert theirs(text) == ["Why?\n%matplotlib"]


def test_comments_that_look_like_light_markers_stay() -> None:
    text = "# %%\n# # + a\n## + b\n"
    assert sources(text) == ["# # + a\n## + b"]
    assert theirs(text) == ["# + a\n# + b"]


def test_a_marker_inside_a_cell_is_escaped() -> None:
    cells = (Cell("code", "x\n# %% note\ny"), Cell("markdown", "%% a\n# %% b"), Cell("raw", "%%"))
    text = write(Notebook(cells), "py")
    assert "# # %% note" in text
    assert sources(text) == [cell.source for cell in cells]
    assert len(theirs(text)) == 3


def test_a_forgotten_fence_does_not_swallow_cells() -> None:
    text = "# %% [markdown]\n# ```\n# open\n\n# %%\n1\n\n# %% [markdown]\n# ```\n# x\n# ```\n"
    assert sources(text) == ["```\nopen", "1", "```\nx\n```"]
    assert len(theirs(text)) < 3


def test_a_marker_in_a_closed_fence_is_text_as_in_jupytext() -> None:
    text = "# %% [markdown]\n# ```mermaid\n# %% note\n# ```\n"
    assert sources(text) == theirs(text) == ["```mermaid\n%% note\n```"]


def test_only_line_ends_end_a_line() -> None:
    text = "# %%\nx = 'a\x0cb\u2028c'\n"
    assert sources(text) == ["x = 'a\x0cb\u2028c'"]
    assert theirs(text) != sources(text)


def test_a_python_magic_keeps_its_line() -> None:
    notebook = Notebook((Cell("code", "%%python\nprint(1)"),))
    assert sources(write(notebook, "py")) == ["%%python\nprint(1)"]


def test_titles_with_signs_and_odd_keys_come_back() -> None:
    metadata = {"title": "a = {b}", "odd key": [1], "tags": ["t"]}
    notebook = Notebook((Cell("code", "1", metadata),))
    assert read(write(notebook, "py"), "a.py").cells[0].metadata == metadata


def test_the_order_of_words_in_a_marker_stays() -> None:
    text = "# %% title a=1 .b c=2\nx\n"
    assert write(read(text, "a.py"), "py") == text


def test_no_bookkeeping_is_added_to_the_notebook() -> None:
    ours = read("# %%\n1\n", "a.py").metadata["jupytext"]
    reference = jupytext.reads("# %%\n1\n", fmt="py:percent").metadata["jupytext"]
    assert set(ours) < set(reference)
    assert "main_language" in reference


def test_a_raw_first_cell_with_metadata_does_not_become_a_header() -> None:
    cell = Cell("raw", "---\ntitle: x\n---", {"tags": ["a"]})
    assert read(write(Notebook((cell,)), "py"), "a.py").cells == (cell,)


def test_text_in_quotes_keeps_a_blank_line_at_its_end() -> None:
    text = '# %% [markdown]\n"""\nwords\n\n"""\n'
    assert sources(text) == ["words\n"]
    assert theirs(text) == ["words"]
    assert write(read(text, "a.py"), "py") == text


def test_no_version_of_a_tool_is_written() -> None:
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = Notebook((Cell("code", "1"),), {"kernelspec": kernel})
    assert "version" not in write(notebook, "py")


def test_a_script_is_python_whatever_its_kernel_is() -> None:
    kernel = "#   kernelspec:\n#     display_name: J\n#     language: julia\n#     name: j\n"
    text = f"# ---\n# jupyter:\n{kernel}# ---\n\n# %%\n# !ls\n"
    assert sources(text) == ["!ls"]
    assert theirs(text) == ["# !ls"]


def test_json_in_markers_stays_only_when_the_header_asks_for_it() -> None:
    text = '# %% {"a": 1}\nx\n'
    assert write(read(text, "a.py"), "py") == "# %% a=1\nx\n"
    header = "# ---\n# jupyter:\n#   jupytext:\n#     cell_metadata_json: true\n# ---\n\n"
    assert write(read(header + text, "a.py"), "py") == header + text


def test_a_script_ends_in_a_newline() -> None:
    notebook = Notebook((Cell("code", "1", {"lines_to_next_cell": 0}),))
    assert write(notebook, "py") == "# %%\n1\n"
