"""Notebooks as scripts that run without a notebook's tools."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.authoring.exporting.script import script, script_suffix
from octavo.authoring.exporting.script_python import python_cell
from render.page_notebooks import code, markdown, notebook


def made(*sources: str, **metadata: Any) -> str:
    return script(notebook(*map(code, sources), **metadata), "nb.ipynb")[0]


def test_it_runs() -> None:
    text = made(
        "%matplotlib inline\nimport os",
        "if True:\n    !ls\nprint('a')",
        "%%bash\necho no",
        "%%time\nprint('b')",
        "files = !ls\nprint(files)",
        "os?\nprint('''\n%not a magic\n!nor this\n''')",
        "!echo one \\\n  two\nprint('c')",
        "pip install numpy",
        "display(1)",
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert done.stdout.split() == [
        "a", "b", "None", "%not", "a", "magic", "!nor", "this", "c", "1",
    ]  # fmt: skip


def test_prose_is_comment() -> None:
    text, _ = script(notebook(markdown("# Title\n\nWords."), code("x = 1")), "a\nb.py")
    assert text == (
        "#!/usr/bin/env python3\n# From the notebook a b.py.\n\n# # Title\n#\n# Words.\n\nx = 1\n\n"
    )


def test_what_does_not_run_is_told() -> None:
    cells = [
        code("%pwd"),
        code("await f()"),
        code("x = = 1"),
        code("async def g():\n    await f()"),
    ]
    _, notes = script(notebook(*cells), "nb.py")
    assert notes == (
        "1 line of IPython commented out",
        "cell 1 awaits outside of a function, which only IPython allows",
        "cell 2 does not parse",
    )


@pytest.mark.parametrize("source", [
    "x = a %b", "value = (a\n% b)", "s = '''\n%time\n'''", "ls = 1\nls", "x = 5 if y else 'why?'",
    "f'{x!r}'",
])  # fmt: skip
def test_python_stays_as_it_is(source: str) -> None:
    assert python_cell(source).text == source


@given(st.text(alphabet="%!?x= \n'\"#\\()", max_size=40))
def test_any_cell_gives_a_text(source: str) -> None:
    cell = python_cell(source)
    if not cell.problems:
        compile(cell.text, "cell", "exec", dont_inherit=True)


def test_other_languages() -> None:
    document = notebook(markdown("Words."), code("x <- 1"), kernelspec={"language": "R"})
    assert script_suffix(document) == ".R"
    assert script(document, "nb.ipynb")[0].endswith("# Words.\n\nx <- 1\n\n")
    deno = notebook(markdown("Words."), code("x"), kernelspec={"language": "typescript"})
    assert script_suffix(deno) == ".ts"
    assert "// Words." in script(deno, "nb.ipynb")[0]
    odd = notebook(language_info={"name": "odd", "file_extension": "../../x"})
    assert script_suffix(odd) == ".txt"
