"""Sessions that nobody calls sleep in another process, and nobody notices but by their memory."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from octavo.sessions import places
from octavo.sessions.client import Caller
from sessions.live_projects import Live, info, is_gone, texts
from sessions.sleepers import asleep, drowsy_in, noted

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with drowsy_in(tmp_path_factory.mktemp("sleep")) as made:
        yield made


def test_one_that_sleeps_goes_on_as_if_nothing_had_been(live: Live) -> None:
    session = live.start("nb.py")
    session.call("run-all")
    asleep(session)
    # The same connection, the same state, the same record; and it can sleep again.
    assert texts(session.call("exec", code="total += 1; total")) == "4"
    asleep(session)
    assert texts(session.call("exec", code="total")) == "4"
    asleep(session)
    assert session.call("edit", cell=0, source="n: int = 5", run=True)["status"] == "succeeded"
    assert texts(session.call("run-all")["executed"][-1]) == "11"
    session.call("stop")
    assert live.octavo("show", session.place.short, "--json").json["run"]["status"] == "success"


def test_going_back_needs_no_more_than_before(live: Live) -> None:
    session = live.start()
    for code in ("import itertools; numbers = itertools.count()", "a = next(numbers)", "a"):
        session.call("exec", code=code)
        asleep(session)
    # Its newest snapshot, which was the kernel itself, is taken again before the next cell.
    session.call("exec", code="b = next(numbers)")
    answer = session.call("edit", cell=3, source="b = [next(numbers), a]\nb", run=True)
    assert texts(answer) == "[1, 0]"
    assert not any("again" in note for note in answer["notes"])


def test_many_sleep_in_one_small_process_and_do_not_wake_each_other(live: Live) -> None:
    sessions = [live.start() for _ in range(6)]
    for number, session in enumerate(sessions):
        session.call("exec", code=f"x = {number}")
    awake = private(info(sessions[0]).pid)
    sleepers = {asleep(session) for session in sessions}
    assert len(sleepers) == 1 and private(sleepers.pop()) < awake
    assert texts(sessions[0].call("exec", code="x")) == "0"
    assert all(places.find(live.runtime, each.place.id).asleep for each in sessions[1:])
    assert [texts(session.call("exec", code="x")) for session in sessions] == [*"012345"]


def private(pid: int) -> int:
    """The bytes that a process shares with no other."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def test_the_same_request_is_known_after_sleep(live: Live) -> None:
    session = live.start()
    session.call("exec", code="runs = []")
    first = session.call("exec", code="runs.append(1); len(runs)", request_id="once")
    asleep(session)
    again = session.call("exec", code="runs.append(1); len(runs)", request_id="once")
    assert texts(first) == texts(again) == "1" and again["job"] == first["job"]


def test_branches_of_one_process_sleep_and_wake_together(live: Live) -> None:
    session = live.start()
    session.call("exec", code="values = [1]")
    other = Caller.open(live.runtime, session.call("branch")["id"])
    assert asleep(session) == noted(other)
    assert texts(session.call("exec", code="values.append(2); values")) == "[1, 2]"
    assert texts(other.call("exec", code="values.append(3); values")) == "[1, 3]"


def test_what_a_thread_says_meanwhile_is_written_down(live: Live) -> None:
    os.mkfifo(live.root / "gate")
    session = live.start()
    code = "import threading\ndef wait():\n    open('gate').read(); print('late', flush=True)\n"
    session.call("exec", code=code + "threading.Thread(target=wait).start()")
    asleep(session)
    (live.root / "gate").write_text("")
    while not any("late" in event.get("text", "") for event in live.events(session)):
        time.sleep(0.01)
    assert session.call("exec", code="1")["status"] == "succeeded"


def test_a_signal_ends_it_in_order(live: Live) -> None:
    session = live.start()
    session.call("exec", code="x = 1")
    kernel = info(session).kernel_pid
    sleeper = asleep(session)
    os.kill(sleeper, signal.SIGTERM)
    assert is_gone(sleeper) and kernel is not None and is_gone(kernel)
    ended = last_event(live, session)
    assert ended["reason"] == "interrupted" and "SIGTERM" in ended["message"]


def test_the_lease_of_one_that_sleeps_ends(live: Live) -> None:
    session = live.start("--lease", "1s")
    asleep(session)
    assert last_event(live, session)["message"] == "the lease ended"
    while any(place.id == session.place.id for place in places.places(live.runtime)):
        time.sleep(0.01)


def last_event(live: Live, session: Caller) -> dict[str, Any]:
    """What the record says of the end, once it has come."""
    while (event := live.events(session)[-1])["type"] != "run-finished":
        time.sleep(0.01)
    return event


def test_a_kernel_that_dies_meanwhile_is_told(live: Live) -> None:
    session = live.start()
    session.call("exec", code="x = 1")
    kernel = info(session).kernel_pid
    asleep(session)
    assert kernel is not None
    os.kill(kernel, signal.SIGKILL)
    assert is_gone(kernel)
    assert any("kernel has died" in note for note in session.call("info")["notes"])
    session.call("restart")
    assert any(event["type"] == "kernel-died" for event in live.events(session))


def test_one_that_is_killed_asleep_leaves_no_process_and_a_record_that_says_so(live: Live) -> None:
    session = live.start()
    session.call("exec", code="x = 1")
    kernel = info(session).kernel_pid
    sleeper = asleep(session)
    os.kill(sleeper, signal.SIGKILL)
    assert is_gone(sleeper) and kernel is not None and is_gone(kernel)
    shown = live.octavo("show", session.place.short, "--json", code=None).json
    assert shown["run"]["reason"] == "runner-died"


def test_nothing_sleeps_while_something_goes_on(live: Live) -> None:
    os.mkfifo(live.root / "door")
    session = live.start()
    before = info(session).pid
    job = session.call("exec", code="open('door').read()", detach=True)["job"]
    waiting = live.again(session)
    time.sleep(0.5)
    assert noted(session) == before
    (live.root / "door").write_text("said")
    answer = waiting.call("job", cell=job.rpartition(".")[2], wait=30)
    assert texts(answer) == "'said'"


def test_a_list_wakes_nobody(live: Live) -> None:
    session = live.start()
    session.call("exec", code="x = 1")
    sleeper = asleep(session)
    os.kill(sleeper, signal.SIGSTOP)  # so that nobody could answer
    try:
        listed = live.octavo("session", "list", "--json").json["sessions"]
        jobs = live.octavo("job", "list", "--json").json["jobs"]
    finally:
        os.kill(sleeper, signal.SIGCONT)
    (told,) = (each for each in listed if each["id"] == session.place.id)
    assert told["pid"] == sleeper
    assert told == {**info(session).to_json(), "pid": sleeper}
    assert not any(job["id"].startswith(session.place.short) for job in jobs)
    # One that was killed is not taken for one that sleeps.
    sleeper = asleep(session)
    os.kill(sleeper, signal.SIGKILL)
    assert is_gone(sleeper)
    listed = live.octavo("session", "list", "--json").json["sessions"]
    assert {each["id"]: each["state"] for each in listed}[session.place.id] == "dead"
