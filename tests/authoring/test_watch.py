"""`octavo sync --watch`: follows changes until it is asked to stop."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from octavo.authoring.sync import SyncedFile, SyncRequest, SyncResult, sync
from octavo.runs.stopping import Stop

WAIT = 60


class Settings:
    notebooks: tuple[str, ...] = ("notebooks",)


class Watched:
    """A project that is being watched. `next` waits for the next outcome."""

    def __init__(self, root: Path) -> None:
        self.project = root
        self.cwd = str(root)
        self.settings = Settings()
        self.stop = Stop()
        self.outcomes: asyncio.Queue[SyncedFile] = asyncio.Queue()
        self.emit: Callable[[Any], None] = self.outcomes.put_nowait

    async def next(self) -> SyncedFile:
        return await asyncio.wait_for(self.outcomes.get(), WAIT)


async def scenario(root: Path) -> tuple[list[str], SyncResult]:
    script, notebook = root / "nb.py", root / "nb.ipynb"
    script.write_text("# %%\nx = 1\n\n# %%\ny = 1\n")
    watched = Watched(root)
    task = asyncio.ensure_future(sync(SyncRequest((".",), watch=True), watched))
    seen = [await watched.next()]
    script.write_text("# %%\nx = 22\n\n# %%\ny = 1\n")
    seen.append(await watched.next())
    notebook.write_text(notebook.read_text().replace("y = 1", "y = 333"))
    seen.append(await watched.next())
    (root / "more.py").write_text("# %%\n1\n")
    seen.append(await watched.next())
    notebook.write_text("{ not json")
    seen.append(await watched.next())
    watched.stop.request("enough")
    result = await asyncio.wait_for(task, WAIT)
    assert "y = 333" in script.read_text()
    return [outcome.status for outcome in seen], result


EXPECTED = ["generated", "regenerated", "taken-back", "generated", "problem"]


def test_changes_on_both_sides_are_followed(tmp_path: Path) -> None:
    statuses, result = asyncio.run(scenario(tmp_path))
    assert statuses == EXPECTED
    assert {file.script for file in result.files} == {"nb.py", "more.py"}


def test_it_works_without_watchfiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    monkeypatch.setattr("octavo.authoring.watch._POLL_SECONDS", 0.01)
    statuses, _ = asyncio.run(scenario(tmp_path))
    assert statuses == EXPECTED
