"""Generated Markdown documents for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from notebook_documents import cells
from octavo.notebook.model import Cell, Notebook

TEXT_LINES = (
    "# Title",
    "Some *text* with `code`.",
    "- item",
    "  more of it",
    "> quote",
    "",
    "",
    "",
    "    indented",
    "a = b  ",
    "é ü 漢字",
    "<!-- a comment -->",
    "| a | b |",
    "%% percent",
    "+ plus",
)
CODE_LINES = (
    "x = 1",
    "def f(a):",
    "    return a",
    "",
    "# a comment",
    "%matplotlib inline",
    "!ls",
    "df?",
    "    ```",
    "print('`')",
    "# %% no cell here",
    "---",
    ":not: an option",
    "é = '漢字'",
)
FENCES = (
    "```python",
    "``` python",
    '```python tags=["parameters"]',
    '```python name="n" tags=["a", "b"]',
    '```python {"a": {"b": [1, 2]}}',
    "```python a=1 b='two' c={\"d\": null}",
    "```python broken=",
    "```python word",
    "```bash",
    '```bash magic_args="-s x"',
    "```PYTHON",
    "```julia",
    "```R",
    "````python",
    '```python active="ipynb"',
    '```python active="py"',
    '```python tags=["active-ipynb"]',
    "```",
    "```text",
    "```{note}",
    "```pycon",
)
REGIONS = (
    ("<!-- #region -->", "<!-- #endregion -->"),
    ("<!-- #region A title -->", "<!-- #endregion -->"),
    ('<!-- #region A title key="v" tags=["a"] -->', "<!-- #endregion -->"),
    ('<!-- #region {"a": 1} -->', "<!-- #endregion -->"),
    ("<!-- #md -->", "<!-- #endmd -->"),
    ("<!-- #markdown -->", "<!-- #endmarkdown -->"),
    ("<!-- #raw -->", "<!-- #endraw -->"),
    ('<!-- #raw mimetype="text/html" -->', "<!-- #endraw -->"),
)
HEADERS: tuple[list[str], ...] = (
    [],
    [],
    ["---", "title: Hello", "---"],
    ["---", "title: Hello", "jupyter:", "  jupytext:", "    a: 1", "---", ""],
    [
        "---",
        "jupyter:",
        "  kernelspec:",
        "    display_name: Python 3",
        "    language: python",
        "    name: python3",
        "---",
        "",
    ],
    [
        "---",
        "jupyter:",
        "  kernelspec:",
        "    display_name: J",
        "    language: julia",
        "    name: j",
        "---",
        "",
    ],
    ["---", "jupyter:", "  jupytext:", "    cell_metadata_filter: -all", "---", ""],
    ["<!--", "", "---", "jupyter:", "  jupytext:", "    a: 1", "---", "", "-->", ""],
)


def _lines(lines: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(lines), max_size=5)


_fenced = st.builds(
    lambda fence, body: [fence, *body, "`" * (len(fence) - len(fence.lstrip("`")))],
    st.sampled_from(FENCES),
    _lines(CODE_LINES),
)
_region = st.builds(
    lambda marks, body: [marks[0], *body, marks[1]], st.sampled_from(REGIONS), _lines(TEXT_LINES)
)
_text = _lines(TEXT_LINES)


def markdown_texts() -> st.SearchStrategy[str]:
    """Documents in Jupytext's spelling, put together from blocks with any blank lines between."""
    block = st.builds(
        lambda lines, blanks: [*lines, *[""] * blanks],
        st.one_of(_fenced, _fenced, _region, _text),
        st.sampled_from((0, 1, 1, 1, 2, 3)),
    )
    return st.builds(
        lambda header, blocks: (
            "\n".join([*header, *(line for part in blocks for line in part)]) + "\n"
        ),
        st.sampled_from(HEADERS),
        st.lists(block, min_size=1, max_size=6),
    )


DIRECTIVES = (
    ["```{code-cell}"],
    ["```{code-cell} ipython3"],
    ["```{code-cell} ipython3", ":tags: [parameters]", ""],
    ["```{code-cell} ipython3", ":tags: [a, b]", ":name: n"],
    ["```{code-cell} ipython3", "---", "a:", "  b: [1, 2]", "---"],
    ["```{code-cell}", ""],
    ["````{code-cell}"],
    ["~~~{code-cell}"],
    ["```{raw-cell}"],
    ["```{raw-cell}", ":mimetype: text/html", ""],
    ["```{note}"],
    ["```python"],
)
BREAKS = (["+++"], ["+++", ""], ['+++ {"tags": ["a"]}', ""], ["+ + +"], ["++++"])
MYST_HEADERS: tuple[list[str], ...] = (
    [],
    ["---", "kernelspec:", "  display_name: P", "  language: python", "  name: p", "---", ""],
    ["---", "jupytext:", "  text_representation:", "    format_name: myst", "---", ""],
    [
        "---",
        "jupytext:",
        "  root_level_metadata_filter: -title",
        "  text_representation:",
        "    extension: .md",
        "    format_name: myst",
        "title: Hello",
        "---",
        "",
    ],
)


def myst_texts() -> st.SearchStrategy[str]:
    """Documents in MyST's spelling."""
    sign = st.sampled_from(DIRECTIVES)
    directive = st.builds(
        lambda head, body: [*head, *body, head[0][: len(head[0]) - len(head[0].lstrip("`~"))]],
        sign,
        _lines(tuple(line for line in CODE_LINES if line not in (":not: an option", "---"))),
    )
    part = st.one_of(directive, st.sampled_from(BREAKS), _lines(MYST_TEXT_LINES))
    return st.builds(
        lambda header, parts: (
            "\n".join(
                [
                    *header,
                    *(line for part in parts for line in (*part, "")),
                    "```{code-cell}",
                    "```",
                ]
            )
            + "\n"
        ),
        st.sampled_from(MYST_HEADERS),
        st.lists(part, max_size=6),
    )


MYST_TEXT_LINES = tuple(line for line in TEXT_LINES if line not in ("+ plus", "a = b  "))


def hard_notebooks() -> st.SearchStrategy[Notebook]:
    """Notebooks with everything in them that Markdown could misread."""
    text = (
        *TEXT_LINES,
        "---",
        "```python\nx\n```",
        "```text\nx",
        "~~~\n```python\nx\n```\n~~~",
        "<!-- #region -->",
        "<!-- #endregion -->",
        "<!-- #md -->",
        "```{code-cell}\nx\n```",
        "a\n\n    code",
        "a\n\n\nb",
    )
    code = (*CODE_LINES, "```", "  ```", "````python", "%%bash", "%%python", "%%html --isolated")
    kernels: tuple[dict[str, dict[str, str]], ...] = (
        {},
        {"kernelspec": {"display_name": "P", "language": "python", "name": "python3"}},
        {"kernelspec": {"display_name": "B", "language": "bash", "name": "bash"}},
        {"kernelspec": {"display_name": "N", "language": "nushell", "name": "nu"}},
    )
    return st.builds(
        lambda found, head: Notebook(tuple(found), head),
        st.lists(cells(code, text).map(_speakable), max_size=6),
        st.sampled_from(kernels),
    )


def _speakable(cell: Cell) -> Cell:
    """A raw cell cannot hold the line that ends it, nor be taken for front matter."""
    return cell if cell.kind != "raw" else cell.replace(source=f"raw\n{cell.source}")
