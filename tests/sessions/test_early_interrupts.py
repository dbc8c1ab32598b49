"""An interrupt that comes before the cell it is meant for has begun."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from octavo.app.context import Context
from octavo.kernels.fake import FakeEngine, result
from octavo.sessions.files.workplace import Workplace
from octavo.sessions.hosts.asked import Asked
from octavo.sessions.hosts.beginning import planned_for, recorded, run_request
from octavo.sessions.requests import StartRequest


class SlowFolder(Workplace):
    """A working directory with so much in it that it takes a while to look at."""

    def __init__(self, root: str, kept: Path) -> None:
        super().__init__(root, kept)
        self.looking = asyncio.Event()
        self.looked = asyncio.Event()

    async def begin(self) -> None:
        self.looking.set()
        await self.looked.wait()
        await super().begin()


@pytest.mark.parametrize("scratch", [False, True])
@pytest.mark.parametrize("op", ["interrupt", "cancel"])
def test_what_is_interrupted_while_the_folder_is_looked_at_is_not_executed(
    tmp_path: Path, op: str, scratch: bool
) -> None:
    asyncio.run(_interrupted(tmp_path, op, scratch))


async def _interrupted(root: Path, op: str, scratch: bool) -> None:
    context = Context(cwd=str(root), environ=dict(os.environ))
    request = StartRequest()
    asked = run_request(request)
    planned = planned_for(request, asked, context)
    live = recorded(request, asked, planned, FakeEngine({"1": [result("1")]}), context)
    await live.restart()
    live.workplace = folder = SlowFolder(str(root), live.recording.path / "folder")
    session = Asked(live, _nothing)
    given = {"code": "1", "scratch": scratch}
    executing = asyncio.ensure_future(session.answer("exec", given, _nobody))
    await folder.looking.wait()
    (job,) = (await session.answer("jobs", {}, _nobody))["jobs"]
    await session.answer(op, {"cell": job["job"].rpartition(".")[2]}, _nobody)
    folder.looked.set()
    answer = await executing
    assert (answer["status"], answer["outputs"]) == ("interrupted", [])
    again = await session.answer("job", {"cell": answer["job"].rpartition(".")[2]}, _nobody)
    assert again["status"] == "interrupted"
    after = await session.answer("exec", {"code": "1"}, _nobody)
    assert (after["status"], len(after["outputs"])) == ("succeeded", 1)
    await live.end(None, "over")


async def _nothing(message: str) -> None:
    pass


def _nobody(event: dict[str, Any]) -> None:
    pass
