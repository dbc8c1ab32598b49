"""Files as part of a state: what changed since, and how it is brought back."""

from __future__ import annotations

import os
import time
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.sessions.files import copies as file_copies
from octavo.sessions.files.listing import Change, Folder, Listing


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def folder_for(work: Path, **options: int) -> Folder:
    return Folder(work, work.parent / "kept", **options)


def noted(folder: Folder) -> Listing:
    listing = folder.note()
    folder.keep(listing)
    return listing


def told(changes: tuple[Change, ...]) -> list[tuple[str, str, bool]]:
    return [(each.path, each.change, each.restored) for each in changes]


def test_what_was_created_changed_and_deleted_is_told_and_brought_back(work: Path) -> None:
    (work / "data").mkdir()
    (work / "data" / "old.csv").write_text("1\n")
    (work / "report.txt").write_text("before")
    (work / "report.txt").chmod(0o640)
    folder = folder_for(work)
    before = noted(folder)
    (work / "data" / "old.csv").unlink()
    (work / "data").rmdir()
    (work / "report.txt").write_text("after, and longer")
    (work / "new" / "deep").mkdir(parents=True)
    (work / "new" / "deep" / "model.bin").write_bytes(b"x" * 100)

    assert told(folder.changes(before, folder.note())) == [
        ("data/old.csv", "deleted", False),
        ("new/deep/model.bin", "created", False),
        ("report.txt", "changed", False),
    ]
    assert all(each.restored for each in folder.restore(before))
    assert (work / "data" / "old.csv").read_text() == "1\n"
    assert (work / "report.txt").read_text() == "before"
    assert (work / "report.txt").stat().st_mode & 0o777 == 0o640
    assert not (work / "new").exists()
    assert folder.changes(before, folder.note()) == ()


def test_a_file_that_became_a_folder_and_the_other_way_round_come_back(work: Path) -> None:
    (work / "one").write_text("file")
    (work / "two").mkdir()
    (work / "two" / "inner").write_text("inner")
    folder = folder_for(work)
    before = noted(folder)
    (work / "one").unlink()
    (work / "one").mkdir()
    (work / "one" / "inner").write_text("new")
    (work / "two" / "inner").unlink()
    (work / "two").rmdir()
    (work / "two").write_text("new")

    assert all(each.restored for each in folder.restore(before))
    assert (work / "one").read_text() == "file"
    assert (work / "two" / "inner").read_text() == "inner"
    kept = work.parent / "kept-replaced"
    assert (kept / "one" / "inner").read_text() == "new"
    assert (kept / "two").read_text() == "new"


def test_permissions_are_part_of_a_file(work: Path) -> None:
    (work / "secret").write_text("x")
    (work / "secret").chmod(0o600)
    folder = folder_for(work)
    before = noted(folder)
    (work / "secret").chmod(0o644)
    assert told(folder.restore(before)) == [("secret", "changed", True)]
    assert (work / "secret").stat().st_mode & 0o777 == 0o600
    assert folder.changes(before, folder.note()) == ()


def test_nothing_that_was_replaced_is_lost_where_its_place_is_taken(work: Path) -> None:
    folder = folder_for(work)
    before = noted(folder)
    for content in ("first", "second"):
        (work / "a").write_text(content)
        folder.restore(before)
    (work / "a").mkdir()
    (work / "a" / "b").write_text("third")
    folder.restore(before)
    kept = [each for each in (work.parent / "kept-replaced").rglob("*") if each.is_file()]
    assert sorted(each.read_text() for each in kept) == ["first", "second", "third"]


def test_going_back_and_forth_brings_back_either_state(work: Path) -> None:
    folder = folder_for(work)
    (work / "a").write_text("one")
    one = noted(folder)
    (work / "a").write_text("two!")
    (work / "b").write_text("b")
    two = noted(folder)

    folder.restore(one)
    assert (work / "a").read_text() == "one"
    assert not (work / "b").exists()
    folder.restore(two)
    assert (work / "a").read_text() == "two!"
    assert (work / "b").read_text() == "b"
    assert folder.changes(two, folder.note()) == ()


def test_what_somebody_else_changed_meanwhile_is_left_and_told(work: Path) -> None:
    (work / "cells").write_text("before")
    (work / "person").write_text("before")
    folder = folder_for(work)
    before = noted(folder)
    (work / "cells").write_text("by a cell")
    (work / "person").write_text("by a person")
    moment = (work / "cells").stat().st_ctime
    # The person wrote at another time than any cell was executed.
    outside = (time.time() + 100, time.time() + 200)

    (change, other) = folder.restore(before, during=(outside,))
    assert not change.restored
    assert not other.restored
    assert "somebody else" in other.why
    folder.restore(before, during=((moment - 1, moment + 1),))
    assert (work / "cells").read_text() == "before"


def test_links_are_put_back_as_links_and_never_followed(work: Path) -> None:
    outside = work.parent / "outside"
    outside.mkdir()
    (outside / "precious").write_text("precious")
    (work / "link").symlink_to("target")
    (work / "inner").mkdir()
    (work / "inner" / "file").write_text("mine")
    folder = folder_for(work)
    before = noted(folder)
    (work / "link").unlink()
    (work / "inner" / "file").unlink()
    (work / "inner").rmdir()
    (work / "inner").symlink_to(outside)

    # The link is somebody else's, so it stays, and nothing is written through it.
    changes = folder.restore(before, during=((0.0, 1.0),))

    assert os.readlink(work / "link") == "target"
    assert sorted(each.name for each in outside.iterdir()) == ["precious"]
    inner = next(each for each in changes if each.path == "inner/file")
    assert not inner.restored
    assert "link" in inner.why
    folder.restore(before)
    assert (work / "inner" / "file").read_text() == "mine"
    assert sorted(each.name for each in outside.iterdir()) == ["precious"]


def test_what_was_too_large_to_be_kept_is_named_and_nothing_is_lost(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_copies, "_cloned", lambda source, copy: False)
    monkeypatch.setattr(file_copies, "LARGEST", 10)
    (work / "large").write_bytes(b"x" * 11)
    (work / "small").write_bytes(b"y")
    folder = folder_for(work)
    before = folder.note()
    assert folder.keep(before) == ("large",)
    (work / "large").write_bytes(b"z" * 12)
    (work / "small").write_bytes(b"w" * 13)

    found = {each.path: each for each in folder.restore(before)}

    assert "too large" in found["large"].why
    assert (work / "large").read_bytes() == b"z" * 12
    # What took the place of the small one could not be kept.
    assert "would be lost" in found["small"].why
    assert (work / "small").read_bytes() == b"w" * 13


def test_folders_that_tools_make_are_passed_over(work: Path) -> None:
    for name in (".git", "node_modules", "__pycache__", ".octavo"):
        (work / name).mkdir()
        (work / name / "file").write_text("x")
    (work / "env").mkdir()
    (work / "env" / "pyvenv.cfg").write_text("")
    (work / "env" / "python").write_text("")
    os.mkfifo(work / "pipe")
    (work / "seen").write_text("")

    assert sorted(folder_for(work).note().files) == ["seen"]


def test_where_there_are_too_many_files_that_is_told_and_nothing_is_taken_for_new(
    work: Path,
) -> None:
    for number in range(6):
        (work / f"{number}").write_text("x")
    folder = folder_for(work, most=4)
    before = noted(folder)
    assert not before.complete

    (work / "9").write_text("new")
    assert folder.changes(before, folder.note()) == ()
    assert folder.restore(before) == ()
    assert (work / "9").exists()


def test_a_folder_that_is_gone_is_empty_and_copies_can_be_given_up(work: Path) -> None:
    (work / "a").write_text("a")
    folder = folder_for(work)
    before = noted(folder)
    folder.forget()
    assert not (work.parent / "kept").exists()
    (work / "a").write_text("other")
    (change,) = folder.restore(before)
    assert not change.restored
    (work / "a").unlink()
    work.rmdir()
    assert folder.note().files == {}
    assert not folder.restore(before)[0].restored


def test_names_that_are_no_text_do_not_break_the_answer(work: Path) -> None:
    folder = folder_for(work)
    before = noted(folder)
    Path(os.fsdecode(os.fsencode(work) + b"/\xff\n")).write_text("x")

    (change,) = folder.changes(before, folder.note())

    assert str(change.to_json()["path"]).encode() == "\ufffd\n".encode()
    assert folder.restore(before)[0].restored


def test_copies_of_states_that_were_given_up_make_room_for_others(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_copies, "_cloned", lambda source, copy: False)
    monkeypatch.setattr(file_copies, "TOTAL", 25)
    folder = folder_for(work)
    listings = []
    for number in range(1, 5):
        (work / "a").write_bytes(b"x" * 5 * number)
        listings.append(folder.note())
        folder.retain(listings[-1:])
        assert folder.keep(listings[-1]) == ()
    assert len(list((work.parent / "kept").iterdir())) == 1

    (change,) = folder.restore(listings[0])
    assert not change.restored
    assert (work / "a").read_bytes() == b"x" * 20


_TICKS = count(1)


def test_what_was_replaced_or_taken_away_is_there_when_the_copies_are_given_up(work: Path) -> None:
    (work / "a").write_text("before")
    folder = folder_for(work)
    before = noted(folder)
    (work / "a").write_text("after, by somebody")
    (work / "new").mkdir()
    (work / "new" / "b").write_text("precious")
    folder.restore(before)

    folder.forget()

    kept = work.parent / "kept-replaced"
    assert (kept / "a").read_text() == "after, by somebody"
    assert (kept / "new" / "b").read_text() == "precious"
    assert not (work.parent / "kept").exists()


NAMES = st.sampled_from(["a", "b", "d/c", "d/e/f", "g/h"])
STATES = st.dictionaries(NAMES, st.binary(max_size=20), max_size=5)


@given(states=st.lists(STATES, min_size=2, max_size=4), to=st.integers(0, 3))
@settings(max_examples=30, deadline=None)
def test_any_state_that_was_noted_can_be_brought_back(
    tmp_path_factory: pytest.TempPathFactory, states: list[dict[str, bytes]], to: int
) -> None:
    work = tmp_path_factory.mktemp("law") / "work"
    work.mkdir()
    folder = folder_for(work)
    listings = []
    for state in states:
        _become(work, state)
        listings.append(noted(folder))
    for at in (to % len(states), len(states) - 1, 0):
        assert all(each.restored for each in folder.restore(listings[at]))
        found = {p: (work / p).read_bytes() for p in folder.note().files}
        assert found == states[at]


def _become(work: Path, state: dict[str, bytes], ticks: count[int] = _TICKS) -> None:
    for path in Folder(work, work.parent / "unused").note().files:
        if path not in state:
            (work / path).unlink()
    for path, content in state.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_bytes(content)
        # Two writes may fall into one tick of the file system's clock.
        os.utime(work / path, ns=(moment := 10**18 + next(ticks), moment))


def test_copying_ends_when_nobody_wants_it_any_more(work: Path) -> None:
    for name in "abc":
        (work / name).write_text(name)
    folder, asked = folder_for(work), count()
    assert folder.keep(folder.note(), lambda: next(asked) > 0) == ("b", "c")


def test_room_that_copies_took_is_counted_once_and_given_back(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_copies, "TOTAL", 100)
    monkeypatch.setattr(file_copies, "_cloned", lambda source, copy: False)
    folder = folder_for(work)
    for turn in range(5):
        (work / "a").write_text("x" * (60 + turn))
        listing = folder.note()
        assert folder.keep(listing) == ()
        assert folder.keep(listing) == ()
        (work / "b").write_text("y" * 60)
        assert folder.keep(folder.note()) == ("b",)
        (work / "b").unlink()
        folder.retain([])
