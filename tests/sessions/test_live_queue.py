"""Work in a live session: one after the other, waited for, cancelled, interrupted."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from octavo.errors import OctavoError
from sessions.live_projects import Live, info, live_in, texts, until

pytestmark = pytest.mark.kernel


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with live_in(tmp_path) as made:
        yield made


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
