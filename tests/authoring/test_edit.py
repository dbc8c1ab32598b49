"""`octavo edit`: cells are changed, checked and written; nothing that others wrote is lost."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from git_repositories import ENVIRON, commit_files, repository
from octavo.authoring.editing import operation
from octavo.authoring.editing.answer import EditResult
from octavo.authoring.editing.operation import edit
from octavo.authoring.editing.request import EditRequest
from octavo.errors import ConflictError, OctavoError
from octavo.notebook.formats import read
from octavo.notebook.identity import handle
from octavo.sources import read_source

SCRIPT = """\
# %% [markdown]
# # Report

# %% name="load" tags=["parameters"]
threshold = 1.0

# %%
%matplotlib inline
x   =   1   # odd   spacing


# %% Last
print(threshold)
"""
DOCUMENT = """\
# Report

```python name="load"
threshold = 1.0
```

Some text.
"""


class Settings:
    notebooks: tuple[str, ...] = ("notebooks",)
    templates: tuple[str, ...] = ("notebook_templates",)


class Project:
    """A project folder, and the context that operations in it get."""

    def __init__(self, root: Path) -> None:
        self.project = root
        self.cwd = str(root)
        self.settings = Settings()
        self.environ = ENVIRON
        self.emit: Callable[[Any], None] = lambda event: None
        (root / "nb.py").write_text(SCRIPT)
        (root / "doc.md").write_text(DOCUMENT)

    def edit(self, cell: str | int = "", path: str = "nb.py", **options: Any) -> EditResult:
        return asyncio.run(edit(EditRequest(path, str(cell), **options), self))

    def edits(self, *items: dict[str, Any], path: str = "nb.py", **options: Any) -> EditResult:
        (self.project / "edits.json").write_text(json.dumps(items))
        return self.edit(path=path, edits="edits.json", **options)

    def refused(self, cell: str | int = "", path: str = "nb.py", **options: Any) -> OctavoError:
        """The error of an edit that leaves every file as it was."""
        before = self.contents()
        with pytest.raises(OctavoError) as caught:
            self.edit(cell, path, **options)
        assert self.contents() == before
        assert caught.value.hint
        return caught.value

    def contents(self) -> dict[str, bytes]:
        files = (path for path in sorted(self.project.iterdir()) if path.is_file())
        return {path.name: path.read_bytes() for path in files}

    def text(self, path: str = "nb.py") -> str:
        return (self.project / path).read_bytes().decode()

    def write(self, text: str, path: str = "nb.py") -> None:
        (self.project / path).write_bytes(text.encode())


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_one_cell_is_replaced_and_the_answer_tells(project: Project) -> None:
    result = project.edit("load", source="threshold = 2.0")
    assert project.text() == SCRIPT.replace("1.0", "2.0")
    (cell,) = result.cells
    cells = read(project.text(), "nb.py").cells
    assert (cell.op, cell.index, cell.handle, cell.name) == ("replace", 1, handle(cells[1]), "load")
    assert cell.before_handle == handle(read(SCRIPT, "nb.py").cells[1])
    assert result.sha256 == read_source(project.project / "nb.py").sha256
    assert "-threshold = 1.0\n+threshold = 2.0" in result.diff
    assert result.to_json()["cells"][0]["handle"] == cell.handle


def test_the_source_may_come_from_a_file(project: Project) -> None:
    project.write("threshold = 3.0\r\n\r\n", "new.txt")
    project.edit(1, file="new.txt")
    assert project.text() == SCRIPT.replace("1.0", "3.0")


def test_everything_that_can_be_done_in_one_call(project: Project) -> None:
    result = project.edits(
        {"op": "replace", "cell": "load", "source": "threshold = 2.0"},
        {"op": "substitute", "cell": 2, "old": "1   #", "new": "2   #"},
        {"op": "insert", "after": "load", "source": "## Steps", "kind": "markdown"},
        {"op": "insert", "source": "print('end')", "name": "end", "tags": ["a", "b"]},
        {"op": "move", "cell": "Last", "before": 0},
        {"op": "tag", "cell": 2, "tags": ["slow"]},
        {"op": "delete", "cell": 0},
    )
    cells = read(project.text(), "nb.py").cells
    assert [cell.source for cell in cells] == [
        "print(threshold)",
        "threshold = 2.0",
        "## Steps",
        "%matplotlib inline\nx   =   2   # odd   spacing",
        "print('end')",
    ]
    assert cells[3].tags == ("slow",) and cells[4].name == "end"
    assert [cell.index for cell in result.cells] == [1, 3, 2, 4, 0, 3, None]
    assert [cell.before_index for cell in result.cells] == [1, 2, None, None, 3, 2, 0]


def test_all_edits_or_none(project: Project) -> None:
    before = project.text()
    with pytest.raises(OctavoError, match="there is no cell 'nope'"):
        project.edits(
            {"op": "replace", "cell": 1, "source": "threshold = 2.0"},
            {"op": "delete", "cell": "nope"},
        )
    assert project.text() == before


@pytest.mark.parametrize(
    ("items", "why"),
    [
        ("{", "not JSON"),
        ("{}", "not a list"),
        ("[]", "not a list"),
        ("[1]", "edit 0: `op` is none of"),
        ('[{"op": "explode"}]', "edit 0: `op` is none of"),
        ('[{"op": "replace", "cell": 1}]', "needs `source`"),
        ('[{"op": "delete", "cell": 1, "source": "x"}]', "does not take `source`"),
        ('[{"op": "delete", "cell": 1.5}]', "`cell` is not a number or text"),
        ('[{"op": "delete", "cell": true}]', "`cell` is not a number or text"),
        ('[{"op": "kind", "cell": 1, "kind": "heading"}]', "`kind` is none of"),
        ('[{"op": "tag", "cell": 1, "tags": ["a,b"]}]', "'a,b' is not a tag"),
        ('[{"op": "rename", "cell": 1, "name": "a\\nb"}]', "is not a name"),
        ('[{"op": "move", "cell": 1}]', "needs `before` or `after`"),
        ('[{"op": "insert", "source": "", "before": 1, "after": 1}]', "both given"),
        ('[{"op": "substitute", "cell": 1, "old": "", "new": "x"}]', "`old` is empty"),
        ('[{"op": "replace", "cell": 1, "source": "\\u0000"}]', "NUL"),
        ('[{"op": "replace", "cell": 1, "source": "\\ud800"}]', "not UTF-8"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_edits_that_make_no_sense(items: str, why: str, project: Project) -> None:
    project.write(items, "edits.json")
    error = project.refused(edits="edits.json")
    assert why in error.message and error.exit_code == 2


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({}, "CELL is missing"),
        ({"cell": 1}, "nothing is to be changed"),
        ({"cell": 1, "source": "x", "file": "f"}, "given twice"),
        ({"cell": 1, "source": "x\0y"}, "NUL"),
        ({"cell": 1, "source": "\udc80"}, "not UTF-8"),
        ({"cell": 1, "file": "missing.txt"}, "no such file"),
        ({"cell": 1, "insert": "after"}, "has no source"),
        ({"cell": 1, "insert": "after", "source": "", "delete": True}, "makes a new cell"),
        ({"cell": 1, "standard": "x"}, "one argument too many"),
        ({"cell": 1, "replace_text": (("", "x"),)}, "is empty"),
        ({"cell": 1, "replace_text": (("nope", "x"),)}, "not in cell 1"),
        ({"cell": 1, "move_before": "0", "move_after": "2"}, "contradict"),
        ({"cell": 1, "tag": ("",)}, "is not a tag"),
        ({"cell": 1, "edits": "x"}, "--edits says itself"),
        ({"edits": "x", "source": "y"}, "--edits says itself"),
        ({"edits": "x", "expect": "y"}, "--edits says itself"),
        ({"cell": 1, "delete": True, "source": "y"}, "--delete leaves nothing"),
        ({"cell": 1, "replace_text": (("1", "\0"),)}, "NUL"),
        ({"cell": 9, "delete": True}, "there is no cell '9'"),
        ({"cell": -9, "delete": True}, "there is no cell '-9'"),
        ({"cell": "9" * 5000, "delete": True}, "there is no cell"),
    ],
)
def test_calls_that_make_no_sense(options: dict[str, Any], why: str, project: Project) -> None:
    error = project.refused(**options)
    assert why in error.message and error.exit_code == 2


def test_a_stale_edit_is_refused_and_told_what_is_there(project: Project) -> None:
    known = handle(read(SCRIPT, "nb.py").cells[1])
    assert project.edit(1, source="threshold = 2.0", expect=known).changed
    error = project.refused(1, source="threshold = 3.0", expect=known)
    current: Any = error.details["current"]
    assert (error.kind, error.exit_code) == ("stale", 2)
    assert (current["source"], current["index"]) == ("threshold = 2.0", 1)
    assert project.edit(1, source="threshold = 3.0", expect=current["handle"]).changed


def test_a_stale_file_is_refused(project: Project) -> None:
    sha = read_source(project.project / "nb.py").sha256
    answer = project.edit(1, source="threshold = 2.0", expect_file=sha)
    error = project.refused(2, source="x = 2", expect_file=sha)
    assert (error.kind, error.details["sha256"]) == ("stale", answer.sha256)
    assert project.edit(2, source="x = 2", expect_file=answer.sha256).changed


def test_with_a_base_the_changes_of_others_stay(project: Project) -> None:
    first = project.edit(0, source="# Title")
    project.write(project.text().replace("# %% [markdown]", "# %%\nnew = 0\n\n# %% [markdown]", 1))
    project.write(project.text().replace("print(threshold)", "print(99)"))
    answer = project.edit(1, source="threshold = 5.0", base=first.sha256)
    assert answer.merged and answer.cells[0].index == 2
    for line in ("new = 0", "# # Title", "threshold = 5.0", "print(99)"):
        assert line in project.text()


def test_what_was_committed_is_a_base_too(tmp_path: Path) -> None:
    project = Project(repository(tmp_path / "repo").top)
    sha = read_source(project.project / "nb.py").sha256
    commit_files(project.project, {"nb.py": SCRIPT})
    project.write("# %%\nnew = 0\n\n" + SCRIPT)
    answer = project.edit(1, source="threshold = 5.0", base=sha)
    assert answer.merged and answer.cells[0].index == 2
    assert project.text().startswith("# %%\nnew = 0\n") and "= 5.0" in project.text()


def test_with_a_base_one_cell_changed_by_both_is_a_conflict(project: Project) -> None:
    first = project.edit(0, source="# Title")
    project.write(project.text().replace("threshold = 1.0", "threshold = 7.0"))
    error = project.refused(1, source="threshold = 5.0", base=first.sha256)
    versions: Any = error.details
    assert error.kind == "conflict"
    assert versions["ours"]["source"] == "threshold = 5.0"
    assert versions["theirs"]["source"] == "threshold = 7.0"


def test_a_base_that_nobody_knows_is_refused(project: Project) -> None:
    assert project.refused(1, source="x", base="ab" * 32).kind == "stale"
    assert project.refused(1, source="x", base="../../etc/passwd").kind == "stale"


def interrupted_by(
    project: Project, monkeypatch: pytest.MonkeyPatch, *texts: Callable[[str], str]
) -> None:
    """Somebody saves the file between our reading and our writing, once for each text."""
    write, left = operation.replace_file, list(texts)

    def writing(path: Path, content: bytes, expected: bytes | None = None) -> None:
        if left:
            project.write(left.pop(0)(project.text()))
        write(path, content, expected)

    monkeypatch.setattr(operation, "replace_file", writing)


def test_what_an_editor_saves_meanwhile_is_kept(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted_by(
        project,
        monkeypatch,
        lambda text: text.replace("# Report", "# Their title"),
        lambda text: "# %%\ntheirs = 1\n\n" + text,
    )
    answer = project.edit(1, source="threshold = 5.0")
    assert answer.merged and answer.cells[0].index == 2
    for line in ("# # Their title", "theirs = 1", "threshold = 5.0"):
        assert line in project.text()


def test_the_cell_that_an_editor_saves_meanwhile_is_a_conflict(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted_by(project, monkeypatch, lambda text: text.replace("= 1.0", "= 7.0"))
    with pytest.raises(ConflictError) as caught:
        project.edit(1, source="threshold = 5.0")
    assert caught.value.kind == "conflict"
    assert project.text() == SCRIPT.replace("= 1.0", "= 7.0")


def test_source_that_does_not_parse_is_refused_unless_forced(project: Project) -> None:
    error = project.refused("load", source="a = 1\nif a\n    b = 2")
    assert (error.kind, error.place) == ("notebook-syntax", "nb.py, cell 1, line 2")
    assert (error.details["cell"], error.details["line"]) == (1, 2)
    project.edit("load", source="if a", force=True)
    assert "\nif a\n" in project.text()
    assert project.edit(2, source="%timeit x\n!ls\nfiles = !ls\nx?").changed
    assert project.edit("Last", source="await thing()").changed


def test_others_that_do_not_parse_are_no_reason_to_refuse(project: Project) -> None:
    project.write(SCRIPT.replace("print(threshold)", "print("))
    assert project.edit("load", source="threshold = 2.0").changed


def test_other_languages_are_not_checked(project: Project) -> None:
    project.write("```bash\nls | wc -l\n```\n", "shell.md")
    assert project.edit(0, "shell.md", source="if [ -f x ]; then ls; fi").changed
    assert project.edit(2, source="%%bash\nif [ -f x ]; then ls; fi").changed


def test_a_line_that_would_start_a_cell_is_refused_unless_forced(project: Project) -> None:
    source = "a = 1\n# %% another\nb = 2"
    error = project.refused("load", source=source)
    assert error.kind == "notebook-invalid" and "line 2" in error.message
    project.edit("load", source=source, force=True)
    cells = read(project.text(), "nb.py").cells
    assert (len(cells), cells[1].source) == (4, source)
    assert project.edit("Last", source='"""\n# %% in a string\n"""').changed


def test_a_fence_in_a_document_stays_within_its_cell(project: Project) -> None:
    text = "Look:\n\n```python\nimport os\n```\n\nEnd."
    project.edit(0, "doc.md", source=text)
    project.edit("load", "doc.md", source='"""\n```\n"""')
    cells = read(project.text("doc.md"), "doc.md").cells
    assert [cell.kind for cell in cells] == ["markdown", "code", "markdown"]
    assert (cells[0].source, cells[1].source) == (text, '"""\n```\n"""')
    assert project.text("doc.md").endswith("\n\nSome text.\n")


def notebook_file(project: Project, **more: Any) -> Path:
    code = nbformat.v4.new_code_cell("x = 1", id="one", execution_count=3, **more)
    code.outputs = [nbformat.v4.new_output("stream", text="1\n")]
    other = nbformat.v4.new_code_cell("y = 2", id="two", execution_count=4)
    other.outputs = [nbformat.v4.new_output("stream", text="2\n")]
    path = project.project / "jupyter.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[code, other]), path)
    return path


def test_edited_code_loses_its_outputs_and_other_cells_keep_theirs(project: Project) -> None:
    path = notebook_file(project, metadata={"execution": {"iopub.status.idle": "now"}})
    project.edit("one", "jupyter.ipynb", source="x = 2")
    document = nbformat.read(path, as_version=4)
    nbformat.validate(document)
    one, two = document.cells
    assert (one.source, one.outputs, one.execution_count, one.metadata) == ("x = 2", [], None, {})
    assert (one.id, two.execution_count, two.outputs[0].text) == ("one", 4, "2\n")


def test_a_tag_leaves_the_outputs(project: Project) -> None:
    path = notebook_file(project)
    project.edit(0, "jupyter.ipynb", tag=("slow",), rename="first")
    one = nbformat.read(path, as_version=4).cells[0]
    assert (one.metadata, one.execution_count) == ({"tags": ["slow"], "name": "first"}, 3)


def test_kinds_and_new_cells_are_valid_for_nbformat(project: Project) -> None:
    path = notebook_file(project)
    project.edits(
        {"op": "kind", "cell": 0, "kind": "markdown"},
        {"op": "insert", "source": "# new", "kind": "markdown", "before": 0},
        {"op": "insert", "source": "z = 3", "after": 1},
        {"op": "insert", "source": "z = 3", "after": 1},
        path="jupyter.ipynb",
    )
    document = nbformat.read(path, as_version=4)
    nbformat.validate(document)
    kinds = [cell.cell_type for cell in document.cells]
    assert kinds == ["markdown", "markdown", "code", "code", "code"]
    assert len({cell.id for cell in document.cells}) == 5


def test_a_notebook_without_cells_gets_one(project: Project) -> None:
    path = project.project / "empty.ipynb"
    nbformat.write(nbformat.v4.new_notebook(), path)
    project.edit(path="empty.ipynb", insert="after", source="x = 1")
    document = nbformat.read(path, as_version=4)
    nbformat.validate(document)
    assert [cell.source for cell in document.cells] == ["x = 1"]
    again = nbformat.writes(document) + "\n"
    assert path.read_text() == again


def test_old_notebooks_are_not_half_converted(project: Project) -> None:
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [
        {"cell_type": "code", "input": "x", "outputs": [], "language": "python", "metadata": {}}
    ]}]}  # fmt: skip
    project.write(json.dumps(old), "old.ipynb")
    assert project.refused(0, "old.ipynb", source="y").kind == "notebook-version"


def test_ids_stay_out_of_notebooks_that_have_none(project: Project) -> None:
    document = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["a"]}
    ]}  # fmt: skip
    project.write(json.dumps(document), "four.ipynb")
    project.edit(0, "four.ipynb", insert="after", source="x = 1")
    nbformat.validate(json.loads(project.text("four.ipynb")))


def test_numbers_and_letters_that_json_hardly_knows_stay(project: Project) -> None:
    odd = '{"nbformat":4,"nbformat_minor":5,"metadata":{"x":"\\ud800"},"cells":[%s,%s]}'
    cell = '{"cell_type":"markdown","id":"%s","metadata":{"n":NaN,"s":"\\udfff"},"source":"%s"}'
    project.write(odd % (cell % ("a", "1"), cell % ("b", "2")), "odd.ipynb")
    result = project.edit("b", "odd.ipynb", source="3")
    assert project.text("odd.ipynb") == odd % (cell % ("a", "1"), cell % ("b", "3"))
    assert result.sha256 == read_source(project.project / "odd.ipynb").sha256


def test_an_edit_that_changes_nothing_writes_nothing(project: Project) -> None:
    before = (project.project / "nb.py").stat().st_mtime_ns
    result = project.edit("load", source="threshold = 1.0\n")
    assert not result.changed and result.diff == ""
    assert (project.project / "nb.py").stat().st_mtime_ns == before


def test_a_dry_run_writes_nothing_at_all(project: Project) -> None:
    before = project.contents()
    result = project.edit("load", source="threshold = 2.0", dry_run=True)
    assert result.changed and result.dry_run and "+threshold = 2.0" in result.diff
    assert project.contents() == before and not (project.project / ".octavo").exists()


def paired(project: Project) -> Path:
    from octavo.authoring.sync import SyncRequest, sync

    asyncio.run(sync(SyncRequest(("nb.py",)), project))
    return project.project / "nb.ipynb"


def test_the_other_file_of_a_pair_follows(project: Project) -> None:
    notebook = paired(project)
    result = project.edit("load", source="threshold = 2.0")
    assert result.beside is not None
    assert (result.beside.path, result.beside.status) == ("nb.ipynb", "regenerated")
    assert "threshold = 2.0" in notebook.read_text()
    back = project.edit("load", "nb.ipynb", source="threshold = 3.0")
    assert back.beside is not None and back.beside.status == "taken-back"
    assert project.text() == SCRIPT.replace("1.0", "3.0")


def test_a_pair_that_was_never_synced_follows_when_both_say_the_same(project: Project) -> None:
    notebook = paired(project)
    for path in (project.project / ".octavo" / "sync").iterdir():
        path.unlink()
    result = project.edit("load", source="threshold = 2.0")
    assert result.beside is not None and result.beside.status == "regenerated"
    assert "threshold = 2.0" in notebook.read_text()


def test_a_pair_out_of_step_is_left_alone(project: Project) -> None:
    notebook = paired(project)
    notebook.write_text(notebook.read_text().replace("= 1.0", "= 9.0"))
    before = notebook.read_text()
    result = project.edit("Last", source="print(2)")
    assert result.beside is not None and result.beside.status == "out-of-step"
    assert notebook.read_text() == before


def test_no_sync(project: Project) -> None:
    notebook = paired(project)
    before = notebook.read_text()
    result = project.edit("load", source="threshold = 2.0", no_sync=True)
    assert result.beside is not None and result.beside.status == "left"
    assert notebook.read_text() == before


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "notebook-empty"),
        (b"  \n\n", "notebook-empty"),
        (b"# %%\nx = '\xff'\n", "notebook-encoding"),
        (b"PK\x03\x04\0\0", None),
    ],
)
def test_files_that_are_no_notebooks(content: bytes, kind: str | None, project: Project) -> None:
    (project.project / "bad.py").write_bytes(content)
    error = project.refused(0, "bad.py", replace_text=(("nope", "x"),))
    assert kind is None or error.kind == kind


def test_a_folder_a_missing_file_and_a_text(project: Project) -> None:
    (project.project / "folder.py").mkdir()
    assert project.refused(0, "folder.py", source="x").kind == "notebook-unreadable"
    assert project.refused(0, "gone.py", source="x").kind == "notebook-not-found"
    assert project.refused(0, "notes.txt", source="x").kind == "format-unknown"


def test_a_read_only_file_stays(project: Project) -> None:
    path = project.project / "nb.py"
    path.chmod(0o444)
    assert project.refused(1, source="x").kind == "output-unwritable"
    path.chmod(0o640)
    project.edit(1, source="x = 1")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(project: Project) -> None:
    link = project.project / "link.py"
    link.symlink_to("nb.py")
    project.edit(1, "link.py", source="threshold = 2.0")
    assert link.is_symlink() and project.text() == SCRIPT.replace("1.0", "2.0")


@pytest.mark.parametrize("name", ["with space.py", "-dash.py", "quote'\".py", "ünï漢.py"])
def test_odd_names(name: str, project: Project) -> None:
    project.write(SCRIPT, name)
    assert project.edit(1, name, source="threshold = 2.0").changed
    assert project.text(name) == SCRIPT.replace("1.0", "2.0")


def test_tags_that_the_header_keeps_out_are_refused(project: Project) -> None:
    head = "# ---\n# jupyter:\n#   jupytext:\n#     cell_metadata_filter: -all\n# ---\n\n"
    project.write(head + "# %%\nx = 1\n")
    error = project.refused(0, tag=("slow",))
    assert "cell_metadata_filter" in error.hint


def test_front_matter_is_a_cell_that_can_be_edited(project: Project) -> None:
    project.write("---\ntitle: One\n---\n\n" + DOCUMENT, "doc.md")
    project.edit(0, "doc.md", replace_text=(("One", "Two"),))
    assert project.text("doc.md") == "---\ntitle: Two\n---\n\n" + DOCUMENT


def test_the_diff_of_a_large_change_is_bounded(project: Project) -> None:
    project.write("# %%\n" + "".join(f"x{n} = {n}\n" for n in range(5000)))
    result = project.edit(0, source="\n".join(f"y{n} = '{'a' * 2000}'" for n in range(3000)))
    assert result.diff_cut
    assert len(result.diff) < 200_000 and len(result.diff.split("\n")) <= 400


def test_the_diff_is_one_that_patch_takes(project: Project, tmp_path: Path) -> None:
    import subprocess

    result = project.edits(
        {"op": "replace", "cell": 0, "source": "# New"},
        {"op": "insert", "source": "end = 1"},
        {"op": "substitute", "cell": 2, "old": "1", "new": "3"},
    )
    after = project.text()
    project.write(SCRIPT)
    subprocess.run(
        ["git", "apply", "-p0"], input=result.diff + "\n", text=True, check=True, cwd=tmp_path,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)},
    )  # fmt: skip
    assert project.text() == after


def test_few_versions_are_kept(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo.authoring.editing.versions._KEPT", 3)
    for n in range(6):
        project.edit("load", source=f"threshold = {n}.5")
    assert len(list((project.project / ".octavo" / "versions").iterdir())) == 3
    assert (project.project / ".octavo" / ".gitignore").read_text() == "*\n"
