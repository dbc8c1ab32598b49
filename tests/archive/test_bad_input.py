"""Odd runs, odd repositories and hostile branches get an error with a hint, or are passed over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive.desks import archived, made_run, start
from archive.test_indexes import FOLDER, edited, page
from octavo.archive import entries
from octavo.archive.layout import folder_of, place_of, split
from octavo.archive.operation import ArchiveRequest, archive
from octavo.errors import OctavoError
from octavo.git.objects import write_blob
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
def test_every_name_has_a_folder_that_git_takes(name: str) -> None:
    run_id = "01a1e367-7ef6-7a5e-853d-04ee9a3814a3"
    parts = folder_of(name).split("/")
    assert not {"", ".", "..", ".git"} & {part.lower() for part in parts}
    assert all(part.isprintable() for part in parts)
    found = split(place_of(name, run_id))
    assert found == (folder_of(name), "2026-11-16", run_id)


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
