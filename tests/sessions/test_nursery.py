"""Sessions whose processes are forked from one that has everything loaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.live_projects import Live, info, is_gone, live_in, texts

pytestmark = pytest.mark.kernel


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with live_in(tmp_path) as made:
        del made.variables["OCTAVO_NO_RESIDENT"]
        try:
            yield made
        finally:
            made.end()
            made.octavo("warm", "--stop")


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_sessions_are_forked_and_go_on_without_the_nursery(live: Live) -> None:
    live.write()
    live.variables["COLOUR"] = "green"
    one = live.start("nb.py", "--env", "COLOUR")
    live.variables["COLOUR"] = "blue"
    other = live.start("--env", "COLOUR", "--cwd", "..")
    first, second = info(one), info(other)
    nursery = parent(first.pid)
    assert nursery == parent(second.pid) and first.pid != second.pid
    code = "import os; os.environ['COLOUR'], os.path.basename(os.getcwd())"
    assert texts(one.call("exec", code=code)) == "('green', 'project')"
    assert texts(other.call("exec", code=code)) == repr(("blue", live.home.name))
    live.octavo("warm", "--stop")
    assert is_gone(nursery)
    assert texts(one.call("exec", code="1 + 1")) == "2"
    os.kill(first.pid, 9)
    assert is_gone(first.pid) and first.kernel_pid is not None and is_gone(first.kernel_pid)
    assert texts(other.call("exec", code="2 + 2")) == "4"


def test_what_cannot_begin_is_told_by_the_nursery_too(live: Live) -> None:
    answer = live.octavo("session", "start", "missing.py", "--json", code=2)
    assert answer.json["error"]["kind"] == "notebook-not-found"
    session = live.start()
    assert texts(session.call("exec", code="1 + 1")) == "2"
