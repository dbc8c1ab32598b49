"""Real git with our merge driver: clones, rebases, renames, conflicts and how they end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.test_imports import loaded
from git_repositories import ENVIRON, commit_files, git, repository
from octavo.notebook import formats
from octavo.notebook.formats import ipynb
from octavo.notebook.merging.unresolved import TAG, find_conflict
from octavo.notebook.model import Cell, Notebook

DRIVER = f"{sys.executable} -m octavo git-merge %O %A %B %L ./%P"
SOURCES = ("import math", "x = 1\ny = 2\nz = 3", "print(x)", "print(y)", "# done")
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
formats_of_files = pytest.mark.parametrize("suffix", ["ipynb", "py", "md"])


def text(suffix: str, *sources: str) -> str:
    cells = tuple(Cell("code", source) for source in sources)
    return formats.write(Notebook(cells, KERNEL), suffix)


def changed(**changes: str) -> tuple[str, ...]:
    """The usual cells, with some of them replaced: `at2="..."`."""
    return tuple(changes.get(f"at{at}", source) for at, source in enumerate(SOURCES))


def sources(path: Path) -> list[str]:
    return [cell.source for cell in formats.read(path.read_text(), path.name).cells]


def configured(folder: Path) -> None:
    git(folder, "config", "merge.octavo.driver", DRIVER)
    git(folder, "config", "merge.octavo.name", "notebooks")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository whose notebooks are merged by us."""
    made = tmp_path / "repository"
    repository(
        made, {".gitattributes": "*.ipynb merge=octavo\n*.py merge=octavo\n*.md merge=octavo\n"}
    )
    configured(made)
    return made


def branches(folder: Path, name: str, base: str | None, ours: str, theirs: str) -> None:
    """Two branches: `main`, which is checked out, has ours and `other` has theirs."""
    if base is not None:
        commit_files(folder, {name: base}, "base")
    git(folder, "branch", "other")
    commit_files(folder, {name: ours}, "ours")
    git(folder, "checkout", "--quiet", "other")
    commit_files(folder, {name: theirs}, "theirs")
    git(folder, "checkout", "--quiet", "main")


def fails(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**ENVIRON},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr + done.stdout
    return done.stdout + done.stderr


@formats_of_files
def test_two_clones_edit_different_cells(tmp_path: Path, folder: Path, suffix: str) -> None:
    name = f"nb.{suffix}"
    commit_files(folder, {name: text(suffix, *SOURCES)})
    git(tmp_path, "clone", "--quiet", "--bare", str(folder), "origin.git")
    for person in ("ann", "bob"):
        git(tmp_path, "clone", "--quiet", "origin.git", person)
        configured(tmp_path / person)
    ann, bob = tmp_path / "ann", tmp_path / "bob"
    commit_files(ann, {name: text(suffix, *changed(at2="print(x + 1)"), "ann()")})
    git(ann, "push", "--quiet")
    commit_files(bob, {name: text(suffix, *changed(at3="print(y + 1)"), "bob()")})
    git(bob, "pull", "--quiet", "--no-rebase", "--no-edit")
    assert sources(bob / name) == [
        "import math", SOURCES[1], "print(x + 1)", "print(y + 1)", "# done", "bob()", "ann()",
    ]  # fmt: skip


@formats_of_files
def test_one_moves_a_cell_and_the_other_edits_it(folder: Path, suffix: str) -> None:
    moved = (*SOURCES[:1], *SOURCES[2:], SOURCES[1])
    edited = changed(at1="x = 1\ny = 2\nz = 33")
    branches(folder, f"nb.{suffix}", *(text(suffix, *each) for each in (SOURCES, moved, edited)))
    git(folder, "merge", "--quiet", "--no-edit", "other")
    assert sources(folder / f"nb.{suffix}") == [*moved[:-1], "x = 1\ny = 2\nz = 33"]


@formats_of_files
@pytest.mark.parametrize("way", ["rebase", "cherry-pick", "stash"])
def test_other_ways_to_merge(folder: Path, suffix: str, way: str) -> None:
    name = f"nb.{suffix}"
    ours, theirs = changed(at2="print(x + 1)"), changed(at3="print(y + 1)")
    branches(folder, name, *(text(suffix, *each) for each in (SOURCES, ours, theirs)))
    if way == "rebase":
        git(folder, "rebase", "--quiet", "other")
    elif way == "cherry-pick":
        git(folder, "cherry-pick", "other")
    else:
        git(folder, "checkout", "--quiet", "other~1")
        (folder / name).write_text(text(suffix, *theirs))
        git(folder, "stash", "--quiet")
        git(folder, "checkout", "--quiet", "main")
        git(folder, "stash", "pop", "--quiet")
    assert sources(folder / name) == [*SOURCES[:2], "print(x + 1)", "print(y + 1)", "# done"]


@formats_of_files
def test_a_conflict_is_resolved_by_hand_and_committed(folder: Path, suffix: str) -> None:
    name = f"nb.{suffix}"
    ours, theirs = changed(at1="x = 10\ny = 2\nz = 3"), changed(at1="x = 100\ny = 2\nz = 3")
    branches(folder, name, *(text(suffix, *each) for each in (SOURCES, ours, theirs)))
    said = fails(folder, "merge", "--no-edit", "other")
    assert f"{name}: 1 conflict, between cells with the tag octavo-conflict" in said
    assert git(folder, "status", "--porcelain") == f"UU {name}"
    found = formats.read((folder / name).read_text(), name)
    assert find_conflict(found) is not None
    assert [cell.source for cell in found.cells if TAG not in cell.tags] == [
        SOURCES[0], ours[1], theirs[1], *SOURCES[2:],
    ]  # fmt: skip
    kept = [cell for cell in found.cells if TAG not in cell.tags and cell.source != ours[1]]
    (folder / name).write_text(formats.write(found.replace(cells=tuple(kept)), suffix))
    git(folder, "add", name)
    git(folder, "commit", "--quiet", "--no-edit")
    assert sources(folder / name) == list(theirs)
    assert git(folder, "merge", "other") == "Already up to date."


def test_the_versions_in_an_ipynb_tell_their_side(folder: Path) -> None:
    import nbformat

    ours, theirs = changed(at2="print(10)"), changed(at2="print(20)")
    branches(folder, "nb.ipynb", *(text("ipynb", *each) for each in (SOURCES, ours, theirs)))
    fails(folder, "merge", "--no-edit", "other")
    document = json.loads((folder / "nb.ipynb").read_text())
    nbformat.validate(document)
    told = [cell["metadata"].get("octavo_conflict") for cell in document["cells"]]
    assert [each for each in told if each] == [
        {"number": 1, "side": "ours"}, {"number": 1, "side": "theirs"},
    ]  # fmt: skip


@formats_of_files
def test_ancestors_that_were_in_conflict_themselves(folder: Path, suffix: str) -> None:
    """A criss-cross: both merges resolve the same conflict, each in its own way."""
    name = f"nb.{suffix}"
    ours, theirs = changed(at2="print(10)"), changed(at2="print(20)")
    branches(folder, name, *(text(suffix, *each) for each in (SOURCES, ours, theirs)))
    git(folder, "branch", "main-before")
    for branch, merged, kept in (("main", "other", ours), ("other", "main-before", theirs)):
        git(folder, "checkout", "--quiet", branch)
        fails(folder, "merge", "--no-edit", merged)
        (folder / name).write_text(text(suffix, *kept, f"{branch}()"))
        git(folder, "commit", "--quiet", "-a", "--no-edit")
    git(folder, "checkout", "--quiet", "main")
    fails(folder, "merge", "--no-edit", "other")
    found = formats.read((folder / name).read_text(), name)
    assert [cell.source for cell in found.cells if TAG not in cell.tags] == [
        *SOURCES[:2], "print(10)", "print(20)", *SOURCES[3:], "main()", "other()",
    ]  # fmt: skip


@formats_of_files
def test_ancestors_in_conflict_that_both_resolved_alike(folder: Path, suffix: str) -> None:
    name = f"nb.{suffix}"
    ours, theirs = changed(at2="print(10)"), changed(at2="print(20)")
    branches(folder, name, *(text(suffix, *each) for each in (SOURCES, ours, theirs)))
    git(folder, "branch", "main-before")
    for branch, merged in (("main", "other"), ("other", "main-before")):
        git(folder, "checkout", "--quiet", branch)
        fails(folder, "merge", "--no-edit", merged)
        (folder / name).write_text(text(suffix, *ours, f"{branch}()"))
        git(folder, "commit", "--quiet", "-a", "--no-edit")
    git(folder, "checkout", "--quiet", "main")
    git(folder, "merge", "--quiet", "--no-edit", "other")
    assert sources(folder / name) == [*ours, "main()", "other()"]


@formats_of_files
def test_both_sides_add_the_file(folder: Path, suffix: str) -> None:
    ours, theirs = (*SOURCES[:3], "ours()"), SOURCES[:3]
    branches(folder, f"nb.{suffix}", None, text(suffix, *ours), text(suffix, *theirs))
    git(folder, "merge", "--quiet", "--no-edit", "other")
    assert sources(folder / f"nb.{suffix}") == list(ours)


@formats_of_files
def test_one_side_renames_and_the_other_edits(folder: Path, suffix: str) -> None:
    commit_files(folder, {f"nb.{suffix}": text(suffix, *SOURCES)})
    git(folder, "branch", "other")
    git(folder, "mv", f"nb.{suffix}", f"über 'nb'.{suffix}")
    commit_files(folder, {f"über 'nb'.{suffix}": text(suffix, *changed(at2="print(x + 1)"))})
    git(folder, "checkout", "--quiet", "other")
    commit_files(folder, {f"nb.{suffix}": text(suffix, *changed(at3="print(y + 1)"))})
    git(folder, "checkout", "--quiet", "main")
    git(folder, "merge", "--quiet", "--no-edit", "other")
    assert sources(folder / f"über 'nb'.{suffix}")[2:4] == ["print(x + 1)", "print(y + 1)"]


@pytest.mark.parametrize("name", ["-nb.py", "a b.py", 'qu"ote.py', "--json.ipynb", "$HOME.md"])
def test_odd_names(folder: Path, name: str) -> None:
    suffix = name.rpartition(".")[2]
    ours, theirs = changed(at2="print(x + 1)"), changed(at3="print(y + 1)")
    branches(folder, name, *(text(suffix, *each) for each in (SOURCES, ours, theirs)))
    git(folder, "merge", "--quiet", "--no-edit", "other")
    assert sources(folder / name)[2:4] == ["print(x + 1)", "print(y + 1)"]


def test_what_is_no_notebook_is_merged_as_git_would(folder: Path) -> None:
    broken = text("ipynb", *changed(at2="print(10)")).replace('"cells"', '"cells')
    other = text("ipynb", *changed(at2="print(20)"))
    branches(folder, "nb.ipynb", text("ipynb", *SOURCES), broken, other)
    fails(folder, "merge", "--no-edit", "other")
    left = (folder / "nb.ipynb").read_text()
    assert "<<<<<<< ours" in left
    assert ">>>>>>> theirs" in left
    assert "print(10)" in left
    assert "print(20)" in left


def test_a_module_is_merged_as_git_would(folder: Path) -> None:
    branches(folder, "module.py", "x = 1\ny = 2\n", "x = 10\ny = 2\n", "x = 100\ny = 2\n")
    fails(folder, "merge", "--no-edit", "other")
    assert (folder / "module.py").read_text() == (
        "<<<<<<< ours\nx = 10\n=======\nx = 100\n>>>>>>> theirs\ny = 2\n"
    )


def test_a_generated_notebook_is_merged_like_its_script(folder: Path) -> None:
    """Git merges each of the two by itself; both come out in step."""
    from octavo.authoring.sides import generate

    def pair(*cells: str) -> dict[str, str]:
        script = formats.read(text("py", *cells), "nb.py")
        return {"nb.py": text("py", *cells), "nb.ipynb": ipynb.dumps(generate(script, base))}

    base = generate(formats.read(text("py", *SOURCES), "nb.py"), None)
    commit_files(folder, pair(*SOURCES), "base")
    git(folder, "branch", "other")
    commit_files(folder, pair("ours()", *changed(at2="print(x + 1)")), "ours")
    git(folder, "checkout", "--quiet", "other")
    commit_files(folder, pair(*changed(at3="print(y + 1)"), "theirs()"), "theirs")
    git(folder, "checkout", "--quiet", "main")
    git(folder, "merge", "--quiet", "--no-edit", "other")
    assert sources(folder / "nb.py") == sources(folder / "nb.ipynb")
    assert len(sources(folder / "nb.py")) == len(SOURCES) + 2


def test_the_driver_starts_light(tmp_path: Path) -> None:
    """Git starts it for every file."""
    for name, value in (("base", 1), ("ours", 2), ("theirs", 3)):
        (tmp_path / f"{name}.ipynb").write_text(text("ipynb", "a", f"x = {value}"))
    words = ["git-merge", "base.ipynb", "ours.ipynb", "theirs.ipynb", "-o", "out.ipynb"]
    found = loaded(f"from octavo.surfaces.cli.main import main; assert main({words!r})", tmp_path)
    heavy = {"IPython", "nbformat", "jupytext", "pandas", "pygments", "yaml", "jupyter_client"}
    assert "octavo.notebook.merging.documents" in found
    assert not found & heavy
