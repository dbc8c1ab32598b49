"""Generated notebooks and percent files for property tests."""

from __future__ import annotations

import string
from typing import Any

from hypothesis import strategies as st

from octavo.notebook.model import Cell, Notebook

CODE_LINES = (
    "x = 1",
    "print('hé', \"it's\")",
    "def f(a):",
    "    return a",
    "class A: pass",
    "async def g():",
    "    await f(1)",
    "@decorated",
    ")",
    "# a comment",
    "## another",
    "#: note",
    "%matplotlib inline",
    "# %load_ext autoreload",
    "%time x",
    "!ls -l",
    "#!ls",
    "files = !ls",
    "df?",
    "?df",
    "    %pip install x",
    "%timeit f(1, \\\n    2)",
    "text = '''",
    "'''",
    'more = """one line"""',
    '"""',
    's = "# %% not a cell"',
    "%%time",
    "%%writefile a.txt",
    "%cd x  # noescape",
    "",
    "",
    "    ",
    "y = x  # trailing",
)
TEXT_LINES = (
    "# Title",
    "Some *text* with `code`.",
    "- item",
    "    indented",
    "",
    "100 %",
    "a = b",
    "\"quoted\" 'too'",
    "back\\slash",
    "```python\nx\n```",
    "~~~mermaid\n%% inside a fence\n~~~",
    "é ü 漢字",
)
#: Lines that Jupytext does not bring back as they were, or that it reads in its own way.
HARD_CODE_LINES = (
    *(line for line in CODE_LINES if line not in ("text = '''", "'''", '"""')),
    "text = '''\n# %% in a string\n%magic\n'''",
    "# %% in a comment",
    "# # %%",
    "    # %% indented",
    "#%%",
    "## %% twice",
    "# In[3]:",
    "# # + a",
    "## + b",
    "# copy the data",
    "ls -l",
    "%%bash",
    "%%bash --out x",
    "%%python",
)
HARD_TEXT_LINES = (
    *TEXT_LINES,
    "%% a line",
    "%%",
    "# %% a heading",
    "# # %% more",
    "In[3]:",
    "<codecell>",
    "# Why?",
    "why?",
    "%matplotlib inline",
    "# %time",
    "!ls",
    "```",
    "~~~",
    '"""',
    "'''",
    "#",
    "---",
)
MARKERS = (
    "# %%",
    "# %% ",
    "#%%",
    "#   %% spaced",
    "# %% A title",
    "# %% [markdown]",
    "# %% [markdown]",
    "# %% [md]",
    "# %% Title [markdown] a=1",
    "# %% [raw]",
    '# %% tags=["parameters"]',
    '# %% A title tags=["a", "b"] name="n"',
    '# %% {"a": {"b": [1, 2]}}',
    "# %% title {'py': True}",
    "# %% a=1 b='two' c={\"d\": null}",
    "# %% broken a=",
    "# %% .attribute",
    "# %%%% sub cell",
    "    # %% indented",
    "# In[3]:",
    "# <codecell>",
    '# %% language="bash"',
    '# %% language="html" magic_args="--isolated"',
    '# %% active="ipynb"',
    '# %% active="py"',
    '# %% tags=["active-ipynb"]',
    '# %% run_control={"frozen": true}',
)
HEADERS = (
    [],
    [],
    ["#!/usr/bin/env python"],
    ["# -*- coding: utf-8 -*-"],
    ["# ---", "# jupyter:", "#   kernelspec:", "#     display_name: P", "#     name: p", "# ---"],
    ["# ---", "# title: Hello", "# ---", ""],
    ["# ---", "# title: x", "# jupyter:", "#   jupytext:", "#     a: 1", "# ---"],
    [
        "# ---",
        "# jupyter:",
        "#   jupytext:",
        "#     cell_metadata_filter: -all",
        "#     comment_magics: false",
        "# ---",
        "",
    ],
)


def percent_texts() -> st.SearchStrategy[str]:
    """Percent files put together from lines, in any order."""
    plain = st.sampled_from(CODE_LINES)
    comments = st.sampled_from(TEXT_LINES).map(lambda text: ("# " + text).replace("\n", "\n# "))
    line = st.one_of(plain, comments, st.sampled_from(MARKERS))
    return st.builds(
        lambda header, lines: "\n".join([*header, *lines]) + "\n",
        st.sampled_from(HEADERS),
        st.lists(line, min_size=1, max_size=25),
    )


def sources(lines: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Texts of a cell."""
    return st.lists(st.sampled_from(lines), max_size=6).map("\n".join)


_words = st.text(string.ascii_letters, min_size=1, max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_words, inner, max_size=3),
    max_leaves=5,
)


def metadata() -> st.SearchStrategy[dict[str, Any]]:
    """Metadata of a cell."""
    return st.fixed_dictionaries(
        {},
        optional={
            "tags": st.lists(_words, unique=True, min_size=1, max_size=2),
            "title": st.lists(_words, min_size=1, max_size=3).map(" ".join),
            "name": _words,
            "custom": json_values.filter(lambda value: value is not None),
        },
    )


def cells(
    code: tuple[str, ...] = CODE_LINES, text: tuple[str, ...] = TEXT_LINES
) -> st.SearchStrategy[Cell]:
    """Cells of every kind."""
    return st.one_of(
        st.builds(Cell, st.just("code"), sources(code), metadata()),
        st.builds(Cell, st.just("markdown"), sources(text), metadata()),
        st.builds(Cell, st.just("raw"), sources(text), metadata()),
    )


def notebooks(**lines: tuple[str, ...]) -> st.SearchStrategy[Notebook]:
    """Notebooks as Jupyter makes them."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    heads = st.sampled_from(({}, {"kernelspec": kernel}))
    return st.builds(
        lambda found, head: Notebook(tuple(found), head),
        st.lists(cells(**lines), max_size=6),
        heads,
    )
