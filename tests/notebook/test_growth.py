"""Work grows with the number of cells, not faster: counted in calls, not in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from octavo.notebook.formats import ipynb, read, write
from octavo.notebook.identity import assign_ids
from octavo.notebook.matching import match_cells
from octavo.notebook.merge import merge
from octavo.notebook.model import Cell, Notebook

SHAPES: dict[str, Callable[[int], str]] = {
    "mixed": lambda n: f'# %% Step {n} tags=["a"]\nx = {n}\n\n# %% [markdown]\n# ## Part {n}\n\n',
    "text": lambda n: f"# %% [markdown]\n# Text {n}\n\n",
    "functions": lambda n: f"# %%\ndef f{n}():\n    pass\n\n\n",
    "functions and text": lambda n: f"# %%\ndef f{n}():\n    pass\n\n# %% [markdown]\n# T\n\n",
    "strings": lambda n: f'# %%\nx = """\n# %% {n}\n"""\n\n',
    "open fences": lambda n: f"# %% [markdown]\n# ```{n}\n",
    "equal": lambda n: "# %%\nshow()\n\n",
    "magics": lambda n: f"# %%\n# %time x{n}\n# !ls \\\n#   x\n\n",
}


def calls(work: Callable[[], Any]) -> int:
    count = 0

    def counting(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def grows_linearly(work: Callable[[int], Callable[[], Any]]) -> None:
    small, large = (calls(work(size)) for size in (400, 1600))
    assert large <= 4.4 * small


@pytest.mark.parametrize("shape", SHAPES)
def test_reading_and_writing_scripts(shape: str) -> None:
    def work(size: int) -> Callable[[], Any]:
        text = "".join(SHAPES[shape](n) for n in range(size))
        return lambda: write(read(text, "a.py"), "py")

    grows_linearly(work)


DOCUMENTS: dict[str, Callable[[int], str]] = {
    "mixed": lambda n: f'## Part {n}\n\n```python tags=["a"]\nx = {n}\n```\n\n',
    "text": lambda n: f"Text {n}\n\n\n",
    "one text": lambda n: f"Text {n}\n\n",
    "regions": lambda n: f"<!-- #region {n} -->\nText\n<!-- #endregion -->\n\n",
    "languages": lambda n: f"```bash\nls {n}\n```\n\n",
    "open fences": lambda n: f"{'`' * (3 + n % 7)}text {n}\n\n~~~{n}\n\n",
    "open indented fences": lambda n: f"- x\n  ```{n}\n",
    "blank lines": lambda n: "\n",
    "MyST": lambda n: f"Text\n\n+++\n\nMore\n\n```{{code-cell}}\nx = {n}\n```\n\n",
    "comments": lambda n: f"<!-- {n}\n\n",
}


@pytest.mark.parametrize("shape", DOCUMENTS)
def test_reading_and_writing_documents(shape: str) -> None:
    def work(size: int) -> Callable[[], Any]:
        text = "".join(DOCUMENTS[shape](n) for n in range(size))
        return lambda: write(read(text, "a.md"), "md")

    grows_linearly(work)


@pytest.mark.parametrize("shape", SHAPES)
def test_reading_and_writing_ipynb(shape: str) -> None:
    def work(size: int) -> Callable[[], Any]:
        notebook = read("".join(SHAPES[shape](n) for n in range(size)), "a.py")
        return lambda: ipynb.read(ipynb.write(notebook), "a.ipynb")

    grows_linearly(work)


def numbered(size: int, text: str) -> Notebook:
    return Notebook(tuple(Cell("code", text.format(n=n)) for n in range(size)))


EDITS = {
    "nothing": "step_{n}(value)",
    "every cell a little": "step_{n}(value, more)",
    "every cell wholly": "import package_{n}",
    "all alike": "show()",
}


@pytest.mark.parametrize("edit", EDITS)
def test_matching_ids_and_merging(edit: str) -> None:
    def work(size: int) -> Callable[[], Any]:
        base = assign_ids(numbered(size, EDITS["nothing"]))
        ours = numbered(size, EDITS[edit])
        theirs = Notebook(base.cells[::-1])

        def run() -> None:
            match_cells(base.cells, ours.cells)
            assign_ids(ours, base)
            merge(base, ours, theirs)

        return run

    grows_linearly(work)
