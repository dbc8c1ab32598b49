"""Odd runs, odd repositories and hostile branches get an error with a hint, or are passed over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from archive.desks import archived, made_run, start
from archive.test_indexes import FOLDER, edited, page
from octavo.archive import entries
from octavo.archive.layout import folder_of, place_of, split
from octavo.archive.operation import ArchiveRequest, archive
from octavo.errors import OctavoError
from octavo.git.objects import write_blob
from octavo.git.program import Git
from octavo.git.trees import Tree
from octavo.records.output_hashes import outputs_hash
from octavo.runs.looking.listing import RunsRequest, runs
from proposals.desks import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return start(tmp_path)


def refused(desk: Desk, *names: str, **asked: Any) -> OctavoError:
    with pytest.raises(OctavoError) as caught:
        archived(desk, *names, **asked)
    assert caught.value.hint
    return caught.value


def test_outside_of_a_repository(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    desk = Desk(tmp_path / "plain")
    with pytest.raises(OctavoError) as caught:
        desk.do(archive, ArchiveRequest())
    assert caught.value.kind == "not-a-repository"


def test_a_run_that_is_damaged(desk: Desk) -> None:
    run_id = made_run(desk)
    folder = next(desk.folder.glob(f".octavo/runs/*/{run_id}"))
    (folder / "notebook.ipynb").write_text("{ half of it")
    assert refused(desk, run_id).kind == "record-invalid"
    assert desk.git("branch", "--list", "reports") == ""


def test_a_branch_that_cannot_be(desk: Desk) -> None:
    run_id = made_run(desk)
    assert refused(desk, run_id, branch="a..b").kind == "wrong-argument"
    desk.git("branch", "reports/old")
    assert refused(desk, run_id).kind == "branch-exists"


@pytest.mark.parametrize(
    "change",
    [
        {"status": "splendid"},
        {"reason": {"a": 1}},
        {"figures": ["../../../../etc/passwd"]},
        {"figures": ['x" onerror="alert(1)']},
        {"scraps": [1]},
        {"started": "yesterday"},
        {"duration_seconds": "long"},
        {"duration_seconds": float("inf")},
        {"duration_seconds": float("nan")},
        {"cells_executed": 10**400},
        {"cells": [[1]]},
        {"notebook": None},
        {"commit": 7},
    ],
)
def test_an_entry_of_nonsense(desk: Desk, change: dict[str, Any]) -> None:
    run_id = made_run(desk, scraps={"score": 1})
    [entry] = archived(desk, run_id).entries
    plain = json.loads(page(desk, f"{entry.place}/entry.json"))
    with edited(desk) as tree:
        nonsense = json.dumps({**plain, **change}).encode()
        tree.put(f"{entry.place}/entry.json", write_blob(tree.git, nonsense))
        tree.remove(f"{FOLDER}/index.json")
    [row] = desk.do(runs, RunsRequest(archived=True)).runs
    assert (row.run_id, row.scraps) == (run_id, {"score": 1})
    archived(desk, made_run(desk))
    assert "onerror" not in page(desk)


def test_a_record_and_an_entry_of_nonsense(desk: Desk) -> None:
    run_id = made_run(desk)
    [entry] = archived(desk, run_id).entries
    plain = json.loads(page(desk, f"{entry.place}/record.json"))
    with edited(desk) as tree:
        nonsense = json.dumps({**plain, "duration_seconds": float("inf")}).encode()
        tree.put(f"{entry.place}/record.json", write_blob(tree.git, nonsense))
        tree.put(f"{entry.place}/entry.json", write_blob(tree.git, b"{}"))
        tree.remove(f"{FOLDER}/index.json")
    archived(desk, made_run(desk))
    assert [row.status for row in desk.do(runs, RunsRequest(archived=True)).runs] == [
        "success",
        "unreadable",
    ]


def test_a_scrap_that_looks_like_the_description_of_one(desk: Desk) -> None:
    told = {"encoder": "pandas", "bytes": 10**400, "rows": 1, "columns": []}
    [entry] = archived(desk, made_run(desk, scraps={"odd": told})).entries
    assert "odd" in page(desk, f"{entry.place}/README.md")


@pytest.mark.parametrize("path", ["reports/mine.txt", "reports"])
def test_a_folder_or_file_of_the_same_name_is_somebodys_own(desk: Desk, path: str) -> None:
    tree = Tree(Git(str(desk.folder), desk.environ), None)
    for name in (path, "README.md"):
        tree.put(name, write_blob(tree.git, b"mine"))
    commit = tree.git.text("commit-tree", "-m", "mine", tree.write())
    desk.git("branch", "reports", commit)
    assert refused(desk, made_run(desk)).kind == "branch-exists"
    assert page(desk, "README.md") == "mine"


def test_runs_from_elsewhere_have_a_place(desk: Desk) -> None:
    for path in ("/somewhere/else/report.py", "https://example.org/a/report.ipynb", "-"):
        run_id = made_run(desk)
        record = next(desk.folder.glob(f".octavo/runs/*/{run_id}/record.json"))
        plain = json.loads(record.read_text())
        plain["source"]["path"] = path
        record.write_text(json.dumps(plain))
        [entry] = archived(desk, run_id).entries
        assert entry.place.startswith("reports/elsewhere/")


_NAMES = st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=60)


@given(_NAMES)
@example("/")
def test_every_name_has_a_folder_that_git_takes(name: str) -> None:
    run_id = "01a1e367-7ef6-7a5e-853d-04ee9a3814a3"
    parts = folder_of(name).split("/")
    assert not {"", ".", "..", ".git"} & {part.lower() for part in parts}
    assert all(part.isprintable() for part in parts)
    found = split(place_of(name, run_id))
    assert found == (folder_of(name), "2026-11-16", run_id)
    assert folder_of(f"{'/'.join(parts[1:])}.py") == folder_of(name)


def test_names_that_links_break_at_have_folders_of_their_own() -> None:
    names = ["a b", "a_b", "a%b", "a?b", "a#b", "a|b", 'a"b', "a.", "a", "a" * 200, "a" * 201]
    folders = [folder_of(f"notebooks/{each}.py") for each in names]
    assert len(set(folders)) == len(names)
    assert not set(' %?#|"') & set("".join(folders))
    assert folder_of("notebooks/ümläut (2).py") != folder_of("notebooks/ümläut_(2).py")
    assert folder_of("notebooks/ümläut_(2).py") == "reports/notebooks/ümläut_(2)"


_TEXT = st.text(max_size=20)
_STREAM = st.builds(
    lambda name, text: {"output_type": "stream", "name": name, "text": text},
    st.sampled_from(["stdout", "stderr"]),
    _TEXT,
)


@given(st.lists(_STREAM, max_size=6))
def test_how_text_is_cut_makes_no_difference(outputs: list[dict[str, str]]) -> None:
    lines = [{**each, "text": each["text"].splitlines(keepends=True)} for each in outputs]
    assert outputs_hash(lines) == outputs_hash(outputs)
    halves = [
        {**each, "text": part} for each in outputs for part in (each["text"][:3], each["text"][3:])
    ]
    assert outputs_hash(halves) == outputs_hash(outputs)
    if outputs:
        more = [*outputs[:-1], {**outputs[-1], "text": outputs[-1]["text"] + "!"}]
        assert outputs_hash(more) != outputs_hash(outputs)


def test_an_entry_is_read_back_as_it_was(desk: Desk) -> None:
    [entry] = archived(desk, made_run(desk, scraps={"a": [1, None, "x"]})).entries
    assert entries.load(entries.dump(entry)) == entry
