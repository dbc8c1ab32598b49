"""Markdown notebooks from the command line: run, look, repeat, convert, keep in step."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from cli.calling import Octavo

DOCUMENT = """\
---
title: Numbers
---

# Numbers

```python tags=["parameters"]
n: int = 1  # how many
```

Text with a fence that is shown, not run:

```text
exit 1
```

```python
from octavo_runtime import glue

glue("n", n)
```

```bash
echo from the shell
```

```python
if n > 3:
    raise ValueError(f"too many: {n}")
```
"""
MYST = """\
# Numbers

```{code-cell} ipython3
:tags: [parameters]

n = 1
```

```{code-cell} ipython3
from octavo_runtime import glue

glue("n", n)
```
"""


@pytest.fixture(autouse=True)
def document(octavo: Octavo) -> Path:
    path = Path("doc.md")
    path.write_text(DOCUMENT)
    return path


@pytest.mark.kernel
def test_parameters_are_injected_and_the_source_is_kept(octavo: Octavo) -> None:
    result = octavo("run", "doc.md", "-p", "n", "2", "--json").json
    assert result["scraps"]["n"] == 2
    record = Path(result["record_path"])
    assert (record.parent / "source.md").read_text() == DOCUMENT
    executed = nbformat.read(record.parent / "notebook.ipynb", as_version=4)
    nbformat.validate(executed)
    tags = [cell.metadata.get("tags", []) for cell in executed.cells]
    assert tags.index(["injected-parameters"]) == tags.index(["parameters"]) + 1
    shell = next(cell for cell in executed.cells if cell.source.startswith("%%bash"))
    assert shell.outputs[0].text == "from the shell\n"
    again = octavo("rerun", result["run_id"], "-p", "n", "3", "--json").json
    assert again["scraps"]["n"] == 3
    Path("doc.md").unlink()
    assert octavo("rerun", result["run_id"], "--recorded", "--json").json["scraps"]["n"] == 2


@pytest.mark.kernel
def test_an_error_names_the_line_of_the_author(octavo: Octavo) -> None:
    code, out, _ = octavo("run", "doc.md", "-p", "n", "8")
    assert code == 1
    assert "doc.md:29  ValueError: too many: 8" in out
    assert "line 2 (doc.md:29)" in out


@pytest.mark.kernel
def test_a_run_can_be_looked_at(octavo: Octavo) -> None:
    octavo("run", "doc.md", "-q")
    shown = octavo("show").out
    assert "doc.md" in shown
    assert "from the shell" in shown
    assert "exit 1" in shown


@pytest.mark.kernel
def test_myst_runs_too(octavo: Octavo) -> None:
    Path("book.md").write_text(MYST)
    assert octavo("run", "book.md", "-p", "n", "4", "--json").json["scraps"]["n"] == 4


def test_what_it_takes_is_told_without_running_it(octavo: Octavo) -> None:
    for words in (("inspect", "doc.md"), ("run", "--help-notebook", "doc.md")):
        out = octavo(*words).out
        assert "doc.md  Numbers" in out
        assert "how many" in out
    octavo("run", "doc.md", "--prepare-only", "-p", "n", "7", "-o", "ready.ipynb")
    sources = [cell.source for cell in nbformat.read("ready.ipynb", as_version=4).cells]
    assert "# Parameters\nn = 7\n" in sources


def test_it_is_converted_and_kept_in_step(octavo: Octavo, document: Path) -> None:
    assert octavo("sync", "doc.md").code == 2
    assert not Path("doc.ipynb").exists()
    assert octavo("convert", "doc.md").code == 0
    assert octavo("sync", "doc.md").code == 0
    edited = nbformat.read("doc.ipynb", as_version=4)
    edited.cells[1].source = "# Other numbers"
    nbformat.write(edited, "doc.ipynb")
    assert octavo("sync", "doc.md", "--check").code == 1
    assert octavo("sync", "doc.ipynb").code == 0
    assert document.read_text() == DOCUMENT.replace("# Numbers", "# Other numbers")
    back = octavo("convert", "doc.ipynb", "--to", "md", "-o", "-").out
    assert back == document.read_text()


def test_a_fence_without_end_is_an_error_that_says_where(octavo: Octavo, document: Path) -> None:
    document.write_text(DOCUMENT.removesuffix("```\n"))
    answer = octavo("run", "doc.md", "--json")
    assert answer.code == 2
    error = json.loads(answer.out)["error"]
    assert error["place"].endswith("doc.md:27")
    assert error["hint"] == "close it with a line ```"
    assert not Path(".octavo/runs").exists()
