"""A session that is brought back has what was written in it, executed or not."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.events.types import BoundCell
from octavo.sessions.client import Caller
from octavo.sessions.hosts.drafting import Draft, with_later
from sessions.live_projects import Live, info, is_gone, live_in, texts

NOTEBOOK = "# %%\na = 1\n\n# %%\nb = a + 1\n\n# %% [markdown]\n# text\n\n# %%\nc = b + 1\n"


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with live_in(tmp_path) as made:
        yield made


@pytest.mark.kernel
def test_edits_that_were_not_executed_come_back_after_a_kill(live: Live) -> None:
    live.write(NOTEBOOK)
    session = live.start("nb.py")
    session.call("run-cell", cell="1")
    session.call("edit", cell="3", source="c = b * 10")
    session.call("edit", cell="2", source="new words")
    session.call("edit", cell="0", source="zero = 0", insert="before")
    session.call("edit", cell="-1", source="d = c + 1", insert="after")
    before = _sources(session)
    again = _restored(live, session)
    assert _sources(again) == before
    assert before == ["zero = 0", "a = 1", "b = a + 1", "new words", "c = b * 10", "d = c + 1"]
    done = again.call("run-all")
    answer = again.call("exec", code="d")
    assert texts(answer) == "21", (done, answer)


@pytest.mark.kernel
def test_what_was_executed_after_an_edit_is_executed_again_and_deleted_cells_stay_away(
    live: Live,
) -> None:
    live.write(NOTEBOOK)
    session = live.start("nb.py")
    session.call("edit", cell="3", delete=True)
    session.call("run-all")
    session.call("exec", code="late = a + b")
    before = _sources(session)
    again = _restored(live, session)
    assert _sources(again) == before
    assert texts(again.call("exec", code="late")) == "3"
    twice = _restored(live, again)
    assert _sources(twice) == [*before[:3], "late", *before[3:]]


@pytest.mark.kernel
def test_a_session_that_was_to_have_no_snapshots_has_none_again(live: Live) -> None:
    session = live.start("--no-snapshots")
    session.call("exec", code="import time; time.sleep(0.1)")
    again = _restored(live, session)
    again.call("exec", code="import time; time.sleep(0.1)")
    again.call("exec", code="1")
    assert info(again).snapshots == 0
    answer = again.call("edit", cell=2, source="'other'", run=True)
    assert any("executed 2 cells again" in note for note in answer["notes"])


@pytest.mark.kernel
def test_an_edit_within_the_state_brings_back_the_state_before_it(live: Live) -> None:
    session = live.start()
    for code in ("x = 1", "y = x + 1", "z = y + 1"):
        session.call("exec", code=code)
    session.call("edit", cell="1", source="y = x + 100")
    again = _restored(live, session)
    assert info(again).position == 1
    assert _sources(again) == ["x = 1", "y = x + 100", "z = y + 1"]
    again.call("run-all")
    assert texts(again.call("exec", code="z")) == "102"


@pytest.mark.kernel
def test_a_session_that_ended_is_brought_back_by_its_name(live: Live) -> None:
    for value in (1, 2):
        session = live.start("--name", "work")
        session.call("exec", code=f"x = {value}")
        live.octavo("session", "stop", "work")
    assert "octavo session restore" in live.octavo("session", "exec", "work", "x", code=2).err
    told = live.octavo("session", "restore", "work").out
    assert "1 cell executed again" in told
    assert "run-all" not in told
    assert live.octavo("session", "exec", "work", "x").out.startswith("2\n")
    live.start("--name", "work")
    refused = live.octavo("session", "restore", "work", code=2)
    assert "'work' is the name of several" in refused.err


@pytest.mark.kernel
def test_secrets_are_not_kept_with_edits(live: Live) -> None:
    live.variables["API_TOKEN"] = "hunter2-hunter2"
    session = live.start("--env", "API_TOKEN")
    session.call("exec", code="1")
    session.call("edit", cell="0", source="key = 'hunter2-hunter2'")
    assert "hunter2" not in (live.record(session) / "document.json").read_text()


@given(
    written=st.lists(st.sampled_from("abcdef"), unique=True, max_size=6),
    executed=st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8),
)
def test_all_that_was_executed_is_before_the_position_and_nothing_is_lost(
    written: list[str], executed: list[str]
) -> None:
    draft = Draft(tuple((key, BoundCell("code", f"old {key}", key)) for key in written), 0, 0)
    line = [(key, BoundCell("code", f"new {key}", key)) for key in executed]
    later = with_later(draft, line)
    keys = [key for key, _ in later.cells]
    assert sorted(keys) == sorted({*written, *executed})
    assert {*executed} <= {*keys[: later.position]}
    assert [key for key in keys if key in written] == written
    assert all(cell.source == f"new {key}" for key, cell in later.cells if key in executed)


def _restored(live: Live, session: Caller) -> Caller:
    pid = int(session.place.note["pid"])
    os.kill(pid, signal.SIGKILL)
    assert is_gone(pid)
    told: dict[str, Any] = live.octavo("session", "restore", session.place.short, "--json").json
    return Caller.open(live.runtime, told["id"])


def _sources(session: Caller) -> list[str]:
    return [each["source"] for each in session.call("document")["cells"]]
