"""Live sessions: state that stays, steps back, and what the record has of them."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from octavo.errors import OctavoError
from octavo.sessions.client import Caller
from sessions.live_projects import Live, info, live_in, texts, until_snapshot

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
