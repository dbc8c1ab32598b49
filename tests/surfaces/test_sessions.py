"""`octavo.Session`: a live session from Python."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo.sessions.values import Edited, Executed
from sessions.live_projects import NOTEBOOK, Live, live_in

pytestmark = pytest.mark.kernel


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    with live_in(tmp_path) as made:
        for name in ("OCTAVO_NO_RESIDENT", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"):
            monkeypatch.setenv(name, made.variables[name])
        monkeypatch.chdir(made.root)
        yield made


def test_a_session_from_its_start_to_its_end(live: Live) -> None:
    live.write(NOTEBOOK)
    session = octavo.Session.start("nb.py", {"n": 4})
    assert [each.status for each in session.run_all().executed][-1] == "succeeded"
    events: list[dict[str, Any]] = []
    answer = session.exec("print(total)", on_event=events.append)
    assert (answer.status, answer.outputs[0]["text"]) == ("succeeded", "6")
    assert "stream" in [event["type"] for event in events]
    assert isinstance(session.edit(4, "total = 7"), Edited)
    with pytest.raises(octavo.UsageError, match="markdown"):
        session.edit("c4", "total = 8", run=True)
    assert "sum" in session.cells[3].first_line
    edited = session.edit("c5", "total = 8", run=True)
    assert isinstance(edited, Executed) and edited.status == "succeeded"
    other = session.branch()
    assert other.exec("total").outputs[0]["text"] == "8"
    assert session.rewind(2).position == 2
    assert session.cells[2].status == "stale"
    other.stop()
    session.close()
    again = octavo.Session.attach(session.id[-8:])
    assert again.info.id == session.id
    again.stop()
    with octavo.Session.restore(session.id) as restored:
        assert restored.info.parent == session.id
        assert restored.exec("n").outputs[0]["text"] == "4"


def test_within_another_event_loop(live: Live) -> None:
    async def work() -> str:
        session = octavo.Session.start()
        return str(session.exec("6 * 7").outputs[0]["text"])

    assert asyncio.run(work()) == "42"


def test_what_cannot_be_is_raised(live: Live) -> None:
    with pytest.raises(octavo.UsageError) as missing:
        octavo.Session.start("missing.py")
    assert missing.value.kind == "notebook-not-found"
    with pytest.raises(octavo.UsageError) as unknown:
        octavo.Session.attach("00000000")
    assert unknown.value.kind == "session-not-found"
