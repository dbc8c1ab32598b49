from __future__ import annotations

import json
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import NotebookError
from octavo.notebook.comment_blocks import CommentBlock, find_block
from octavo.notebook.scriptblock import read_block

NOTEBOOK = """\
# %% [markdown]
# # Title

# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "pandas>=2",  # for the tables
#     "rich",
# ]
#
# [tool.uv]
# exclude-newer = "2030-01-01T00:00:00Z"
# ///

# %%
import pandas
"""


def found(text: str, path: str = "nb.py") -> CommentBlock:
    block = find_block(textwrap.dedent(text), path)
    assert block is not None
    return block


def refused(text: str, path: str = "nb.py") -> NotebookError:
    with pytest.raises(NotebookError) as caught:
        read_block(found(text, path))
    assert caught.value.kind == "environment-block"
    return caught.value


def ipynb(*cells: tuple[str, str | list[str]]) -> str:
    return json.dumps(
        {"cells": [{"cell_type": kind, "source": source} for kind, source in cells], "nbformat": 4}
    )


def test_a_block_in_a_percent_file_declares_packages() -> None:
    block = found(NOTEBOOK)
    metadata = read_block(block)
    assert block.place() == "nb.py:4"
    assert metadata.dependencies == ("pandas>=2", "rich")
    assert metadata.requires_python == ">=3.11"
    assert metadata.uv == {"exclude-newer": "2030-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# %%\nprint(1)\n",
        "# %%\n# /// other\n# a = 1\n# ///\n",
        '# %%\nprint("/// script")\n',
        "#/// script\n# ///\n",
        " # /// script\n # ///\n",
    ],
)
def test_most_notebooks_have_no_block(text: str) -> None:
    assert find_block(text, "nb.py") is None


def test_an_empty_block_declares_nothing() -> None:
    metadata = read_block(found("# /// script\n# ///\n"))
    assert (metadata.dependencies, metadata.requires_python, metadata.uv) == ((), None, {})


def test_windows_line_ends_and_trailing_blanks_do_not_matter() -> None:
    same = NOTEBOOK.replace("\n", "  \r\n")
    assert read_block(found(same)).dependencies == ("pandas>=2", "rich")
    assert found(same).normalised() == found(NOTEBOOK).normalised()


def test_comments_and_blank_lines_do_not_make_another_environment() -> None:
    more = NOTEBOOK.replace("# dependencies", "# # why\n#\n# dependencies")
    other = NOTEBOOK.replace("rich", "attrs")
    assert found(more).normalised() == found(NOTEBOOK).normalised()
    assert found(other).normalised() != found(NOTEBOOK).normalised()


def test_the_last_end_marker_of_the_comment_ends_the_block() -> None:
    text = '# /// script\n# note = """\n# ///\n# """\n# dependencies = ["a"]\n# ///\nx = 1\n'
    assert read_block(found(text)).dependencies == ("a",)


def test_a_block_in_a_code_cell_of_an_ipynb() -> None:
    lines = ["# /// script\n", '# dependencies = ["rich"]\n', "# ///\n"]
    text = ipynb(("markdown", "# /// script\n# ///"), ("code", lines))
    block = found(text, "nb.ipynb")
    assert read_block(block).dependencies == ("rich",)
    assert block.place(1) == "nb.ipynb, cell 1, line 2"


def test_json_that_escapes_slashes_is_read_too() -> None:
    text = ipynb(("code", "# /// script\n# ///")).replace("/", "\\/")
    assert find_block(text, "nb.ipynb") is not None


@pytest.mark.parametrize("text", ['{"cells": "/// script"}', "/// script", '["/// script"]'])
def test_what_is_not_a_notebook_has_no_block(text: str) -> None:
    assert find_block(text, "nb.ipynb") is None


def test_a_mistake_in_the_toml_is_named_with_its_line() -> None:
    error = refused("# %%\n\n# /// script\n# dependencies = [\n#   oops\n# ]\n# ///\n")
    assert error.place == "nb.py:5"
    assert error.hint


def test_a_mistake_at_the_end_of_the_toml_is_in_its_last_line() -> None:
    assert refused('# /// script\n# dependencies = ["a"\n# ///\n').place == "nb.py:2"


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('dependencies = "rich"', "dependencies"),
        ("dependencies = [1]", "dependencies"),
        ("requires-python = 3.11", "requires-python"),
        ("tool = 3", "tool.uv"),
        ("tool.uv = 3", "tool.uv"),
    ],
)
def test_wrong_types_are_named(line: str, word: str) -> None:
    error = refused(f"# /// script\n# {line}\n# ///\n")
    assert word in error.message
    assert error.place == "nb.py:1"


@pytest.mark.parametrize("requires", ["nonsense", ">=", "3.11 or so", ">=3.11 <3.13", "=>3.11"])
def test_a_range_of_versions_that_is_none(requires: str) -> None:
    error = refused(f"# /// script\n# dependencies = []\n# requires-python = '{requires}'\n# ///\n")
    assert repr(requires) in error.message
    assert error.place == "nb.py:3"


@pytest.mark.parametrize(
    "requires", ["", "3.12", ">=3.11", " >= 3.11 , < 4, != 3.12.* ", "~=3.11.2"]
)
def test_ranges_of_versions(requires: str) -> None:
    block = found(f"# /// script\n# requires-python = '{requires}'\n# ///\n")
    assert read_block(block).requires_python == requires


def test_a_block_without_an_end_is_an_error_and_not_ignored() -> None:
    with pytest.raises(NotebookError) as caught:
        find_block("# %%\n# /// script\n# dependencies = []\n\n# ///\n", "nb.py")
    assert (caught.value.kind, caught.value.place) == ("environment-block", "nb.py:2")
    assert "# ///" in caught.value.hint


def test_two_blocks_are_an_error_that_names_both() -> None:
    with pytest.raises(NotebookError) as caught:
        find_block("# /// script\n# ///\n\n# /// script\n# ///\n", "nb.py")
    assert caught.value.place == "nb.py:4"
    assert "nb.py:1" in caught.value.message


@given(st.lists(st.text("abc=\"[]# '\n", max_size=20), max_size=8))
def test_any_block_text_is_found_as_it_was_written(parts: list[str]) -> None:
    content = "\n".join(line.rstrip() for line in "".join(parts).split("\n"))
    comments = "\n".join(f"# {line}".rstrip() for line in content.split("\n"))
    block = found(f"# %%\n# /// script\n{comments}\n# ///\n\n# %%\n")
    assert block.content == content


DOCUMENT = """\
# Packages

```python
# /// script
# dependencies = ["rich"]
# ///
import rich
```
"""


def test_a_document_has_its_block_in_a_code_cell() -> None:
    block = found(DOCUMENT, "nb.md")
    assert read_block(block).dependencies == ("rich",)
    assert block.place() == "nb.md:4"


def test_a_document_may_hide_its_block_in_a_comment() -> None:
    text = "# A\n\n<!--\n# /// script\n# dependencies = []\n# ///\n-->\n\n```python\n1\n```\n"
    assert found(text, "nb.md").place() == "nb.md:4"


def test_a_block_that_a_document_shows_as_an_example_is_none() -> None:
    text = DOCUMENT.replace("```python", "```toml")
    assert find_block(text, "nb.md") is None
    assert find_block(f"````md\n{DOCUMENT}````\n", "nb.md") is None


def test_mistakes_in_a_document_are_told_with_their_line() -> None:
    assert refused(DOCUMENT.replace("# ///\n", ""), "nb.md").place == "nb.md:4"
    twice = DOCUMENT + "\n```python\n# /// script\n# ///\n```\n"
    assert refused(twice, "nb.md").place == "nb.md:11"
    assert find_block(DOCUMENT.removesuffix("```\n"), "nb.md") is None
