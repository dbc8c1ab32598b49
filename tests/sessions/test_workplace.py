"""What a session remembers of its working directory, and who waits for that."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

from octavo.sessions.files.listing import Folder, Listing
from octavo.sessions.files.workplace import BEGINNING, Workplace


class Endless(Folder):
    """A folder with so many files that looking at them never ends."""

    def note_unless(self, given_up: Callable[[], bool]) -> Listing | None:
        while not given_up():
            os.sched_yield()
        return None


def test_nobody_waits_for_a_look_that_does_not_end(tmp_path: Path) -> None:
    asyncio.run(_given_up(tmp_path))


async def _given_up(root: Path) -> None:
    workplace = _workplace(root)
    workplace.note(BEGINNING)
    await workplace.noted(10.0)
    assert not workplace.is_missing(BEGINNING)
    await workplace._settled()
    quick = workplace._folder
    workplace._folder = Endless(root / "work", root / "kept")
    workplace.note(1)
    assert not workplace.at_rest
    await workplace.noted(0.0)
    assert workplace.at_rest
    assert workplace.is_missing(1)
    assert await workplace.since(1, restore=True) == ()
    workplace._folder = quick
    (root / "work" / "new").write_text("")
    (change,) = await workplace.since(BEGINNING, restore=False)
    assert (change.path, change.change) == ("new", "created")
    await workplace.end()


def test_a_snapshot_that_was_dropped_while_the_folder_was_looked_at_leaves_nothing(
    tmp_path: Path,
) -> None:
    asyncio.run(_dropped(tmp_path))


async def _dropped(root: Path) -> None:
    workplace = _workplace(root)
    workplace.note(1)
    workplace.drop(1)
    await workplace.noted(10.0)
    assert not workplace.is_missing(1)
    assert await workplace.since(1, restore=False) == ()
    await workplace.end()


def test_what_was_brought_back_is_nobody_elses_and_can_be_taken_away_again(tmp_path: Path) -> None:
    asyncio.run(_back_and_forth(tmp_path))


async def _back_and_forth(root: Path) -> None:
    workplace = _workplace(root)
    workplace.note(1)
    await workplace.noted(10.0)
    await workplace._settled()
    begun = time.time()
    (root / "work" / "old").unlink()
    (root / "work" / "new").write_text("new")
    workplace.during.append((begun, time.time()))
    workplace.note(2)
    await workplace.noted(10.0)
    for number, there in ((1, ["old"]), (2, ["new"]), (1, ["old"])):
        changes = await workplace.since(number, restore=True)
        assert all(each.restored for each in changes) and len(changes) == 2
        assert os.listdir(root / "work") == there
    await workplace.end()


def _workplace(root: Path) -> Workplace:
    (root / "work").mkdir()
    (root / "work" / "old").write_text("old")
    return Workplace(str(root / "work"), root / "kept")
