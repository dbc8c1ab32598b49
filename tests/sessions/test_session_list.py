"""Which sessions are told of: those of the project, and dead ones not for ever."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from octavo.app.context import Context
from octavo.sessions import operations, places
from octavo.sessions.client import Caller
from octavo.sessions.requests import ListRequest
from sessions.live_projects import Live, is_gone, live_in

pytestmark = pytest.mark.kernel


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with live_in(tmp_path) as made:
        yield made


def test_sessions_of_other_projects_are_listed_with_all_only(live: Live, tmp_path: Path) -> None:
    other = Live(tmp_path, tmp_path / "other")
    here, there = live.start(), other.start()
    _killed(there)
    assert _listed(live) == {here.place.short: "idle"}
    assert _listed(other) == {there.place.short: "dead"}
    assert _listed(live, "--all") == {here.place.short: "idle", there.place.short: "dead"}
    _killed(here)
    other.octavo("session", "stop", here.place.short)
    assert "no sessions in this project" in live.octavo("session", "list").out


def test_dead_sessions_are_forgotten_after_a_while_and_can_still_be_restored(live: Live) -> None:
    old, recent = live.start(), live.start()
    old.call("exec", code="x = 1")
    _killed(old)
    _killed(recent)
    os.utime(live.record(old) / "events.jsonl", (1, 1))
    new = live.start()
    assert _listed(live) == {recent.place.short: "dead", new.place.short: "idle"}
    restored = live.octavo("session", "restore", old.place.short, "--json").json
    assert "1 cell executed again" in restored["notes"][0]


def test_a_name_means_the_session_that_lives(live: Live) -> None:
    dead = live.start("--name", "analysis")
    _killed(dead)
    alive = live.start("--name", "analysis")
    assert places.find(live.runtime, "analysis").short == alive.place.short


def test_a_host_that_hangs_is_told_in_the_list(live: Live) -> None:
    session = live.start()
    pid = int(session.place.note["pid"])
    os.kill(pid, signal.SIGSTOP)
    try:
        (told,) = live.octavo("session", "list", "--json").json["sessions"]
        assert "does not answer" in told["notes"][0]
    finally:
        os.kill(pid, signal.SIGCONT)


def test_who_asks_for_their_own_sees_no_others_that_ended(live: Live) -> None:
    session = live.start()
    context = Context(cwd=str(live.root), environ=live.variables)
    session.call("stop")
    for owner, seen in (("alice", 0), ("", 1), (None, 1)):
        listed = asyncio.run(operations.listed(ListRequest(all=True, owner=owner), context))
        assert len(listed.sessions) == seen


def _listed(live: Live, *words: str) -> dict[str, str]:
    listed = live.octavo("session", "list", *words, "--json").json["sessions"]
    return {each["id"][-8:]: each["state"] for each in listed}


def _killed(caller: Caller) -> None:
    pid = int(caller.place.note["pid"])
    os.kill(pid, signal.SIGKILL)
    assert is_gone(pid)


def test_the_cell_that_is_executed_is_told_as_running(live: Live) -> None:
    os.mkfifo(live.root / "gate")
    session = live.start()
    session.call("exec", code="open('gate').read()", detach=True)
    while not any(event["type"] == "cell-started" for event in live.events(session)):
        pass
    assert [cell["status"] for cell in session.call("show")["cells"]] == ["running"]
    (live.root / "gate").write_text("")
    while session.call("info")["state"] == "busy":
        pass
    assert [cell["status"] for cell in session.call("show")["cells"]] == ["fresh"]
    assert live.octavo("session", "interrupt", session.place.short).out == (
        f"{session.place.short}: nothing was being executed\n"
    )


def test_a_session_whose_kernel_died_is_told_so_until_it_has_another(live: Live) -> None:
    session = live.start()
    session.call("exec", code="import os; os._exit(3)")
    assert _listed(live) == {session.place.short: "kernel-died"}
    assert "octavo session restart" in live.octavo("session", "list").out
    assert "kernel-died" in live.octavo("session", "show", session.place.short).out
    session.call("restart")
    assert _listed(live) == {session.place.short: "idle"}
