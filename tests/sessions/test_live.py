"""Live sessions: state that stays, steps back, work that goes on."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from octavo.errors import OctavoError
from octavo.sessions.client import Caller
from sessions.live_projects import Live, info, is_gone, live_in, texts, until

pytestmark = pytest.mark.kernel


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with live_in(tmp_path) as made:
        yield made


def test_state_stays_between_calls_and_clients(live: Live) -> None:
    first = live.start()
    assert first.call("exec", code="x = 41")["status"] == "succeeded"
    second = live.again(first)
    answer = second.call("exec", code="x + 1")
    assert texts(answer) == "42"
    assert answer["lease_ends"] > 0
    assert answer["cell"]["status"] == "fresh"


def test_two_sessions_never_meet(live: Live) -> None:
    one, other = live.start(), live.start()
    one.call("exec", code="x = 'one'")
    assert other.call("exec", code="x")["error"]["name"] == "NameError"


def test_code_that_fails_is_a_result_with_a_next_step(live: Live) -> None:
    live.write("# %%\na = 1\n\n# %%\nb = a / 0\n")
    session = live.start("nb.py")
    answer = session.call("run-all")
    assert answer["status"] == "failed"
    error = answer["executed"][-1]["error"]
    assert (error["name"], error["message"]) == ("ZeroDivisionError", "division by zero")
    assert error["where"].endswith("nb.py:5")
    assert "session edit" in answer["next"]


def test_an_edit_leaves_no_hidden_state(live: Live) -> None:
    live.write()
    session = live.start("nb.py", "-p", "n", "5")
    assert texts(session.call("run-all")["executed"][-1]) == "total 10"
    edited = session.call("edit", cell="2", source="other = [1]", run=True)
    assert edited["status"] == "succeeded"
    answer = session.call("run-all")
    assert answer["status"] == "failed"
    assert answer["executed"][-1]["error"]["message"] == "name 'base' is not defined"


def test_going_back_by_a_snapshot_brings_back_what_cannot_be_pickled(live: Live) -> None:
    session = live.start()
    session.call("exec", code="import time; time.sleep(0.05); g = iter(range(9)); next(g)")
    session.call("exec", code="next(g), next(g)")
    until_snapshot(session)
    rewound = session.call("rewind", cell="1")
    assert rewound["how"] == "snapshot"
    assert texts(session.call("exec", code="next(g)")) == "1"


def test_without_snapshots_cells_are_executed_again(live: Live) -> None:
    session = live.start("--no-snapshots")
    session.call("exec", code="g = iter(range(9)); next(g)")
    session.call("exec", code="next(g), next(g)")
    rewound = session.call("rewind", cell="1")
    assert rewound["how"] == "executed-again"
    assert texts(session.call("exec", code="next(g)")) == "1"


def test_scratch_sees_the_state_and_leaves_no_trace(live: Live) -> None:
    session = live.start()
    session.call("exec", code="x = 1")
    scratch = session.call("exec", code="x += 1; y = x; x", scratch=True)
    assert (texts(scratch), scratch["cell"]) == ("2", None)
    answer = session.call("exec", code="print(x, 'y' in globals())")
    assert texts(answer) == "1 False"
    assert len(session.call("show")["cells"]) == 2


def test_scratch_in_a_kernel_that_cannot_be_copied_says_so(live: Live) -> None:
    session = live.start("--engine", "jupyter")
    session.call("exec", code="x = 1")
    scratch = session.call("exec", code="x = 2", scratch=True)
    assert any("kernel itself" in note for note in scratch["notes"])
    assert info(session).unproven
    assert texts(session.call("exec", code="x")) == "2"


def test_the_same_request_twice_is_executed_once(live: Live) -> None:
    session = live.start()
    code = "open('times', 'a').write('x'); 7"
    first = session.call("exec", code=code, request_id="r1")
    second = live.again(session).call("exec", code=code, request_id="r1")
    assert (first["job"], texts(first)) == (second["job"], texts(second))
    assert (live.root / "times").read_text() == "x"
    with pytest.raises(OctavoError, match="used for something else"):
        session.call("exec", code="8", request_id="r1")


def test_executions_queue_in_order_and_can_be_seen(live: Live) -> None:
    os.mkfifo(live.root / "gate")
    session = live.start()
    session.call("exec", code="seen = []; open('gate').read()", detach=True)
    until(session, "busy")
    for number in range(3):
        queued = session.call("exec", code=f"seen.append({number})", detach=True)
        assert queued["status"] == "queued"
    assert info(session).queue == 3
    assert len(session.call("jobs")["jobs"]) == 4
    (live.root / "gate").write_text("open")
    assert texts(session.call("exec", code="seen")) == "[0, 1, 2]"


def test_what_waits_can_be_cancelled(live: Live) -> None:
    os.mkfifo(live.root / "gate")
    session = live.start()
    session.call("exec", code="x = 0; open('gate').read()", detach=True)
    queued = session.call("exec", code="x = 1", detach=True)
    cell = int(queued["job"].partition(".")[2])
    assert session.call("cancel", cell=cell)["done"] == "cancelled"
    (live.root / "gate").write_text("open")
    assert texts(session.call("exec", code="x")) == "0"


def test_work_goes_on_after_the_wait_and_when_the_client_is_gone(live: Live) -> None:
    os.mkfifo(live.root / "gate")
    session = live.start()
    leaving = live.again(session)
    answer = leaving.call("exec", code="print('begun'); open('gate').read()", wait=0.2)
    assert (answer["status"], answer["job"]) == ("running", f"{session.place.short}.0")
    leaving.close()
    (live.root / "gate").write_text("from the test")
    done = session.call("job", cell=0, wait=60)
    assert done["status"] == "succeeded"
    assert "from the test" in texts(done)


def test_a_cell_that_never_ends_is_interrupted_by_its_timeout(live: Live) -> None:
    session = live.start()
    session.call("exec", code="x = 1")
    answer = session.call("exec", code="while True: pass", timeout=0.3)
    assert answer["status"] == "timed-out"
    assert texts(session.call("exec", code="x")) == "1"


def test_an_interrupt_ends_what_is_executed(live: Live) -> None:
    session = live.start()
    answers: list[dict[str, object]] = []
    other = live.again(session)
    worker = threading.Thread(
        target=lambda: answers.append(other.call("exec", code="while True: pass"))
    )
    worker.start()
    until(session, "busy")
    while not any(event["type"] == "cell-started" for event in live.events(session)):
        pass
    assert session.call("interrupt")["done"] == "interrupted"
    worker.join(60)
    assert answers[0]["status"] == "interrupted"
    assert session.call("interrupt")["done"] == "nothing"


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


def test_a_flood_of_output_is_cut_and_the_record_has_it_whole(live: Live) -> None:
    session = live.start()
    answer = session.call("exec", code="for i in range(200_000): print('line', i)", budget=300)
    assert len(json.dumps(answer)) < 4000
    item = answer["outputs"][0]
    assert item["text"].startswith("line 0") and item["text"].endswith("line 199999")
    assert item["omitted"] > 199_000
    session.call("stop")
    text = (live.record(session) / "notebook.ipynb").read_text()
    assert "line 100000" in text


def test_secrets_stay_out_of_answers_and_journal(live: Live) -> None:
    live.variables["API_TOKEN"] = "hunter2-hunter2"
    session = live.start("--env", "API_TOKEN")
    answer = session.call("exec", code="import os; print(os.environ['API_TOKEN'])")
    assert texts(answer) == "[redacted:API_TOKEN]"
    assert "hunter2" not in (live.record(session) / "events.jsonl").read_text()


def test_a_stale_edit_is_refused_and_changes_nothing(live: Live) -> None:
    session = live.start()
    handle = session.call("exec", code="x = 1")["cell"]["handle"]
    session.call("edit", cell="0", source="x = 2")
    with pytest.raises(OctavoError) as refused:
        session.call("edit", cell="0", source="x = 3", expect=handle)
    assert refused.value.kind == "stale"
    assert session.call("show")["cells"][0]["first_line"] == "x = 2"


def test_two_branches_go_on_side_by_side(live: Live) -> None:
    session = live.start()
    session.call("exec", code="import random; random.seed(1); words = ['a']")
    session.call("exec", code="words.append('b')")
    until_snapshot(session)
    made = session.call("branch", cell="1")
    branch = Caller.open(live.runtime, made["id"])
    branch.call("exec", code="words.append('c')")
    assert texts(branch.call("exec", code="words")) == "['a', 'c']"
    assert texts(session.call("exec", code="words")) == "['a', 'b']"
    here = session.call("branch")
    third = Caller.open(live.runtime, here["id"])
    same = [caller.call("exec", code="random.random()") for caller in (session, third)]
    assert texts(same[0]) == texts(same[1])
    session.call("stop")
    assert texts(branch.call("exec", code="len(words)")) == "2"
    listed = live.octavo("session", "list", "--json").json["sessions"]
    assert {each["id"] for each in listed} == {made["id"], here["id"]}


def test_the_record_has_every_execution(live: Live) -> None:
    live.write()
    session = live.start("nb.py")
    session.call("run-all")
    session.call("exec", code="total * 2", scratch=True)
    session.call("edit", cell="3", source="total = 7", run=True)
    session.call("stop")
    notebook = nbformat.read(live.record(session) / "notebook.ipynb", as_version=4)
    nbformat.validate(notebook)
    sources = [cell.source for cell in notebook.cells]
    assert sources[:4] == [
        "n: int = 3", "base = list(range(n))", "total = sum(base)", 'print("total", total)'
    ]  # fmt: skip
    assert "scratch" in notebook.cells[4].metadata.tags
    assert sources[-1] == "total = 7"
    record = json.loads((live.record(session) / "record.json").read_text())
    assert (record["status"], record["options"]["session"]) == ("success", True)


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


def until_snapshot(session: Caller) -> None:
    """Until the state has been copied, which happens while nobody waits."""
    while not info(session).snapshots and not info(session).notes:
        pass


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


def test_a_list_does_not_renew_a_lease(live: Live) -> None:
    session = live.start()
    before = session.call("exec", code="1")["lease_ends"]
    assert info(session).lease_ends == before
    assert session.call("show")["lease_ends"] > before


def test_who_waits_is_told_that_the_work_was_given_up(live: Live) -> None:
    os.mkfifo(live.root / "gate")
    session, other = live.start(), None
    session.call("exec", code="open('gate').read()", detach=True)
    other = live.again(session)
    answers: list[dict[str, object]] = []
    waiting = threading.Thread(target=lambda: answers.append(other.call("exec", code="x = 1")))
    waiting.start()
    while not info(session).queue:
        pass
    assert session.call("restart")["done"] == "restarted"
    waiting.join(60)
    assert answers[0]["status"] == "interrupted"
    assert session.call("exec", code="'x' in globals()")["status"] == "succeeded"


def test_tracebacks_name_the_line_of_the_source_that_was_executed(live: Live) -> None:
    live.write("# %%\na = 1\n\n# %%\ndef f():\n    return 1 / 0\n\n# %%\nf()\n")
    session = live.start("nb.py")
    answer = session.call("run-all")
    assert answer["executed"][-1]["error"]["where"] == "nb.py:6"
    session.call("edit", cell="0", source="# 1\n# 2\n# 3\n# 4\ndef g():\n    return 1 / 0")
    edited = session.call("edit", cell="1", source="g()", run=True)
    assert edited["error"]["where"] == "Cell In[1], line 6"
    shown = live.octavo("show", session.place.short).out
    assert "In[2], line 2 (nb.py:6), in f()" in shown
    assert "In[1], line 6, in g()" in shown


def test_a_connection_that_the_project_names_refuses_snapshots_while_it_is_open(live: Live) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        (live.root / "octavo.toml").write_text(f'no-snapshot-with = [":{port}"]\n')
        session = live.start()
        connect = f"import socket; c = socket.create_connection(('127.0.0.1', {port}))"
        session.call("exec", code=connect)
        scratch = session.call("exec", code="1", scratch=True)
        assert any(f"127.0.0.1:{port}" in note for note in scratch["notes"])
        session.call("exec", code="c.close()")
        assert session.call("exec", code="1", scratch=True)["notes"] == []


def test_what_is_cancelled_while_it_waits_is_told_as_ended_at_once(live: Live) -> None:
    os.mkfifo(live.root / "gate")
    session = live.start()
    session.call("exec", code="open('gate').read()", detach=True)
    until(session, "busy")
    answers: list[dict[str, Any]] = []
    waiting = live.again(session)
    other = threading.Thread(target=lambda: answers.append(waiting.call("exec", code="x = 1")))
    other.start()
    while not info(session).queue:
        pass
    assert session.call("cancel", cell=1)["done"] == "cancelled"
    other.join(30)
    assert answers[0]["status"] == "interrupted"
    assert (info(session).queue, info(session).state) == (0, "busy")
    assert session.call("job", cell=1)["status"] == "interrupted"
    (live.root / "gate").write_text("")
    assert session.call("exec", code="'x' in globals()")["outputs"][0]["text"] == "False"
