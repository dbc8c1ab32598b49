"""Markdown notebooks in convert, sync and inspect; a README stays a README."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from octavo.authoring.convert import ConvertRequest, ConvertResult, convert
from octavo.authoring.inspect import InspectRequest, InspectResult, inspect
from octavo.authoring.sync import SyncRequest, SyncResult, sync
from octavo.errors import ConflictError, NotebookError, OctavoError, UsageError

HEADER = """\
---
title: A report
jupyter:
  kernelspec:
    display_name: Python 3
    language: python
    name: python3
---

"""
BODY = """\
# Heading

```python tags=["parameters"]
threshold: float = 1.0  # the limit
```

Words   with   spaces.
```python
print(threshold)
```
"""
DOCUMENT = HEADER + BODY
MYST = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# Heading

```{code-cell} ipython3
:tags: [parameters]

threshold = 1.0
```
"""


class Settings:
    notebooks: tuple[str, ...] = ("notebooks",)


class Place:
    """A project folder, and the context that operations in it get."""

    def __init__(self, root: Path) -> None:
        self.project = root
        self.cwd = str(root)
        self.settings = Settings()
        self.emit: Callable[[Any], None] = lambda event: None

    def put(self, name: str, text: str) -> Path:
        path = self.project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def convert(self, path: str, **options: Any) -> ConvertResult:
        return asyncio.run(convert(ConvertRequest(path, **options), self))

    def inspect(self, path: str) -> InspectResult:
        return asyncio.run(inspect(InspectRequest(path), self))

    def sync(self, *paths: str, **options: Any) -> SyncResult:
        return asyncio.run(sync(SyncRequest(paths, **options), self))

    def statuses(self, *paths: str) -> dict[str, str]:
        return {file.script: file.status for file in self.sync(*paths).files}

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.project / name
        document = nbformat.read(path, as_version=4)
        assert any(old in cell.source for cell in document.cells)
        for cell in document.cells:
            cell.source = cell.source.replace(old, new)
        nbformat.write(document, path)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("text", (DOCUMENT, BODY, MYST))
def test_the_way_to_ipynb_and_back_loses_nothing(place: Place, text: str) -> None:
    place.put("nb.md", text)
    assert place.convert("nb.md").output == "nb.ipynb"
    document = nbformat.read(place.project / "nb.ipynb", as_version=4)
    nbformat.validate(document)
    assert document.metadata.kernelspec.name == "python3"
    assert place.convert("nb.ipynb", to="md", output="-").text == text


@pytest.mark.parametrize("text", (DOCUMENT, BODY))
def test_the_way_to_a_script_and_back_loses_nothing(place: Place, text: str) -> None:
    place.put("nb.md", text)
    assert place.convert("nb.md", to="py").output == "nb.py"
    assert place.convert("nb.py", output="-", to="md").text == text


def test_a_script_does_not_say_that_it_is_markdown(place: Place) -> None:
    place.put("nb.md", MYST)
    text = place.convert("nb.md", to="py", output="-").text
    assert text is not None
    assert "myst" not in text
    assert "kernelspec" in text


def test_an_ipynb_becomes_a_script_unless_markdown_is_asked_for(place: Place) -> None:
    place.put("nb.md", DOCUMENT)
    place.convert("nb.md")
    assert place.convert("nb.ipynb").output == "nb.py"
    assert place.convert("nb.ipynb", output="other.md").output == "other.md"
    assert (place.project / "other.md").read_text() == DOCUMENT


def test_a_notebook_in_another_language_gets_no_python_kernel(place: Place) -> None:
    place.put("nb.md", "```bash\nls\n```\n")
    place.convert("nb.md")
    metadata = json.loads((place.project / "nb.ipynb").read_text())["metadata"]
    assert "kernelspec" not in metadata
    assert metadata["language_info"] == {"name": "bash"}


@pytest.mark.parametrize("indent", ("", "  "), ids=("kernelspec", "jupyter"))
def test_a_kernel_may_be_told_by_its_name_alone(place: Place, indent: str) -> None:
    header = f"{'jupyter:' if indent else '# ours'}\n{indent}kernelspec:\n{indent}  name: python3"
    path = place.put("nb.md", f"---\n{header}\n---\n\n```python\n1\n```\n")
    text = path.read_text()
    assert place.statuses("nb.md") == {"nb.md": "generated"}
    document = nbformat.read(place.project / "nb.ipynb", as_version=4)
    nbformat.validate(document)
    assert document.metadata.kernelspec.name == "python3"
    assert place.statuses("nb.md") == {"nb.md": "in-step"}
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("text", "first"), ((DOCUMENT, "raw"), (BODY, "markdown"), ("# %%\nx = '```'\n", "code"))
)
def test_standard_input_is_read_as_what_it_looks_like(
    place: Place, monkeypatch: pytest.MonkeyPatch, text: str, first: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    written = place.convert("-").text
    assert written is not None
    assert json.loads(written)["cells"][0]["cell_type"] == first


def test_what_a_document_cannot_hold_is_refused(place: Place) -> None:
    cells = [nbformat.v4.new_raw_cell("a\n<!-- #endraw -->\nb")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), place.project / "nb.ipynb")
    with pytest.raises(NotebookError, match="cell 0 cannot be written as part of a document"):
        place.convert("nb.ipynb", to="md")
    assert not (place.project / "nb.md").exists()


def test_inspect_tells_what_a_document_takes(place: Place) -> None:
    place.put("nb.md", DOCUMENT)
    found = place.inspect("nb.md")
    assert found.title == "A report"
    assert found.cells == {"code": 2, "markdown": 2, "raw": 1}
    assert [(each.name, each.help) for each in found.parameters] == [("threshold", "the limit")]


def test_a_mistake_is_told_with_its_line(place: Place) -> None:
    place.put("nb.md", "# A\n\n```python\nx = (\n```\n")
    assert [problem.place for problem in place.inspect("nb.md").problems] == ["nb.md:4"]


def test_an_empty_document_is_refused(place: Place) -> None:
    place.put("nb.md", "\n\n")
    with pytest.raises(NotebookError) as caught:
        place.inspect("nb.md")
    assert caught.value.kind == "notebook-empty"
    assert "```python" in str(caught.value.hint)


@pytest.mark.parametrize("text", (DOCUMENT, MYST))
def test_edits_go_both_ways_and_touch_nothing_else(place: Place, text: str) -> None:
    path = place.put("notebooks/nb.md", text)
    assert place.statuses() == {"notebooks/nb.md": "generated"}
    place.edit("notebooks/nb.ipynb", "# Heading", "# Other heading")
    assert place.statuses() == {"notebooks/nb.md": "taken-back"}
    edited = text.replace("# Heading", "# Other heading")
    assert path.read_text() == edited
    path.write_text(edited.replace("1.0", "2.0"))
    assert place.statuses() == {"notebooks/nb.md": "regenerated"}
    assert place.statuses() == {"notebooks/nb.md": "in-step"}
    place.edit("notebooks/nb.ipynb", "2.0", "3.0")
    path.write_text(path.read_text().replace("2.0", "4.0"))
    with pytest.raises(ConflictError):
        place.sync()


def test_running_the_notebook_in_jupyter_is_no_edit(place: Place) -> None:
    place.put("notebooks/nb.md", DOCUMENT)
    place.sync()
    path = place.project / "notebooks" / "nb.ipynb"
    document = nbformat.read(path, as_version=4)
    document.metadata.language_info = {"name": "python", "version": "3.12.1", "mimetype": "t"}
    document.cells[2].execution_count = 3
    nbformat.write(document, path)
    assert place.statuses() == {"notebooks/nb.md": "in-step"}


def test_in_a_folder_only_documents_with_a_notebook_header_are_looked_at(place: Place) -> None:
    place.put("notebooks/README.md", BODY)
    place.put("notebooks/notes.md", "---\ntitle: Notes\n---\n\nText.\n")
    place.put("notebooks/nb.md", DOCUMENT)
    place.put("notebooks/book.md", MYST)
    place.put("notebooks/exported.md", "# From nbconvert\n")
    nbformat.write(nbformat.v4.new_notebook(), place.project / "notebooks" / "exported.ipynb")
    assert sorted(place.statuses()) == ["notebooks/book.md", "notebooks/nb.md"]
    names = {path.name for path in (place.project / "notebooks").glob("*.ipynb")}
    assert names == {"nb.ipynb", "book.ipynb", "exported.ipynb"}


def test_a_plain_document_gets_no_notebook_by_itself(place: Place) -> None:
    place.put("README.md", BODY)
    with pytest.raises(UsageError) as caught:
        place.sync("README.md")
    assert "octavo convert README.md" in str(caught.value.hint)
    assert [path.name for path in place.project.glob("*.ipynb")] == []
    place.convert("README.md")
    assert place.statuses("README.md") == {"README.md": "in-step"}
    place.edit("README.ipynb", "# Heading", "# Changed")
    assert place.statuses("README.ipynb") == {"README.md": "taken-back"}


def test_the_choice_between_two_sides_is_one_that_works(place: Place) -> None:
    place.put("nb.md", BODY)
    place.convert("nb.md")
    place.edit("nb.ipynb", "# Heading", "# Changed")
    with pytest.raises(ConflictError) as caught:
        place.sync("nb.md")
    script, notebook = place.project / "nb.md", place.project / "nb.ipynb"
    assert f"octavo convert --force {notebook} -o {script}" in str(caught.value.hint)
    place.convert("nb.ipynb", output="nb.md", force=True)
    assert place.statuses("nb.md") == {"nb.md": "in-step"}


def test_a_notebook_has_one_source(place: Place) -> None:
    place.put("notebooks/nb.py", "# %%\nx = 1\n")
    place.put("notebooks/nb.md", DOCUMENT)
    assert place.statuses() == {"notebooks/nb.py": "generated"}
    with pytest.raises(UsageError, match=r"belongs to nb\.py"):
        place.sync("notebooks/nb.md")


def test_an_unclosed_fence_stops_the_sync_before_anything_is_written(place: Place) -> None:
    place.put("notebooks/a.md", DOCUMENT)
    path = place.put("notebooks/b.md", DOCUMENT.removesuffix("```\n"))
    with pytest.raises(OctavoError) as caught:
        place.sync()
    assert caught.value.place == f"{path}:17"
    assert not (place.project / "notebooks" / "a.ipynb").exists()
