"""What a session remembers of its working directory, and who waits for that."""

from __future__ import annotations

import asyncio
import os
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


def _workplace(root: Path) -> Workplace:
    (root / "work").mkdir()
    (root / "work" / "old").write_text("old")
    return Workplace(str(root / "work"), root / "kept")
