"""`octavo diff`: files and revisions, in every form that it is shown in."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import nbdime
import nbformat
import pytest
from nbdime.diff_utils import to_diffentry_dicts

from cli.calling import NOTEBOOK, Octavo
from git_repositories import ENVIRON, commit_files, git

Document = dict[str, Any]
EDITED = NOTEBOOK.replace("n * 2", "n * 3")


def cell(source: str, name: str, *outputs: Document) -> Document:
    return {"cell_type": "code", "id": name, "metadata": {}, "execution_count": None,
            "source": source, "outputs": [*outputs]}  # fmt: skip


def written(path: Path, *cells: Document, minor: int = 5) -> Path:
    cells = tuple({k: v for k, v in each.items() if minor == 5 or k != "id"} for each in cells)
    path.write_text(json.dumps(
        {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": minor}
    ))  # fmt: skip
    return path


def printed(text: str) -> Document:
    return {"output_type": "stream", "name": "stdout", "text": text}


@pytest.fixture
def repository(octavo: Octavo, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder as a repository whose notebook was changed on a branch."""
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    folder = Path.cwd()
    git(folder, "init", "--quiet")
    commit_files(folder, {"sub/other.py": NOTEBOOK, "plain.py": "x = 1\n"}, "first")
    git(folder, "checkout", "--quiet", "-b", "branch")
    commit_files(folder, {"nb.py": EDITED}, "edited")
    git(folder, "checkout", "--quiet", "main")
    return folder


def test_two_files_are_compared_cell_by_cell(octavo: Octavo) -> None:
    first, second, third = cell("a = 1", "a"), cell("b = 2", "b"), cell("c = 3", "c")
    written(Path("one.ipynb"), first, second, third)
    written(Path("two.ipynb"), third, cell("a = 10", "a", printed("hello\n")), second)
    answer = octavo("diff", "one.ipynb", "two.ipynb")
    assert answer.code == 0
    assert "cell 0 moved from 2 to 0" in answer.out
    assert "- a = 1\n+ a = 10\n" in answer.out
    assert "stdout added\n  + hello\n" in answer.out
    assert "\x1b" not in answer.out


def test_equal_files_have_no_differences(octavo: Octavo) -> None:
    Path("same.py").write_text(NOTEBOOK)
    answer = octavo("diff", "nb.py", "same.py", "--exit-code")
    assert (answer.code, "no differences" in answer.out) == (0, True)
    assert octavo("diff", "nb.py", "same.py", "--json").json == []


@pytest.mark.parametrize("minor", [4, 5])
def test_nbdime_applies_the_json_to_the_file_as_it_is(octavo: Octavo, minor: int) -> None:
    old = written(Path("old.ipynb"), cell("a = 1\nb", "a", printed("1\n2\n")), cell("c", "c"),
                  minor=minor)  # fmt: skip
    new = written(Path("new.ipynb"), cell("new", "n"), cell("a = 2\nb", "a", printed("1\n3\n")),
                  minor=minor)  # fmt: skip
    found = to_diffentry_dicts(octavo("diff", old, new, "--json").json)
    one, other = (nbformat.reads(path.read_text(), as_version=4) for path in (old, new))
    assert nbdime.patch(one, found) == other


@pytest.mark.parametrize("to", ["md", "ipynb"])
def test_across_formats_only_what_both_hold_is_compared(octavo: Octavo, to: str) -> None:
    octavo("convert", "nb.py", "--to", to)
    assert octavo("diff", "nb.py", f"nb.{to}", "--json").json == []
    Path("nb.py").write_text(EDITED)
    answer = octavo("diff", f"nb.{to}", "nb.py")
    assert "1 cell edited" in answer.out
    assert "- print(n * 2)\n+ print(n * 3)" in answer.out


@pytest.mark.parametrize("words", [
    ("nb.py",), (), ("HEAD",), ("main", "--", "nb.py"), ("HEAD:nb.py", "nb.py"), ("HEAD:nb.py",),
    ("sub", "nb.py"), ("main", "nb.py"),
])  # fmt: skip
def test_files_are_compared_with_git(
    octavo: Octavo, repository: Path, words: tuple[str, ...]
) -> None:
    Path("nb.py").write_text(EDITED)
    Path("plain.py").write_text("x = 2\n")
    answer = octavo("diff", *words)
    assert "- print(n * 2)\n+ print(n * 3)" in answer.out, answer.err
    assert "plain.py" not in answer.out


@pytest.mark.parametrize("words", [
    ("main..branch",), ("main...branch", "--", "nb.py"), ("main", "branch"), ("..branch",),
    ("main:nb.py", "branch:nb.py"), ("main", "branch", "--", "."), ("branch~1..branch", "nb.py"),
])  # fmt: skip
def test_revisions_are_compared(octavo: Octavo, repository: Path, words: tuple[str, ...]) -> None:
    answer = octavo("diff", *words)
    assert "- print(n * 2)\n+ print(n * 3)" in answer.out, answer.err
    assert octavo("diff", "--exit-code", *words).code == 1


def test_a_path_that_is_a_file_is_not_taken_for_a_branch(octavo: Octavo, repository: Path) -> None:
    git(repository, "branch", "nb.py")
    Path("nb.py").write_text(EDITED)
    assert "HEAD:nb.py" in octavo("diff", "nb.py").out


def test_paths_are_those_of_the_current_folder(
    octavo: Octavo, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("nb.py").write_text(EDITED)
    monkeypatch.chdir(repository / "sub")
    for words in ((), ("../nb.py",), ("HEAD:../nb.py",), ("HEAD:nb.py", "../nb.py")):
        assert "n * 3" in octavo("diff", *words).out
    assert octavo("diff", "--", ".").out == "no differences\n"


def test_before_the_first_commit_everything_is_new(
    octavo: Octavo, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    git(Path.cwd(), "init", "--quiet")
    assert octavo("diff").out == "no differences\n"
    assert "5 cells added" in octavo("diff", "nb.py").out
    git(Path.cwd(), "add", "nb.py")
    assert "5 cells added" in octavo("diff", "--staged").out


def test_staged_files_new_ones_and_those_that_are_gone(octavo: Octavo, repository: Path) -> None:
    Path("nb.py").write_text(EDITED)
    assert octavo("diff", "--staged").out == "no differences\n"
    git(repository, "add", "nb.py")
    assert "n * 3" in octavo("diff", "--staged").out
    Path("fresh.py").write_text(NOTEBOOK)
    assert "5 cells added" in octavo("diff", "fresh.py").out
    os.unlink("sub/other.py")
    assert "5 cells removed" in octavo("diff", "sub/other.py").out
    assert "5 cells removed" in octavo("diff", "HEAD", "--", "sub").out


def test_a_generated_notebook_is_not_shown_twice(octavo: Octavo, repository: Path) -> None:
    octavo("sync", "nb.py")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "-m", "paired")
    Path("nb.py").write_text(EDITED)
    octavo("sync", "nb.py")
    assert "nb.ipynb" not in octavo("diff").out
    assert set(octavo("diff", "--json").json) == {"nb.py"}
    assert set(octavo("diff", "--both", "--json").json) == {"nb.py", "nb.ipynb"}
    assert "n * 3" in octavo("diff", "nb.ipynb").out


def test_outputs_that_a_filter_keeps_out_of_git_are_no_change(
    octavo: Octavo, repository: Path
) -> None:
    written(Path("out.ipynb"), cell("a = 1", "a"))
    (repository / ".gitattributes").write_text("*.ipynb filter=strip\n")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "-m", "stripped")
    written(Path("out.ipynb"), cell("a = 1", "a", printed("hello\n")))
    assert "no differences" in octavo("diff").out
    answer = octavo("diff", "out.ipynb")
    assert "no differences" in answer.out
    assert "filter strip" in answer.out


@pytest.mark.parametrize("paths", [("new.py",), ("nb.py",), ("nb.py", "new.py"), ("sub2",), ()])
def test_a_renamed_file_is_found_by_either_name(
    octavo: Octavo, repository: Path, paths: tuple[str, ...]
) -> None:
    name = "sub2/new.py" if paths == ("sub2",) else "new.py"
    (repository / "sub2").mkdir()
    git(repository, "mv", "nb.py", name)
    Path(name).write_text(EDITED)
    Path("sub/other.py").write_text(EDITED)
    git(repository, "commit", "--quiet", "-am", "renamed")
    found = octavo("diff", "HEAD~1..HEAD", "--json", "--", *paths).json
    only = octavo("diff", "HEAD~1..HEAD", "--", *paths).out
    assert f"HEAD~1:nb.py → HEAD:{name}\n1 cell edited" in only
    assert ("sub/other.py" in only) == (not paths)
    assert not paths or len(found) == 1


def test_a_file_of_a_submodule_is_not_called_new(octavo: Octavo, repository: Path) -> None:
    inner = repository / "inner"
    inner.mkdir()
    git(inner, "init", "--quiet")
    commit_files(inner, {"deep/nb.py": NOTEBOOK}, "first")
    git(repository, "add", "inner")
    git(repository, "commit", "--quiet", "-m", "with another repository in it")
    error = octavo("diff", "inner/deep/nb.py", "--json").json["error"]
    assert error["kind"] == "not-a-repository"
    assert "cd inner" in error["hint"]


def test_what_is_not_merged_yet_is_told(octavo: Octavo, repository: Path) -> None:
    commit_files(repository, {"nb.py": NOTEBOOK.replace("n * 2", "n * 4")}, "otherwise")
    with pytest.raises(AssertionError):
        git(repository, "merge", "--quiet", "branch")
    answer = octavo("diff")
    assert "nb.py is not merged yet" in answer.out
    assert "octavo diff :2:nb.py :3:nb.py" in answer.out
    assert "+ <<<<<<< HEAD" in answer.out
    assert "- print(n * 4)\n+ print(n * 3)" in octavo("diff", ":2:nb.py", ":3:nb.py").out
    staged = octavo("diff", "--staged")
    assert staged.code == 2
    assert "octavo diff :2:nb.py :3:nb.py" in staged.out + staged.err


def test_names_that_need_care(octavo: Octavo, repository: Path) -> None:
    for name in ("-dash.py", 'a "quoted" name.py', "été [1]*.py", "sub/two words.py"):
        commit_files(repository, {name: NOTEBOOK})
        Path(name).write_text(EDITED)
        answer = octavo("diff", "--", name)
        assert "n * 3" in answer.out, (name, answer.err)
        assert name in answer.out
        git(repository, "commit", "--quiet", "-am", "all")


@pytest.mark.parametrize(
    ("words", "kind", "says"),
    [
        (("brunch",), "revision-unknown", "branch"),
        (("last",), "revision-unknown", "octavo compare"),
        (("thing.md",), "revision-unknown", "check the path"),
        (("main..brunch",), "revision-unknown", "branch"),
        (("main:nb.txt", "main:nb.py"), "notebook-not-found", "nb.py"),
        (("main", "branch", "main"), "wrong-argument", "main branch"),
        (("main", "--", "nowhere.py"), "notebook-not-found", "nb.py"),
        (("notes.txt", "nb.py"), "format-unknown", ".ipynb"),
        (("binary.py", "nb.py"), "notebook-encoding", ".ipynb"),
        (("marks.ipynb", "nb.py"), "merge-conflict", "conflict"),
        (("--ignore", "colours", "nb.py"), "wrong-argument", "outputs"),
        (("--", "/outside.py"), "not-a-repository", "repository"),
    ],
)
def test_what_cannot_be_compared_is_told(
    octavo: Octavo, repository: Path, words: tuple[str, ...], kind: str, says: str
) -> None:
    Path("notes.txt").write_text("notes")
    Path("binary.py").write_bytes(b"\x89PNG\0\xff")
    Path("marks.ipynb").write_text("<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n")
    answer = octavo("diff", "--json", *words)
    assert answer.code == 2
    error = answer.json["error"]
    assert error["kind"] == kind
    assert says in f"{error['message']} {error['hint']}"


def test_outside_of_a_repository_two_files_are_needed(octavo: Octavo) -> None:
    answer = octavo("diff", "nb.py", "--json")
    assert answer.json["error"]["kind"] == "not-a-repository"
    missing = octavo("diff", "nb.py", "nob.py", "--json").json["error"]
    assert (missing["kind"], "nb.py" in missing["hint"]) == ("notebook-not-found", True)


def test_one_file_that_cannot_be_read_does_not_hide_the_others(
    octavo: Octavo, repository: Path
) -> None:
    commit_files(repository, {"bad.ipynb": "{}"})
    Path("bad.ipynb").write_text("{ broken")
    Path("nb.py").write_text(EDITED)
    answer = octavo("diff")
    assert answer.code == 2
    assert "n * 3" in answer.out
    assert "bad.ipynb" in answer.out


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ((), {"source", "outputs", "metadata", "execution_count"}),
        (("--no-outputs",), {"source", "metadata", "execution_count"}),
        (("-O", "-M"), {"source", "execution_count"}),
        (("--only", "sources"), {"source"}),
        (("-s", "-m"), {"source", "metadata"}),
        (("--ignore", "outputs,details", "--ignore", "metadata"), {"source"}),
    ],
)
def test_parts_can_be_left_out(octavo: Octavo, words: tuple[str, ...], shown: set[str]) -> None:
    written(Path("one.ipynb"), cell("a = 1", "a"))
    changed = {**cell("a = 2", "a", printed("x")), "metadata": {"x": 1}, "execution_count": 3}
    written(Path("two.ipynb"), changed)
    [cells] = octavo("diff", "one.ipynb", "two.ipynb", "--json", *words).json
    assert {entry["key"] for entry in cells["diff"][0]["diff"]} == shown


def test_a_page_is_written_or_the_reason_why_not(octavo: Octavo) -> None:
    Path("two.py").write_text(EDITED)
    answer = octavo("diff", "nb.py", "two.py", "--html", "page.html")
    assert (answer.code, Path("page.html").read_text()[:15]) == (0, "<!DOCTYPE html>")
    assert octavo("diff", "nb.py", "two.py", "--html", "-").out == Path("page.html").read_text()
    assert "cannot write" in octavo("diff", "nb.py", "two.py", "--html", "no/page.html").err


def test_images_stand_side_by_side_in_markdown(octavo: Octavo) -> None:
    for name, data in (("one", "aGVsbG8="), ("two", "d29ybGQ=")):
        shown = {"output_type": "display_data", "data": {"image/png": data}, "metadata": {}}
        written(Path(f"{name}.ipynb"), cell("plot()", "a", shown))
    words = ("diff", "one.ipynb", "two.ipynb", "--markdown")
    assert "![" not in octavo(*words).out
    out = octavo(*words, "--figures", "my figures").out
    found = re.findall(r"!\[(\w+)\]\((my%20figures/\w+\.png)\)", out)
    assert [name for name, _ in found] == ["before", "after"]
    assert "| before | after |\n| --- | --- |\n| ![before](" in out
    assert [Path(unquote(where)).read_bytes() for _, where in found] == [b"hello", b"world"]
    assert "--markdown" in octavo("diff", "one.ipynb", "two.ipynb", "--figures", "x").err
    Path("taken").write_text("")
    assert "cannot write" in octavo(*words, "--figures", "taken").err


@pytest.mark.parametrize("forms", [
    ("--json", "--markdown"), ("--json", "--html", "page.html"), ("--markdown", "--html", "-"),
])  # fmt: skip
def test_one_form_at_a_time(octavo: Octavo, forms: tuple[str, ...]) -> None:
    Path("two.py").write_text(EDITED)
    answer = octavo("diff", "nb.py", "two.py", *forms)
    assert answer.code == 2
    assert "one of them at a time" in answer.out + answer.err
    assert not Path("page.html").exists()


@pytest.fixture
def driven(repository: Path, tmp_path: Path) -> Path:
    """A repository whose notebooks git shows by means of Octavo."""
    script = tmp_path / "octavo"
    main = "from octavo.surfaces.cli.main import entry; entry()"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{main}" "$@"\n')
    script.chmod(0o755)
    git(repository, "config", "diff.octavo.command", f"{script} git-diff --")
    git(repository, "config", "diff.octavo.textconv", f"{script} git-textconv --")
    git(repository, "config", "diff.octavo.cachetextconv", "true")
    (repository / ".gitattributes").write_text("*.ipynb diff=octavo\n")
    written(repository / "a 'b' é.ipynb", cell("rate = 1", "a", printed("1\n")))
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "-m", "a notebook")
    return repository


def test_git_diff_shows_cells(driven: Path) -> None:
    written(driven / "a 'b' é.ipynb", cell("rate = 2", "a", printed("2\n")), cell("more", "m"))
    shown = git(driven, "diff")
    assert "- rate = 1\n+ rate = 2\n" in shown
    assert "cell 1 added" in shown
    (driven / "a 'b' é.ipynb").write_text("{ broken")
    assert "+ { broken" in git(driven, "diff")
    os.unlink(driven / "a 'b' é.ipynb")
    assert "1 cell removed" in git(driven, "diff")


def test_git_log_show_and_blame_read_text(driven: Path) -> None:
    written(driven / "a 'b' é.ipynb", cell("rate = 2", "a", printed("2\n")))
    git(driven, "commit", "--quiet", "-am", "edited")
    for words in (("log", "-p", "-1"), ("show",)):
        shown = git(driven, *words)
        assert "\n # %%\n-rate = 1\n+rate = 2\n #> stdout\n-#| 1\n+#| 2" in shown
    assert "rate = 2" in git(driven, "blame", "--", "a 'b' é.ipynb")


def test_git_is_told_what_it_gives(octavo: Octavo) -> None:
    answer = octavo("git-diff", "one", "two")
    assert (answer.code, "diff.octavo.command" in answer.err) == (2, True)
    assert octavo("git-diff", "nb.ipynb").out.startswith("* Unmerged path nb.ipynb")


def test_nothing_heavy_is_loaded_for_git(tmp_path: Path) -> None:
    path = written(tmp_path / "a.ipynb", cell("a", "a"))
    code = ("import sys; from octavo.surfaces.cli.main import main\n"
            f"main(['git-textconv', {str(path)!r}])\n"
            "print(*sys.modules, file=sys.stderr)")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"nbformat", "pandas", "pygments", "yaml", "IPython", "jupyter_client", "difflib"}
    assert not heavy & set(done.stderr.split())
