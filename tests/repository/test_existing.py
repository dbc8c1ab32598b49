"""Other tools for notebooks are recognized: kept, or replaced and brought back, as asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_repositories import git, repository
from octavo.repository.attributes import replace_settings, restore_settings, settings_in
from repository.setting_up import contents, environ, octavo

NBSTRIPOUT = "*.ipynb filter=nbstripout\n*.ipynb diff=ipynb\n"
NBDIME = "*.ipynb diff=jupyternotebook\n\n*.ipynb merge=jupyternotebook\n"


def attribute(top: Path, name: str, of: str = "a.ipynb", home: Path | None = None) -> str:
    env = environ(home or top.parent / "home")
    return git(top, "check-attr", name, "--", of, environ=env).rpartition(": ")[2]


@pytest.mark.parametrize("place", [".gitattributes", ".git/info/attributes", "notebooks"])
def test_nbstripout_is_kept_and_told(tmp_path: Path, place: str) -> None:
    top = repository(tmp_path / "project").top
    path = top / place if "." in place else top / place / ".gitattributes"
    path.parent.mkdir(exist_ok=True)
    path.write_text(NBSTRIPOUT)
    answer = octavo(top, "init")
    assert "nbstripout is kept (filter); `octavo init --replace`" in answer.out
    assert path.read_text().startswith(NBSTRIPOUT)
    assert attribute(top, "filter", "notebooks/a.ipynb") == "nbstripout"
    assert attribute(top, "diff", "notebooks/a.ipynb") == "ipynb"
    assert attribute(top, "merge", "notebooks/a.ipynb") == "octavo"
    assert "!filter" not in (top / ".gitattributes").read_text()
    assert octavo(top, "init", "--json").json["changes"] == []


@pytest.mark.parametrize("place", [".gitattributes", ".git/info/attributes", "notebooks"])
def test_what_is_replaced_comes_back(tmp_path: Path, place: str) -> None:
    top = repository(tmp_path / "project").top
    path = top / place if "." in place else top / place / ".gitattributes"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"*.csv text\n{NBSTRIPOUT}*.ipynb text eol=lf merge=union\nend text")
    before = contents(top)
    answer = octavo(top, "init", "--replace")
    assert "nbstripout replaced" in answer.out
    for name in ("filter", "diff", "merge"):
        assert attribute(top, name, "notebooks/a.ipynb") == "octavo"
    assert attribute(top, "eol", "notebooks/a.ipynb") == "lf"
    assert octavo(top, "init").out == "everything is set up\n"
    assert octavo(top, "init", "--undo").code == 0
    assert contents(top) == before


def test_nbdime_keeps_diffs_and_merges_while_the_filter_is_ours(tmp_path: Path) -> None:
    top = repository(tmp_path / "project").top
    (top / ".gitattributes").write_text(NBDIME)
    answer = octavo(top, "init")
    assert answer.out.count("nbdime is kept") == 2
    assert attribute(top, "filter") == "octavo"
    assert attribute(top, "diff") == attribute(top, "merge") == "jupyternotebook"
    assert attribute(top, "merge", "notebooks/a.py") == "octavo"


def test_a_tool_that_is_set_up_for_all_repositories_is_kept_or_outdone(tmp_path: Path) -> None:
    top = repository(tmp_path / "project").top
    shared = tmp_path / "home" / "config" / "git" / "attributes"
    shared.parent.mkdir(parents=True)
    shared.write_text(NBSTRIPOUT)
    assert "nbstripout is kept" in octavo(top, "init").out
    assert attribute(top, "filter") == "nbstripout"
    assert octavo(top, "init", "--replace").code == 0
    assert attribute(top, "filter") == "octavo"
    assert shared.read_text() == NBSTRIPOUT
    assert octavo(top, "init").out == "everything is set up\n"


def test_what_one_person_has_does_not_change_what_all_share(tmp_path: Path) -> None:
    top = repository(tmp_path / "project").top
    assert octavo(top, "init").code == 0
    block = (top / ".gitattributes").read_text()
    (top / ".git" / "info" / "attributes").write_text(NBSTRIPOUT)
    assert "nbstripout is kept" in octavo(top, "init").out
    assert (top / ".gitattributes").read_text() == block


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("*.ipynb filter=lfs diff=lfs merge=lfs -text", {"filter", "diff", "merge"}),
        ("* filter=crypt", {"filter"}),
        ("notebooks/*.ipynb -diff", {"diff"}),
        ('"my notebooks/*.ipynb" filter=x', {"filter"}),
        ("*.ipynb binary", {"diff", "merge"}),
        ("*.ipynb -linguist-generated", {"linguist-generated"}),
        ("*.ipynb filter=octavo diff=octavo", set()),
        ("runs/*.ipynb !filter", set()),
        ("runs/*.ipynb filter=lfs", set()),
        ("# *.ipynb filter=lfs", set()),
        ("*.png filter=lfs", set()),
        ("* text=auto", set()),
        ("data/* filter=lfs", set()),
        ("[attr]notebook filter=x", set()),
        ("", set()),
    ],
)
def test_what_a_line_sets_for_notebooks(line: str, found: set[str]) -> None:
    settings = settings_in(f"{line}\n", "here")
    assert {each.name for each in settings if each.suffix == "ipynb"} == found
    for end in ("", "\n", "\r\n"):
        text = f"a text{end or chr(10)}{line}{end}"
        assert restore_settings(replace_settings(text)) == text
        if found:
            assert not settings_in(replace_settings(text), "here")


def test_for_all_repositories_of_a_user(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "config" / "git").mkdir(parents=True)
    (home / "config" / "git" / "config").write_text("[user]\n\tname = Ada\n")
    before = contents(home)
    answer = octavo(home, "init", "--global")
    assert answer.code == 0, answer.err
    assert "no hooks were installed" in answer.out
    top = repository(tmp_path / "project").top
    assert attribute(top, "filter") == "octavo"
    assert attribute(top, "filter", "runs/a.ipynb") == "unspecified"
    (top / "a.ipynb").write_text('{"cells": [{"outputs": [1]}]}\n')
    git(top, "add", "a.ipynb", environ=environ(home))
    stored = git(top, "cat-file", "blob", ":a.ipynb", environ=environ(home))
    assert stored == '{"cells": [{"outputs": []}]}'
    assert octavo(home, "init", "--global", "--json").json["changes"] == []
    assert octavo(home, "init", "--global", "--undo").code == 0
    assert contents(home) == before


def test_a_users_own_file_of_attributes_is_used(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "mine").write_text(f"*.png binary\n{NBSTRIPOUT}")
    git(tmp_path, "config", "--global", "core.attributesFile", "~/mine", environ=environ(home))
    before = contents(home)
    said = octavo(home, "init", "--global").out
    assert "nbstripout is kept (filter); `octavo init --global --replace` takes its place" in said
    assert not (home / "config" / "git" / "attributes").exists()
    assert octavo(home, "init", "--global", "--replace").code == 0
    top = repository(tmp_path / "project").top
    assert attribute(top, "filter") == "octavo"
    assert octavo(home, "init", "--global", "--undo").code == 0
    assert contents(home) == before
