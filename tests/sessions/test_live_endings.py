"""How live sessions end, and that nothing is left of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from octavo.errors import OctavoError
from octavo.sessions.client import Caller
from sessions.live_projects import Live, info, is_gone, live_in, texts, until_snapshot

pytestmark = pytest.mark.kernel


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with live_in(tmp_path) as made:
        yield made


def test_a_kernel_that_died_is_said_and_can_be_restarted(live: Live) -> None:
    session = live.start()
    session.call("exec", code="x = 1")
    died = session.call("exec", code="import os; os._exit(3)")
    assert died["status"] == "kernel-died"
    assert "state is lost" in died["next"]
    with pytest.raises(OctavoError, match="state is lost") as refused:
        session.call("exec", code="x")
    assert refused.value.kind == "kernel-died"
    assert "session restart" in refused.value.hint
    assert session.call("restart")["done"] == "restarted"
    assert session.call("exec", code="2 + 2")["status"] == "succeeded"
    assert any(event["type"] == "kernel-died" for event in live.events(session))


def test_a_kernel_that_dies_while_nothing_is_executed(live: Live) -> None:
    session = live.start("--no-snapshots")
    session.call("exec", code="x = 1")
    kernel = info(session).kernel_pid
    assert kernel is not None
    os.kill(kernel, 9)
    while not info(session).notes:
        pass
    assert "died" in info(session).notes[0]
    with pytest.raises(OctavoError, match="state is lost"):
        session.call("exec", code="x")
    answer = session.call("run-all")
    assert [each["cell"]["first_line"] for each in answer["executed"]] == ["x = 1"]
    assert texts(session.call("exec", code="x")) == "1"


def test_the_lease_ends_a_session_that_nobody_calls(live: Live) -> None:
    session = live.start("--lease", "4s")
    session.call("exec", code="kept = [1, 2]")
    pid = info(session).pid
    assert is_gone(pid)
    record = json.loads((live.record(session) / "record.json").read_text())
    assert record["message"] == "the lease ended"
    rows = live.octavo("session", "list", "--all", "--json").json["sessions"]
    assert [row["state"] for row in rows] == ["culled"]
    back = live.octavo("session", "restore", session.place.short, "--json").json
    assert "1 cell executed again" in back["notes"][0]
    restored = Caller.open(live.runtime, back["id"])
    assert texts(restored.call("exec", code="kept")) == "[1, 2]"


def test_a_busy_session_is_not_culled(live: Live) -> None:
    os.mkfifo(live.root / "gate")
    session = live.start("--lease", "2s")
    answer = session.call("exec", code="open('gate').read()", wait=3)
    assert answer["status"] == "running"
    (live.root / "gate").write_text("go on")
    assert session.call("job", cell=0, wait=60)["status"] == "succeeded"


def test_a_list_does_not_renew_a_lease(live: Live) -> None:
    session = live.start()
    before = session.call("exec", code="1")["lease_ends"]
    assert info(session).lease_ends == before
    assert session.call("show")["lease_ends"] > before


def test_a_killed_host_leaves_a_true_record_and_no_process(live: Live) -> None:
    session = live.start()
    session.call("exec", code="x = 5")
    until_snapshot(session)
    known = info(session)
    os.kill(known.pid, 9)
    assert is_gone(known.pid)
    assert known.kernel_pid is not None and is_gone(known.kernel_pid)
    listed = live.octavo("session", "list", "--json").json["sessions"]
    assert [each["state"] for each in listed] == ["dead"]
    refused = live.octavo("session", "exec", session.place.short, "1", "--json", code=2)
    assert refused.json["error"]["kind"] == "session-dead"
    back = live.octavo("session", "restore", session.place.short, "--json").json
    record = json.loads((live.record(session) / "record.json").read_text())
    assert (record["reason"], record["cells_executed"]) == ("runner-died", 1)
    restored = Caller.open(live.runtime, back["id"])
    assert texts(restored.call("exec", code="x")) == "5"


def test_nothing_is_left_when_a_session_stops(live: Live) -> None:
    session = live.start()
    session.call("exec", code="import subprocess as s; p = s.Popen(['sleep', '1000']); p.pid")
    answer = session.call("exec", code="print(p.pid)")
    child = int(texts(answer))
    until_snapshot(session)
    known = info(session)
    session.call("stop")
    assert all(map(is_gone, (child, known.pid, known.kernel_pid or 0)))
    assert os.listdir(os.path.join(live.runtime, "sessions")) == []
