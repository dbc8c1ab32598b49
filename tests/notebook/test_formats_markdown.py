"""Markdown notebooks: what is a cell, where it stands, and where we differ from Jupytext."""

from __future__ import annotations

from typing import Any

import jupytext
import pytest

from octavo.errors import NotebookError
from octavo.notebook.formats import read, write
from octavo.notebook.front_matter import front_matter
from octavo.notebook.model import Cell, Notebook

EXAMPLE = """\
---
title: Disk report
parameters:
  threshold: 0.9
jupyter:
  kernelspec:
    display_name: Python 3
    language: python
    name: python3
---

# Disk report

Words.


Another text cell.

```python name="inputs" tags=["parameters"]
threshold = 0.9
```

```bash magic_args="-e"
ls -l
```

<!-- #region tags=["note"] -->
In a region.
<!-- #endregion -->

```text
no cell
```

````python
print('''
```
''')
````

<!-- #raw mimetype="text/html" -->
<b>raw</b>
<!-- #endraw -->
"""
MYST = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
    format_version: 0.13
    jupytext_version: 1.19.6
kernelspec:
  display_name: Python 3
  language: python
  name: python3
title: A book
---

# Heading

+++

Second text.

+++ {"tags": ["note"]}

Third text.

```{code-cell} ipython3
:tags: [parameters]

x = 1
```

```{code-cell} ipython3
---
mystnb:
  figure: {}
---
plot(x)
```

```{raw-cell}
raw
```
"""
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def contents(text: str) -> list[tuple[str, str]]:
    return [(cell.kind, cell.source) for cell in read(text, "a.md").cells]


def theirs(text: str) -> list[tuple[str, str]]:
    return [(cell.cell_type, cell.source) for cell in jupytext.reads(text, fmt="md").cells]


def code(text: str) -> list[str]:
    return [source for kind, source in contents(text) if kind == "code"]


@pytest.mark.parametrize("text", (EXAMPLE, MYST))
def test_a_canonical_document_comes_back_byte_for_byte(text: str) -> None:
    assert write(read(text, "a.md"), "md") == text


def test_what_is_read() -> None:
    found = read(EXAMPLE, "a.md")
    assert [(cell.kind, cell.source) for cell in found.cells] == [
        ("raw", "---\ntitle: Disk report\nparameters:\n  threshold: 0.9\n---"),
        ("markdown", "# Disk report\n\nWords."),
        ("markdown", "Another text cell."),
        ("code", "threshold = 0.9"),
        ("code", "%%bash -e\nls -l"),
        ("markdown", "In a region."),
        ("markdown", "```text\nno cell\n```"),
        ("code", "print('''\n```\n''')"),
        ("raw", "<b>raw</b>"),
    ]
    assert found.metadata == {"kernelspec": KERNEL}
    assert found.cells[3].name == "inputs"
    assert found.tagged("parameters") == [3]


@pytest.mark.parametrize("text", (EXAMPLE, MYST))
def test_a_cell_knows_its_line(text: str) -> None:
    lines = text.split("\n")
    for cell in read(text, "a.md").cells:
        first, line = cell.source.split("\n")[0], lines[cell.line - 1]
        assert line == ('```bash magic_args="-e"' if first.startswith("%%bash") else first)


def test_myst_is_read_into_the_same_model() -> None:
    found = read(MYST, "a.md")
    assert [(cell.kind, cell.source, dict(cell.metadata)) for cell in found.cells] == [
        ("markdown", "# Heading", {}),
        ("markdown", "Second text.", {}),
        ("markdown", "Third text.", {"tags": ["note"]}),
        ("code", "x = 1", {"tags": ["parameters"]}),
        ("code", "plot(x)", {"mystnb": {"figure": {}}}),
        ("raw", "raw", {}),
    ]
    assert found.metadata["kernelspec"] == KERNEL
    assert found.metadata["title"] == "A book"


def test_a_notebook_is_written_as_myst_only_when_it_says_so() -> None:
    cells = (Cell("code", "1"),)
    assert write(Notebook(cells), "md") == "```python\n1\n```\n"
    told = {"jupytext": {"text_representation": {"extension": ".md", "format_name": "myst"}}}
    assert "```{code-cell}\n1\n```" in write(Notebook(cells, told), "md")


@pytest.mark.parametrize("text", (EXAMPLE, MYST, EXAMPLE.replace("\n", "\r\n"), "\ufeff" + EXAMPLE))
def test_front_matter_is_a_value(text: str) -> None:
    found = front_matter(read(text, "a.md"))
    assert found.get("title") in ("Disk report", "A book")
    if "parameters:" in text:
        assert found["parameters"] == {"threshold": 0.9}
    assert "kernelspec" not in found
    assert "jupytext" not in found


def test_front_matter_that_is_no_yaml_is_kept_and_refused_when_asked_for() -> None:
    text = "---\ntitle: a\nb: [\n---\n\n```python\n1\n```\n"
    found = read(text, "a.md")
    assert write(found, "md") == text
    with pytest.raises(NotebookError) as caught:
        front_matter(found, "a.md")
    assert caught.value.place == "a.md:3"


def test_a_notebook_without_front_matter_has_none() -> None:
    assert front_matter(read("Words.\n", "a.md")) == {}


def test_a_readme_is_a_notebook() -> None:
    text = "# Tool\n\n    pip install tool\n\n```python\nimport tool\n```\n\nDone.\n"
    assert contents(text) == [
        ("markdown", "# Tool\n\n    pip install tool"),
        ("code", "import tool"),
        ("markdown", "Done."),
    ]
    assert read(text, "a.md").language == "python"
    assert write(read(text, "a.md"), "md") == text


@pytest.mark.parametrize(
    ("text", "language"),
    (
        ("```bash\nls\n```\n", "bash"),
        ("```bash\nls\n```\n\n```python\n1\n```\n", "python"),
        ("```julia\n1\n```\n\n```julia\n2\n```\n\n```python\n1\n```\n", "julia"),
        ("---\nkernelspec:\n  language: bash\n  name: bash\n---\n\n```python\n1\n```\n", "bash"),
        ("```{code-cell} julia\n1\n```\n", "julia"),
        ("```{code-cell} ipython3\n1\n```\n", "python"),
        ("Words only.\n", "python"),
    ),
)
def test_the_language_is_declared_or_that_of_the_fences(text: str, language: str) -> None:
    found = read(text, "a.md")
    assert found.language == language
    assert write(found, "md") == text


def test_a_kernel_of_an_unheard_of_language_keeps_its_cells() -> None:
    spec = {"display_name": "Nu", "language": "nushell", "name": "nu"}
    notebook = Notebook((Cell("code", "ls | length"),), {"kernelspec": spec})
    text = write(notebook, "md")
    assert "```nushell\nls | length\n```" in text
    assert contents(text) == [("code", "ls | length")]
    assert theirs(text) == [("markdown", "```nushell\nls | length\n```")]


def test_one_shell_cell_does_not_turn_a_python_notebook_into_a_shell_script() -> None:
    cells = (Cell("code", "%%bash\nls"),)
    assert write(Notebook(cells), "md") == "```python\n%%bash\nls\n```\n"
    both = (*cells, Cell("code", "1"))
    assert write(Notebook(both), "md") == "```bash\nls\n```\n\n```python\n1\n```\n"


NO_CELLS = {
    "no language": "```\nx\n```",
    "another language": "```pycon\n>>> x\n```",
    "not to be run": "```python .noeval\nx\n```",
    "indented": "  ```python\n  x\n  ```",
    "in a list": "- item\n\n  ```python\n  x\n  ```",
    "in a quote": "> ```python\n> x\n> ```",
    "tildes": "~~~python\nx\n~~~",
    "inside another fence": "````md\n```python\nx\n```\n````",
    "inside tildes": "~~~\n```python\nx\n```\n~~~",
    "inline": "```python```",
    "indented code": "Text\n\n    ```python\n    x\n    ```",
}


@pytest.mark.parametrize("what", NO_CELLS)
def test_what_is_no_cell(what: str) -> None:
    text = f"Before.\n\n{NO_CELLS[what]}\n\n```python\ny\n```\n"
    assert code(text) == ["y"]
    assert write(read(text, "a.md"), "md") == text


@pytest.mark.parametrize(
    ("text", "place", "close"),
    (
        ("# A\n\n```python\nx = 1\n\nText.\n", "a.md:3", "```"),
        ("# A\n\n````python\n```\n", "a.md:3", "````"),
        ("Text\n\n<!-- #region -->\nmore\n", "a.md:3", "<!-- #endregion -->"),
        ("```{code-cell}\n1\n", "a.md:1", "```"),
    ),
)
def test_what_is_never_closed_is_refused_with_its_line(text: str, place: str, close: str) -> None:
    with pytest.raises(NotebookError) as caught:
        read(text, "a.md")
    assert caught.value.kind == "notebook-invalid"
    assert caught.value.place == place
    assert close in str(caught.value.hint)


@pytest.mark.parametrize(
    ("text", "place"),
    (
        ("---\njupyter:\n  a: [\n---\n", "a.md:3"),
        ("---\na: 1\nb: [\n---\n\n```{code-cell}\n```\n", "a.md:3"),
        ("```{code-cell}\n:tags: [\n1\n```\n", "a.md:2"),
        ('Text\n\n+++ {"a"\n\n```{code-cell}\n1\n```\n', "a.md:3"),
    ),
)
def test_metadata_that_cannot_be_read_is_refused_with_its_line(text: str, place: str) -> None:
    with pytest.raises(NotebookError) as caught:
        read(text, "a.md")
    assert caught.value.place == place
    assert caught.value.hint


@pytest.mark.parametrize(
    ("notebook", "text"),
    (
        ((Cell("code", "a\n```\nb"),), "````python\na\n```\nb\n````\n"),
        ((Cell("code", "  ```"),), "````python\n  ```\n````\n"),
        ((Cell("code", ""),), "```python\n\n```\n"),
        ((Cell("markdown", ""),), "<!-- #region -->\n\n<!-- #endregion -->\n"),
        (
            (Cell("markdown", "a\n\n\nb"),),
            "<!-- #region -->\na\n\n\nb\n<!-- #endregion -->\n",
        ),
        (
            (Cell("markdown", "```python\nx\n```\n<!-- #endregion -->"),),
            "<!-- #md -->\n```python\nx\n```\n<!-- #endregion -->\n<!-- #endmd -->\n",
        ),
        ((Cell("markdown", "a"), Cell("markdown", "b")), "a\n\n\nb\n"),
        ((Cell("code", "1", {"a b": "`"}),), '```python {"a b": "\\u0060"}\n1\n```\n'),
        (
            (Cell("markdown", "a", {"x": "-->"}),),
            '<!-- #region x="--\\u003e" -->\na\n<!-- #endregion -->\n',
        ),
    ),
)
def test_what_needs_care_is_written_so_that_it_comes_back(
    notebook: tuple[Cell, ...], text: str
) -> None:
    assert write(Notebook(notebook), "md") == text
    found = [(cell.kind, cell.source) for cell in notebook]
    assert contents(text) == found


def test_headings_can_start_text_cells() -> None:
    header = "---\njupyter:\n  jupytext:\n    split_at_heading: true\n---\n\n"
    text = header + "# A\n\nText.\n\n## B\n\nMore.\n"
    assert [source for _, source in contents(text)] == ["# A\n\nText.", "## B\n\nMore."]
    assert contents(text) == theirs(text)
    assert write(read(text, "a.md"), "md") == text


def test_a_header_can_hide_in_a_comment() -> None:
    inner = "---\njupyter:\n  jupytext:\n    hide_notebook_metadata: true\n---"
    text = f"<!--\n\n{inner}\n\n-->\n\n```python\n1\n```\n"
    found = read(text, "a.md")
    assert found.metadata == {"jupytext": {"hide_notebook_metadata": True}}
    assert write(found, "md") == text


#: Where Jupytext reads something else, on purpose: the text, ours, theirs.
DIFFERENCES: dict[str, tuple[str, Any, Any]] = {
    "blank lines are no cell": (
        "```python\n1\n```\n\n\n\n```python\n2\n```\n",
        [("code", "1"), ("code", "2")],
        [("code", "1"), ("markdown", "\n"), ("code", "2")],
    ),
    "a string does not hide the end of a fence": (
        '```python\nx = """\n```\n\nText\n',
        [("code", 'x = """'), ("markdown", "Text")],
        [("code", 'x = """\n```\n\nText')],
    ),
    "a fence with a language closes no other": (
        "```python\nx\n```bash\ny\n```\n",
        [("code", "x\n```bash\ny")],
        [("code", "x"), ("markdown", "y\n```")],
    ),
    "tildes hide what is between them": (
        "~~~\n```python\nx\n```\n~~~\n",
        [("markdown", "~~~\n```python\nx\n```\n~~~")],
        [("markdown", "~~~"), ("code", "x"), ("markdown", "~~~")],
    ),
    "the case of a language does not matter": (
        "```python\n1\n```\n\n```BASH\nls\n```\n",
        [("code", "1"), ("code", "%%bash\nls")],
        [("code", "1"), ("code", "ls")],
    ),
    "a fence that is not to run is text": (
        "```python .noeval\nx\n```\nText\n",
        [("markdown", "```python .noeval\nx\n```\nText")],
        [("markdown", "```python .noeval\nx\n```"), ("markdown", "Text")],
    ),
    "no blank line is lost after indented code": (
        "Text\n\n    code\n\n```python\n1\n```\n",
        [("markdown", "Text\n\n    code"), ("code", "1")],
        [("markdown", "Text\n\n    code\n"), ("code", "1")],
    ),
    "a script's first lines mean nothing here": (
        "#!shebang\n\n```python\n1\n```\n",
        [("markdown", "#!shebang"), ("code", "1")],
        [("markdown", ""), ("code", "1")],
    ),
}


@pytest.mark.parametrize("what", DIFFERENCES)
def test_where_we_differ_from_jupytext_on_purpose(what: str) -> None:
    text, ours, others = DIFFERENCES[what]
    assert contents(text) == ours
    assert theirs(text) == others


_ONLY_MYST = "---\njupytext:\n  text_representation:\n    format_name: myst\n---\n"


@pytest.mark.parametrize("text", ("", "\n", "\n\n  \n", "\ufeff", _ONLY_MYST, f"{_ONLY_MYST}+++\n"))
def test_nothing_has_no_cells(text: str) -> None:
    assert read(text, "a.md").cells == ()
