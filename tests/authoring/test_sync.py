"""`octavo sync`: scripts and notebooks in step, in both directions, without losing an edit."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from octavo.authoring.sync import SyncedFile, SyncRequest, SyncResult, sync
from octavo.errors import ConflictError, NotebookError, OctavoError, UsageError

SCRIPT = """\
# %% [markdown]
# # Report

# %% tags=["parameters"]
threshold = 1.0

# %%
load()

# %%
print(threshold)
"""


class Settings:
    notebooks: tuple[str, ...] = ("notebooks",)


class Project:
    """A project folder, and the context that operations in it get."""

    def __init__(self, root: Path) -> None:
        self.project = root
        self.cwd = str(root)
        self.settings = Settings()
        self.emitted: list[Any] = []
        self.emit: Callable[[Any], None] = self.emitted.append
        self.script = root / "nb.py"
        self.notebook = root / "nb.ipynb"

    def sync(self, *paths: str, **options: Any) -> SyncResult:
        request = SyncRequest(paths or ("nb.py",), **options)
        return asyncio.run(sync(request, self))

    def status(self, **options: Any) -> str:
        return self.sync(**options).files[0].status

    def edit_script(self, old: str, new: str) -> None:
        text = self.script.read_text()
        assert old in text
        self.script.write_text(text.replace(old, new))

    def edit_notebook(self, old: str, new: str) -> None:
        document = nbformat.read(self.notebook, as_version=4)
        assert any(old in cell.source for cell in document.cells)
        for cell in document.cells:
            cell.source = cell.source.replace(old, new)
        nbformat.write(document, self.notebook)

    def cells(self) -> list[Any]:
        return list(json.loads(self.notebook.read_text())["cells"])

    def sources(self) -> list[str]:
        return ["".join(cell["source"]) for cell in self.cells()]

    def forget(self) -> None:
        """As after a fresh clone: no synced state."""
        for path in (self.project / ".octavo" / "sync").iterdir():
            path.unlink()

    def commit(self, *paths: str) -> None:
        git = ("git", "-C", self.cwd, "-c", "user.name=a", "-c", "user.email=a@b")
        if not (self.project / ".git").exists():
            subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", "-f", *(paths or ("nb.py", "nb.ipynb"))], check=True)
        subprocess.run([*git, "commit", "-qm", "x"], check=True)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.script.write_text(SCRIPT)
    made.sync()
    return made


def test_a_notebook_is_generated_valid_and_with_kernel(project: Project) -> None:
    document = nbformat.read(project.notebook, as_version=4)
    nbformat.validate(document)
    assert project.sources() == ["# Report", "threshold = 1.0", "load()", "print(threshold)"]
    assert document.cells[1].metadata.tags == ["parameters"]
    assert document.metadata.kernelspec.name == "python3"
    assert project.notebook.read_text().endswith("}\n")


def test_a_second_sync_changes_nothing(project: Project) -> None:
    before = project.notebook.read_bytes(), project.notebook.stat().st_mtime_ns
    assert project.status() == "in-step"
    assert (project.notebook.read_bytes(), project.notebook.stat().st_mtime_ns) == before


def test_the_same_inputs_give_the_same_bytes_elsewhere(project: Project, tmp_path: Path) -> None:
    project.edit_script("load()", "load()\nmore()")
    elsewhere = Project(tmp_path / "elsewhere")
    elsewhere.project.mkdir()
    for name in ("nb.py", "nb.ipynb"):
        (elsewhere.project / name).write_bytes((project.project / name).read_bytes())
    shutil.copytree(project.project / ".octavo", elsewhere.project / ".octavo")
    assert elsewhere.status() == project.status() == "regenerated"
    assert project.notebook.read_bytes() == elsewhere.notebook.read_bytes()


def test_a_script_edit_regenerates_the_notebook_with_ids(project: Project) -> None:
    ids = [cell["id"] for cell in project.cells()]
    project.edit_script("# %%\nload()", "# %%\nfirst()\n\n# %%\nload(1)")
    assert project.status() == "regenerated"
    assert project.sources()[2:4] == ["first()", "load(1)"]
    found = [cell["id"] for cell in project.cells()]
    assert found[:2] + found[3:] == ids
    assert project.status() == "in-step"


def test_outputs_stay_with_unchanged_cells_and_go_with_changed_ones(project: Project) -> None:
    document = nbformat.read(project.notebook, as_version=4)
    for number, cell in enumerate(document.cells[1:], 1):
        cell.execution_count = number
        cell.outputs = [nbformat.v4.new_output("stream", text=f"out {number}\n")]
        cell.metadata.collapsed = True
    nbformat.write(document, project.notebook)
    assert project.status() == "in-step"
    project.edit_script("load()", "load(1)")
    project.edit_script("# %% [markdown]", "# %%\ninserted()\n\n# %% [markdown]")
    project.sync()
    cells = project.cells()
    assert [cell.get("execution_count") for cell in cells] == [None, None, 1, None, 3]
    assert cells[2]["outputs"] == [{"name": "stdout", "output_type": "stream", "text": ["out 1\n"]}]
    assert cells[3]["outputs"] == []
    assert cells[3]["metadata"] == {"collapsed": True}
    assert project.status() == "in-step"


def test_a_notebook_edit_is_taken_back_into_the_script(project: Project) -> None:
    project.edit_notebook("load()", "load(2)")
    assert project.status() == "taken-back"
    assert project.script.read_text() == SCRIPT.replace("load()", "load(2)")
    assert project.status() == "in-step"


def test_only_edited_lines_of_the_script_change(project: Project) -> None:
    odd = SCRIPT.replace("# %%\nload()\n", "#%%   strange\nload( )   # kept\n\n\n")
    project.script.write_text(odd)
    project.sync()
    project.edit_notebook("print(threshold)", "print(2)")
    assert project.status() == "taken-back"
    assert project.script.read_text() == odd.replace("print(threshold)", "print(2)")


def test_tags_new_and_deleted_cells_in_jupyter_are_taken_back(project: Project) -> None:
    document = nbformat.read(project.notebook, as_version=4)
    document.cells[3].metadata["tags"] = ["report"]
    document.cells[3].metadata["scrolled"] = True
    del document.cells[2]
    document.cells.append(nbformat.v4.new_markdown_cell("The *end*."))
    nbformat.write(document, project.notebook)
    assert project.status() == "taken-back"
    assert project.script.read_text() == (
        SCRIPT.replace("# %%\nload()\n\n", "").replace(
            "# %%\nprint(threshold)", '# %% tags=["report"]\nprint(threshold)'
        )
        + "\n# %% [markdown]\n# The *end*.\n"
    )
    assert project.status() == "in-step"


def test_a_run_in_jupyter_changes_no_script(project: Project) -> None:
    document = nbformat.read(project.notebook, as_version=4)
    document.cells[1].execution_count = 5
    document.metadata["language_info"] = {"name": "python", "version": "3.11"}
    document.metadata["kernelspec"]["display_name"] = "Other"
    document.metadata["widgets"] = {}
    nbformat.write(document, project.notebook)
    assert project.status() == "in-step"


def test_edits_of_different_cells_on_both_sides_merge(project: Project) -> None:
    project.edit_script("threshold = 1.0", "threshold = 2.0")
    project.edit_notebook("load()", "load(3)")
    assert project.status() == "merged"
    merged = SCRIPT.replace("1.0", "2.0").replace("load()", "load(3)")
    assert project.script.read_text() == merged
    assert project.sources()[1:3] == ["threshold = 2.0", "load(3)"]
    assert project.status() == "in-step"


def test_the_same_cell_changed_on_both_sides_is_refused_and_both_are_shown(
    project: Project,
) -> None:
    project.edit_script("load()", "load(1)")
    project.edit_notebook("load()", "load(2)")
    before = project.script.read_bytes(), project.notebook.read_bytes()
    with pytest.raises(ConflictError) as raised:
        project.sync()
    error = raised.value
    assert error.kind == "conflict"
    assert error.place == f"{project.script}:8"
    assert "load(1)" in error.message
    assert "load(2)" in error.message
    (conflict,) = error.to_json()["details"]["conflicts"]  # type: ignore[index]
    assert conflict["cell"] == 3
    assert conflict["script_version"]["source"] == "load(1)"
    assert conflict["notebook_version"]["source"] == "load(2)"
    assert (project.script.read_bytes(), project.notebook.read_bytes()) == before


def test_a_conflict_is_resolved_by_making_both_alike(project: Project) -> None:
    project.edit_script("load()", "load(1)")
    project.edit_notebook("load()", "load(2)")
    project.edit_script("load(1)", "load(2)")
    assert project.status() == "in-step"


def test_a_conflict_in_one_pair_writes_nothing_anywhere(project: Project) -> None:
    (project.project / "a.py").write_text(SCRIPT)
    project.edit_script("load()", "load(1)")
    project.edit_notebook("load()", "load(2)")
    with pytest.raises(ConflictError):
        project.sync(".")
    assert not (project.project / "a.ipynb").exists()


def test_a_deleted_notebook_is_generated_again(project: Project) -> None:
    project.notebook.unlink()
    project.edit_script("load()", "load(1)")
    assert project.status() == "generated"


# Without a synced state


def test_head_is_the_base_when_nothing_was_synced_here(project: Project) -> None:
    project.commit()
    project.forget()
    project.edit_script("1.0", "2.0")
    project.edit_notebook("load()", "load(3)")
    assert project.status() == "merged"


def test_an_older_commit_in_step_is_the_base_when_head_is_not(project: Project) -> None:
    project.commit()
    project.edit_script("1.0", "2.0")
    project.commit()
    project.forget()
    assert project.status() == "regenerated"
    assert project.sources()[1] == "threshold = 2.0"


def test_a_notebook_that_is_an_older_state_of_the_script_does_not_win(project: Project) -> None:
    project.commit("nb.py")
    project.edit_script("1.0", "2.0")
    project.commit("nb.py")
    project.forget()
    assert project.status() == "regenerated"
    assert "2.0" in project.script.read_text()


def test_without_any_base_nothing_is_guessed(project: Project) -> None:
    project.forget()
    project.edit_script("1.0", "2.0")
    before = project.script.read_bytes(), project.notebook.read_bytes()
    with pytest.raises(ConflictError) as raised:
        project.sync()
    assert raised.value.kind == "out-of-step"
    assert "delete nb.ipynb" in raised.value.hint
    assert (project.script.read_bytes(), project.notebook.read_bytes()) == before


def test_a_checkout_of_another_state_is_no_conflict(project: Project) -> None:
    project.commit()
    project.edit_script("load()", "load(1)")
    project.sync()
    project.commit()
    git = ["git", "-C", project.cwd, "checkout", "-q"]
    subprocess.run([*git, "HEAD~1"], check=True)
    project.edit_script("load()", "load(5)")
    assert project.status() == "regenerated"
    assert project.sources()[2] == "load(5)"


def test_a_broken_synced_state_is_as_good_as_none(project: Project) -> None:
    (state,) = (project.project / ".octavo" / "sync").iterdir()
    state.write_text("{")
    assert project.status() == "in-step"
    project.edit_script("1.0", "2.0")
    assert project.status() == "regenerated"


def test_synced_states_are_kept_out_of_git(project: Project) -> None:
    project.commit("nb.py")
    listed = subprocess.run(
        ["git", "-C", project.cwd, "status", "--porcelain"], capture_output=True, check=True
    )
    assert b".octavo" not in listed.stdout


# Headers and odd files


def test_a_kernel_chosen_in_jupyter_goes_into_a_header_that_has_one(tmp_path: Path) -> None:
    project = Project(tmp_path)
    kernel = "#   kernelspec:\n#     display_name: A\n#     language: python\n#     name: a\n"
    project.script.write_text(f"# ---\n# jupyter:\n{kernel}# ---\n\n{SCRIPT}")
    project.sync()
    document = nbformat.read(project.notebook, as_version=4)
    document.metadata.kernelspec.name = "b"
    nbformat.write(document, project.notebook)
    assert project.status() == "taken-back"
    assert "#     name: b\n" in project.script.read_text()
    assert project.script.read_text().endswith(SCRIPT)


def test_attachments_stay_in_the_notebook(project: Project) -> None:
    document = nbformat.read(project.notebook, as_version=4)
    document.cells[0]["attachments"] = {"a.png": {"image/png": "aGk="}}
    nbformat.write(document, project.notebook)
    project.edit_script("# # Report", "# # A report")
    project.sync()
    assert project.cells()[0]["attachments"] == {"a.png": {"image/png": "aGk="}}


def test_a_notebook_without_ids_is_read_and_gets_them_when_written(project: Project) -> None:
    document = json.loads(project.notebook.read_text())
    for cell in document["cells"]:
        del cell["id"]
    document["nbformat_minor"] = 4
    project.notebook.write_text(json.dumps(document))
    assert project.status() == "in-step"
    project.edit_script("1.0", "2.0")
    assert project.status() == "regenerated"
    nbformat.validate(nbformat.read(project.notebook, as_version=4))


def test_a_cell_that_no_script_can_hold_is_refused_and_named(project: Project) -> None:
    project.edit_notebook("load()", "text = '''")
    before = project.script.read_bytes()
    with pytest.raises(NotebookError) as raised:
        project.sync()
    assert "cell 2 " in raised.value.message
    assert project.script.read_bytes() == before


def test_an_invalid_notebook_is_refused(project: Project) -> None:
    project.notebook.write_text("{")
    with pytest.raises(NotebookError):
        project.sync()


def test_permissions_and_links_stay(project: Project) -> None:
    real = project.project / "real.py"
    project.script.rename(real)
    project.script.symlink_to(real)
    real.chmod(0o755)
    project.edit_notebook("load()", "load(2)")
    assert project.status() == "taken-back"
    assert project.script.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o755
    assert "load(2)" in real.read_text()


def test_an_edit_made_meanwhile_is_not_overwritten(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from octavo.authoring import syncing

    project.edit_notebook("load()", "load(2)")
    original = syncing.rewrite

    def slow(*arguments: Any) -> str:
        text = original(*arguments)
        if "1.0" in project.script.read_text():
            project.edit_script("1.0", "9.0")
        return text

    monkeypatch.setattr(syncing, "rewrite", slow)
    project.sync()
    assert "9.0" in project.script.read_text()
    assert "load(2)" in project.script.read_text()


# Which files


def test_a_folder_is_searched_for_scripts_with_cells(project: Project) -> None:
    below = project.project / "below"
    below.mkdir()
    (below / "other.py").write_text("# %%\n1\n")
    (below / "module.py").write_text("def f(): pass\n")
    (project.project / ".hidden").mkdir()
    (project.project / ".hidden" / "no.py").write_text("# %%\n1\n")
    found = {file.script for file in project.sync(".").files}
    assert found == {"nb.py", os.path.join("below", "other.py")}
    assert not (below / "module.ipynb").exists()


def test_the_configured_notebooks_are_the_default(project: Project) -> None:
    folder = project.project / "notebooks"
    folder.mkdir()
    (folder / "a.py").write_text(SCRIPT)
    result = asyncio.run(sync(SyncRequest(), project))
    assert [file.script for file in result.files] == [os.path.join("notebooks", "a.py")]
    assert (folder / "a.ipynb").exists()


def test_no_notebooks_at_all_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        asyncio.run(sync(SyncRequest(), Project(tmp_path)))
    assert "notebooks" in raised.value.hint


def test_the_notebook_may_be_named_instead_of_the_script(project: Project) -> None:
    project.edit_script("1.0", "2.0")
    assert project.sync("nb.ipynb").files[0].status == "regenerated"


def test_a_notebook_without_script_says_how_to_make_one(project: Project) -> None:
    project.script.unlink()
    with pytest.raises(NotebookError) as raised:
        project.sync("nb.ipynb")
    assert "octavo convert" in raised.value.hint


@pytest.mark.parametrize("name", ["gone.py", "nb.txt"])
def test_other_paths_are_refused(project: Project, name: str) -> None:
    with pytest.raises(OctavoError):
        project.sync(name)


# --check and events


def test_check_writes_nothing_and_tells(project: Project) -> None:
    assert project.sync(check=True).exit_code == 0
    project.edit_script("1.0", "2.0")
    before = project.notebook.read_bytes()
    result = project.sync(check=True)
    assert (result.in_step, result.exit_code) == (False, 1)
    assert result.files[0].status == "regenerated"
    assert result.files[0].wrote == ("nb.ipynb",)
    assert project.notebook.read_bytes() == before


def test_check_reports_conflicts_and_missing_notebooks(project: Project) -> None:
    (project.project / "new.py").write_text(SCRIPT)
    project.edit_script("load()", "load(1)")
    project.edit_notebook("load()", "load(2)")
    result = project.sync(".", check=True)
    assert {file.script: file.status for file in result.files} == {
        "nb.py": "conflict",
        "new.py": "generated",
    }
    assert not (project.project / "new.ipynb").exists()
    shown = json.loads(json.dumps(result.to_json()))
    assert shown["files"][0]["error"]["kind"] == "conflict"


def test_each_pair_is_told_while_working(project: Project) -> None:
    project.emitted.clear()
    project.sync()
    assert [type(event) for event in project.emitted] == [SyncedFile]
