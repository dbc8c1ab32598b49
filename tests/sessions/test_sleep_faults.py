"""Sleep where something is in its way: what is there stays there, and nobody loses anything."""

from __future__ import annotations

import array
import json
import os
import resource
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from octavo.sessions.client import Caller
from octavo.sessions.hosts.sleeping import received_line
from octavo.sessions.hosts.spawning import dormitory_path, identity
from sessions.live_projects import Live, info, is_gone, texts
from sessions.sleepers import asleep, drowsy_in, noted

pytestmark = pytest.mark.kernel

#: What a dormitory does with a connection after its greeting.
Part = Callable[[socket.socket], object]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with drowsy_in(tmp_path_factory.mktemp("sleep")) as made:
        yield made


@pytest.fixture
def live(project: Live) -> Iterator[Live]:
    """Without sessions of other tests, which would want to sleep too."""
    yield project
    project.end()


class Inn:
    """Stands in for the dormitory of a project, so that sessions are handed to us."""

    def __init__(self, live: Live) -> None:
        self._path = Path(dormitory_path(live.runtime, identity()))
        self._aside = self._path.with_suffix(".aside")

    def __enter__(self) -> Inn:
        if self._path.exists():
            self._path.rename(self._aside)
        self._listener = socket.socket(socket.AF_UNIX)
        folder = os.open(self._path.parent, os.O_RDONLY)
        self._listener.bind(f"/proc/self/fd/{folder}/{self._path.name}")
        os.close(folder)
        self._listener.listen()
        self._listener.settimeout(60)
        return self

    def __exit__(self, *error: object) -> None:
        self._listener.close()
        self._path.unlink()
        if self._aside.exists():
            self._aside.rename(self._path)

    def play(self, part: Part) -> None:
        """Greet the next that comes, and hang up."""
        connection, _ = self._listener.accept()
        with connection:
            connection.settimeout(60)
            part(connection)


def silent(connection: socket.socket) -> None:
    """It dies before it has said a word."""


def impatient(connection: socket.socket) -> int:
    """It dies when it is told what comes."""
    connection.sendall(b"g")
    return int(json.loads(received_line(connection))["size"])


def torn(connection: socket.socket) -> None:
    """It dies with everything in its hands."""
    size = impatient(connection)
    connection.sendall(b"g")
    _, ancillary, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(64 * 4))
    taken = array.array("i")
    taken.frombytes(ancillary[0][2])
    for descriptor in taken:
        os.close(descriptor)
    while size:
        size -= len(connection.recv(size))


def gone(connection: socket.socket) -> None:
    """It dies after it has said that it holds them, and before they are its own."""
    torn(connection)
    connection.shutdown(socket.SHUT_RD)
    connection.sendall(b"h" + (2**22).to_bytes(4, "big"))


def works(session: Caller, pid: int) -> bool:
    """Whether it is where it was, and says so."""
    once = texts(session.call("exec", code="x += 1; x"))
    again = texts(session.call("exec", code="x"))
    return bool(once == again and info(session).pid == pid == noted(session))


def test_a_process_that_dies_at_any_step_of_a_handover_leaves_the_sessions_where_they_are(
    live: Live,
) -> None:
    session = live.start()
    session.call("exec", code="x = 0")
    with Inn(live) as inn:
        pid = info(session).pid
        for part in (silent, impatient, torn, gone):
            inn.play(part)
            assert works(session, pid), part.__doc__


def test_a_signal_that_comes_during_a_handover_is_obeyed(live: Live) -> None:
    session = live.start()
    session.call("exec", code="x = 0")

    def part(connection: socket.socket) -> None:
        torn(connection)
        os.kill(pid, signal.SIGTERM)
        connection.sendall(b"h" + (2**22).to_bytes(4, "big"))
        assert connection.recv(1) == b""

    with Inn(live) as inn:
        pid = info(session).pid
        inn.play(part)
        assert is_gone(pid)
    assert "SIGTERM" in live.events(session)[-1]["message"]


def test_where_no_note_can_be_written_it_stays(live: Live) -> None:
    session = live.start()
    session.call("exec", code="x = 0")
    pid = info(session).pid
    in_the_way = Path(f"{Path(session.place.address).with_suffix('.json')}-{pid}")
    with Inn(live) as inn:
        in_the_way.mkdir()

        def part(connection: socket.socket) -> None:
            torn(connection)
            connection.sendall(b"h" + (2**22).to_bytes(4, "big"))
            assert connection.recv(1) == b""

        inn.play(part)
        assert works(session, pid)
    in_the_way.rmdir()
    assert asleep(session)
    assert texts(session.call("exec", code="x")) == "1"


def test_more_to_remember_than_a_socket_holds_is_no_hindrance(live: Live) -> None:
    session = live.start()
    noise = "import os\nwords = os.urandom(1_000_000).hex()\nprint(words)"
    session.call("exec", code=noise, request_id="noise", budget=100)
    callers = [live.again(session) for _ in range(150)]
    asleep(session)
    assert texts(callers[-1].call("exec", code="len(words)")) == "2000000"
    for caller in callers:
        assert caller.call("info")["position"] == 2
        caller.close()
    again = session.call("exec", code=noise, request_id="noise", budget=100)
    assert any("joined" in note for note in again["notes"])


def test_a_long_lease_is_slept_through(live: Live) -> None:
    session = live.start("--lease", "60d")
    session.call("exec", code="x = 1")
    asleep(session)
    assert texts(session.call("exec", code="x")) == "1"


def test_what_others_may_read_is_what_the_session_began_with(live: Live) -> None:
    live.start()  # the nursery is there, and is of another mind
    before = os.umask(0o077)
    try:
        session = live.start()
    finally:
        os.umask(before)
    asleep(session)
    woken = info(session).pid
    assert before != 0o077 and "Umask:\t0077\n" in Path(f"/proc/{woken}/status").read_text()
    assert not (live.record(session) / "events.jsonl").stat().st_mode & 0o077


def test_a_hangup_does_not_end_one_that_sleeps(live: Live) -> None:
    session = live.start()
    session.call("exec", code="x = 1")
    os.kill(asleep(session), signal.SIGHUP)
    assert texts(session.call("exec", code="x")) == "1"


def test_a_bound_on_open_files_that_was_lowered_meanwhile_costs_no_session(live: Live) -> None:
    session = live.start()
    session.call("exec", code="x = 1")
    sleeper = asleep(session)
    _, hard = resource.prlimit(sleeper, resource.RLIMIT_NOFILE)
    enough = 1 + max(map(int, os.listdir(f"/proc/{sleeper}/fd")))
    resource.prlimit(sleeper, resource.RLIMIT_NOFILE, (enough, hard - 1))
    other = live.start()
    other.call("exec", code="x = 2")
    assert texts(session.call("exec", code="x")) == "1"
    assert texts(other.call("exec", code="x")) == "2"
    with suppress(ProcessLookupError):  # others are to find room there
        resource.prlimit(sleeper, resource.RLIMIT_NOFILE, (hard - 1, hard - 1))


def test_many_that_find_no_nursery_start_one(live: Live) -> None:
    sessions = [live.start() for _ in range(3)]
    live.octavo("warm", "--stop")
    for session in sessions:
        session.call("exec", code="x = 1")
    assert len({asleep(session) for session in sessions}) == 1
