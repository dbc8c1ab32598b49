"""Notebooks that hold an unfinished merge: they are neither run nor synced."""

from __future__ import annotations

import json

import pytest

from bad_input.refusing import Folder
from octavo.notebook import formats
from octavo.notebook.merging.files import merge_texts
from octavo.notebook.model import Cell, Notebook

GIT_IN_SCRIPT = """\
# %%
x = 0

<<<<<<< HEAD
# %%
x = 1
=======
# %%
x = 2
>>>>>>> other
"""
GIT_IN_DOCUMENT = """\
# Title

<<<<<<< HEAD
```python
x = 1
```
=======
```python
x = 2
```
>>>>>>> other
"""
ABOUT_GIT = '''\
# %% [markdown]
# Conflicts look like this:
# ```
# <<<<<<< HEAD
# =======
# >>>>>>> other
# ```

# %%
print("""
<<<<<<< HEAD
=======
>>>>>>> other
""")
'''


def text(suffix: str, source: str) -> str:
    return formats.write(Notebook((Cell("code", "import math"), Cell("code", source))), suffix)


def merged(suffix: str) -> str:
    sides = [text(suffix, source) for source in ("x = 1", "x = 2", "x = 3")]
    return merge_texts(*sides, f"nb.{suffix}").text


@pytest.mark.parametrize("command", ["run", "sync"])
@pytest.mark.parametrize("suffix", ["py", "md", "ipynb"])
def test_an_unfinished_merge(folder: Folder, command: str, suffix: str) -> None:
    if command == "sync":
        folder.write("nb.ipynb", text("ipynb", "x = 1"))
    if command == "sync" and suffix == "ipynb":
        folder.write("nb.py", text("py", "x = 1"))
    folder.write(f"nb.{suffix}", merged(suffix))
    error = folder.refuses(command, f"nb.{suffix}")
    assert (error.code, error.kind) == (2, "merge-conflict")
    assert error.place.startswith(str(folder.path / f"nb.{suffix}"))
    assert "octavo-conflict" in error.hint


@pytest.mark.parametrize("command", ["run", "sync"])
@pytest.mark.parametrize(
    ("name", "content"), [("nb.py", GIT_IN_SCRIPT), ("nb.md", GIT_IN_DOCUMENT)]
)
def test_conflict_marks_of_git(folder: Folder, command: str, name: str, content: str) -> None:
    folder.write("nb.ipynb", text("ipynb", "x = 1"))
    folder.write(name, content)
    error = folder.refuses(command, name)
    assert error.kind == "merge-conflict"
    assert (
        error.place == f"{folder.path / name}:{content[: content.index('<<<')].count(chr(10)) + 1}"
    )


def test_conflict_marks_of_git_in_json(folder: Folder) -> None:
    folder.write("nb.ipynb", text("ipynb", "x").replace(' "metadata"', '<<<<<<< HEAD\n "metadata"'))
    assert folder.refuses("run", "nb.ipynb").kind == "merge-conflict"


def test_two_versions_whose_marks_were_deleted(folder: Folder) -> None:
    document = json.loads(merged("ipynb"))
    document["cells"] = [cell for cell in document["cells"] if "tags" not in cell["metadata"]]
    folder.write("nb.ipynb", json.dumps(document))
    assert folder.refuses("run", "nb.ipynb").kind == "merge-conflict"


def test_the_way_out_when_only_the_generated_file_is_in_conflict(folder: Folder) -> None:
    folder.write("nb.py", text("py", "x = 5"))
    folder.write("nb.ipynb", merged("ipynb"))
    command = f"octavo convert --force {folder.path / 'nb.py'}"
    assert command in folder.refuses("sync", "nb.py").hint
    assert folder("convert", "--force", "nb.py")[0] == 0
    assert folder("sync", "--check", "nb.py")[0] == 0


def test_a_check_tells_it_as_a_conflict(folder: Folder) -> None:
    folder.write("nb.py", merged("py"))
    folder.write("nb.ipynb", text("ipynb", "x = 1"))
    code, out, _ = folder("sync", "--check", "--json", "nb.py")
    assert code == 1
    (file,) = json.loads(out)["files"]
    assert (file["status"], file["error"]["kind"]) == ("conflict", "merge-conflict")


def test_a_notebook_about_conflicts_is_none(folder: Folder) -> None:
    folder.write("nb.py", ABOUT_GIT)
    assert folder("sync", "nb.py")[0] == 0


@pytest.mark.parametrize("words", ["", "a", "a a", "a a a x", "a a a 7 nb.py 1 2 3 4"])
def test_a_merge_driver_that_is_called_wrongly(folder: Folder, words: str) -> None:
    folder.write("a", "# %%\n1\n")
    assert folder.refuses("git-merge", *words.split()).kind == "wrong-argument"


def test_names_of_the_sides(folder: Folder) -> None:
    for name, value in (("base", 1), ("ours", 2), ("theirs", 3)):
        folder.write(name, f"# %%\nx = {value}\n")
    words = ("base", "ours", "theirs", 7, "nb.py", "%S", "HEAD", "<b>\nc", "-o", "-")
    code, out, err = folder("git-merge", *words)
    assert code == 1
    assert "# <<<<<<< HEAD\n" in out
    assert "# >>>>>>> (b) c\n" in out
    assert err == "nb.py: 1 conflict, between cells with the tag octavo-conflict\n"
    assert (folder.path / "ours").read_text() == "# %%\nx = 2\n"


def test_a_merge_of_files_that_are_not_there(folder: Folder) -> None:
    folder.write("a.py", "# %%\n1\n")
    error = folder.refuses("git-merge", "a.py", "a.py", "missing.py")
    assert error.kind == "notebook-unreadable"
    assert error.place == str(folder.path / "missing.py")
