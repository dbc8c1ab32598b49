"""A merge that nobody has finished is not committed by mistake, and not spread by the hook."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_repositories import git
from octavo.notebook.merging.files import merge_texts
from repository.setting_up import SCRIPT, Answer, environ, initialized, notebook, octavo, run

TEXT, NOTEBOOK = "notebooks/n.py", "notebooks/n.ipynb"


def in_conflict(text: str, name: str) -> str:
    """What the merge driver leaves of two edits of one line."""
    ours, theirs = (text.replace("b = 1", f"b = {value}") for value in (2, 3))
    merged = merge_texts(text, ours, theirs, name)
    assert merged.conflicts == 1
    return merged.text


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return initialized(tmp_path)


def commit(top: Path, *words: str) -> Answer:
    return run(top, "git", "commit", *words, env=environ(top.parent / "home"))


def test_a_text_that_was_resolved_does_not_get_the_conflict_back(top: Path) -> None:
    path = top / NOTEBOOK
    path.write_text(in_conflict(path.read_text(), NOTEBOOK))
    resolved = SCRIPT.replace("b = 1", "b = 23")
    (top / TEXT).write_text(resolved)
    said = commit(top, "--all", "-m", "merged")
    assert said.code == 1
    assert "both sides of a merge that is not finished" in said.out + said.err
    assert f"octavo convert --force {TEXT}`" in said.out + said.err
    assert (top / TEXT).read_text() == resolved
    assert octavo(top, "convert", "--force", TEXT).code == 0
    assert commit(top, "--all", "-m", "merged").code == 0
    assert git(top, "show", f"HEAD:{TEXT}") == resolved.rstrip()
    assert "octavo" not in git(top, "cat-file", "blob", f"HEAD:{NOTEBOOK}")


def test_marks_of_both_files_are_not_committed_unless_one_insists(top: Path) -> None:
    for name in (TEXT, NOTEBOOK):
        (top / name).write_text(in_conflict((top / name).read_text(), name))
    said = commit(top, "--all", "-m", "oops")
    assert said.code == 1
    assert f"{TEXT}:" in said.out + said.err
    assert commit(top, "--all", "--no-verify", "-m", "so be it").code == 0


def test_a_notebook_without_a_text_is_looked_at_too(top: Path) -> None:
    name = "notebooks/alone.ipynb"
    (top / name).write_text(in_conflict(notebook("b = 1"), name))
    git(top, "add", name, environ=environ(top.parent / "home"))
    assert commit(top, "-m", "oops").code == 1


def test_a_page_about_conflicts_is_none(top: Path) -> None:
    page = (
        '# %% [markdown]\n# ```\n# <<<<<<< ours\n# >>>>>>> theirs\n# ```\n\n# %%\na = "<<<<<<<"\n'
    )
    (top / "notebooks" / "page.py").write_text(page)
    (top / "notebooks" / "module.py").write_text("a = '''\n<<<<<<< x\n>>>>>>> y\n'''\n")
    git(top, "add", "--all", environ=environ(top.parent / "home"))
    assert commit(top, "-m", "a page").code == 0


def test_the_note_on_a_resolved_version_is_not_committed(top: Path) -> None:
    text = notebook("b = 1").replace('"metadata": {}', '"metadata": {"octavo_conflict": {}}', 1)
    (top / "kept.ipynb").write_text(text)
    git(top, "add", "kept.ipynb", environ=environ(top.parent / "home"))
    assert "octavo_conflict" not in git(top, "cat-file", "blob", ":kept.ipynb")


def test_doctor_tells_the_way_out_of_an_unfinished_merge(top: Path) -> None:
    path = top / NOTEBOOK
    path.write_text(in_conflict(path.read_text(), NOTEBOOK))
    found = octavo(top, "doctor", "--json").json["repository"]
    (told,) = [each for each in found if each["level"] == "problem"]
    assert "a merge that is not finished" in told["message"]
    assert told["mend"] == f"octavo convert --force {TEXT}"
    assert run(top, "sh", "-c", told["mend"]).code == 0
    assert octavo(top, "doctor").code == 0
    (top / TEXT).write_text(in_conflict(SCRIPT, TEXT))
    assert "keep the cells that are right" in octavo(top, "doctor").out
