"""`octavo session exec` shows output while the code is executed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.live_projects import Live, live_in

pytestmark = pytest.mark.kernel
GATED = "print('first'); open('gate').read(); print('second', end=''); 7"


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with live_in(tmp_path) as made:
        os.mkfifo(made.root / "gate")
        yield made


def test_output_comes_through_a_pipe_before_the_code_has_ended(live: Live) -> None:
    session = live.start()
    program = live.program("session", "exec", session.place.short, GATED)
    assert program.stdout is not None
    assert program.stdout.readline() == "first\n"
    (live.root / "gate").write_text("")
    assert program.communicate(timeout=60)[0] == "second\n7\n"


def test_a_flood_through_a_pipe_is_told_once_and_within_the_budget(live: Live) -> None:
    session = live.start()
    words = ("session", "exec", session.place.short, "for i in range(5000): print('line', i)")
    out = live.octavo(*words).out.splitlines()
    (item,) = live.octavo(*words, "--json").json["outputs"]
    assert out[:-1] == item["text"].splitlines()
    assert out[-1].startswith("cut; octavo read")


def test_whoever_stops_reading_ends_nothing(live: Live) -> None:
    session = live.start()
    program = live.program("session", "exec", session.place.short, GATED + "; x = 1; print(x)")
    assert program.stdout is not None
    program.stdout.readline()
    program.stdout.close()
    (live.root / "gate").write_text("")
    assert program.wait(60) == 0
    assert session.call("exec", code="x")["outputs"][0]["text"] == "1"


def test_progress_bars_and_errors_are_told_once(live: Live) -> None:
    session = live.start()
    code = "print('1%\\r2%\\r3%'); print('a\\x1b[31mb')\n1 / 0"
    out = live.octavo("session", "exec", session.place.short, code, code=1).out
    assert [out.count(word) for word in ("3%", "ZeroDivisionError")] == [1, 1]
    assert "1%" not in out
