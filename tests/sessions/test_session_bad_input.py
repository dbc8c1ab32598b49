"""Sessions that are asked for something that cannot be: a clear error, and nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from octavo.errors import OctavoError
from octavo.sessions.places import Place
from sessions.live_projects import Live, info, live_in, texts, until
from sessions.terminals import terminal_with

pytestmark = pytest.mark.kernel


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with live_in(tmp_path) as made:
        yield made


def test_an_unknown_session_is_refused_with_a_hint(live: Live) -> None:
    answer = live.octavo("session", "exec", "deadbeef", "1", code=2)
    assert "there is no session 'deadbeef'" in answer.err
    assert "octavo session start" in answer.err
    assert live.octavo("session", "list").out.startswith("no sessions")


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (("missing.py",), "notebook-not-found"),
        (("nb.py", "-p", "unknown", "1"), "parameter-unknown"),
        (("nb.py", "-p", "n", "many"), "parameter-type"),
        (("-p", "n", "1"), "wrong-argument"),
        (("--lease", "0"), "wrong-argument"),
        (("--python", "/nowhere/python"), "interpreter-missing"),
        (("--kernel", "no-such-kernel"), "kernel-unknown"),
        (("--cwd", "nowhere"), "wrong-argument"),
    ],
)
def test_a_session_that_cannot_begin_leaves_nothing(
    live: Live, words: tuple[str, ...], kind: str
) -> None:
    live.write()
    answer = live.octavo("session", "start", *words, "--json", code=None)
    assert answer.json["error"]["kind"] == kind, answer
    assert answer.code in (2, 3)
    assert answer.json["error"]["hint"]
    assert "--allow-unknown" not in answer.json["error"]["hint"]
    assert live.octavo("session", "list", "--json").json == {"sessions": []}
    assert not list(live.root.glob(".octavo/runs/*/*"))


def test_cells_and_edits_that_make_no_sense_change_nothing(live: Live) -> None:
    session = live.start()
    session.call("exec", code="x = 1")
    short = session.place.short
    calls = {
        ("run-cell", short, "7"): "cell-not-found",
        ("rewind", short, "nothing"): "cell-not-found",
        ("edit", short, "0"): "wrong-argument",
        ("edit", short, "0", "y = 1", "--delete"): "wrong-argument",
        ("edit", short, "0", "y = 1", "--expect", "0000"): "stale",
        ("exec", short, "1", "--wait", "soon"): "wrong-argument",
    }
    for words, kind in calls.items():
        answer = live.octavo("session", *words, "--json", code=2)
        assert answer.json["error"]["kind"] == kind, (words, answer)
    cells = session.call("show")["cells"]
    assert [cell["first_line"] for cell in cells] == ["x = 1"]
    assert texts(session.call("exec", code="x")) == "1"


def test_what_a_session_does_not_know_is_refused(live: Live) -> None:
    session = live.start()
    for op, arguments in (("fly", {}), ("exec", {"nonsense": 1}), ("job", {"cell": "x"})):
        with pytest.raises(OctavoError) as refused:
            session.call(op, **arguments)
        assert refused.value.kind in ("wrong-argument", "run-not-found")
    assert texts(session.call("exec", code="1 + 1")) == "2"


@pytest.mark.parametrize("garbage", [b"\xff" * 64, b"\0\0\0\2[]", b"\0\0\0\5{nope", b"\0\0\0"])
def test_garbage_on_the_socket_harms_nobody(live: Live, garbage: bytes) -> None:
    session = live.start()
    connection = session.place.connect()
    assert connection is not None
    connection.sendall(garbage)
    connection.shutdown(socket.SHUT_WR)
    assert connection.recv(10) == b""
    connection.close()
    assert texts(session.call("exec", code="1 + 1")) == "2"


def test_a_socket_path_may_be_long(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(8):
        deep = deep / ("deep" * 8)
    deep.mkdir(parents=True)
    with live_in(deep) as live:
        session = live.start()
        assert len(session.place.address) > 200
        assert texts(session.call("exec", code="6 * 7")) == "42"


def test_sockets_that_have_no_place(live: Live) -> None:
    Path(live.runtime).write_text("a file is in the way")
    answer = live.octavo("session", "start", "--json", code=3)
    assert answer.json["error"]["kind"] == "storage"
    assert "XDG_RUNTIME_DIR" in answer.json["error"]["hint"]
    os.unlink(live.runtime)


def test_only_the_user_may_reach_a_session(live: Live) -> None:
    session = live.start()
    folder = os.path.dirname(session.place.address)
    assert os.stat(folder).st_mode & 0o077 == 0
    assert os.stat(session.place.address).st_mode & 0o077 == 0


def test_a_full_disk_ends_the_cell_and_not_the_session(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "none", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("needs the right to mount a tmpfs: run as root to fill a disk")
    try:
        with live_in(tmp_path, disk) as live:
            session = live.start("--no-snapshots")
            session.call("exec", code="x = 1")
            with pytest.raises(OctavoError) as full:
                session.call("exec", code="for _ in range(9000): print('y' * 1000)")
            assert full.value.kind == "disk-full"
            assert texts(session.call("exec", code="x + 1")) == "2"
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_ctrl_c_of_a_client_leaves_the_session_at_work(live: Live) -> None:
    session = live.start()
    client = live.program("session", "exec", session.place.short, "while True: pass")
    until(session, "busy")
    while not any(event["type"] == "cell-started" for event in live.events(session)):
        pass
    client.send_signal(signal.SIGINT)
    _, err = client.communicate(timeout=60)
    assert client.returncode == 130
    assert "goes on executing" in err
    assert info(session).state == "busy"
    assert session.call("interrupt")["done"] == "interrupted"
    until(session, "idle")
    assert texts(session.call("exec", code="1 + 1")) == "2"


def test_a_dead_session_can_be_forgotten(live: Live) -> None:
    session = live.start()
    os.kill(info(session).pid, signal.SIGKILL)
    until_unanswered(session.place)
    assert "forgotten" in live.octavo("session", "stop", session.place.short).out
    assert live.octavo("session", "list", "--json").json == {"sessions": []}
    record = json.loads((live.record(session) / "record.json").read_text())
    assert record["reason"] == "runner-died"


def test_a_run_is_no_session_and_a_live_one_is_not_restored(live: Live) -> None:
    live.write()
    run = live.octavo("run", "nb.py", "--json").json["run_id"]
    refused = live.octavo("session", "restore", run[-8:], "--json", code=2).json["error"]
    assert (refused["kind"], "octavo rerun" in refused["hint"]) == ("session-not-found", True)
    session = live.start()
    refused = live.octavo("session", "restore", session.place.short, "--json", code=2).json
    assert refused["error"]["kind"] == "session-busy"


def test_the_terminal_of_a_session(live: Live) -> None:
    """Lines, blocks, Ctrl-C and Ctrl-D, on a terminal."""
    session = live.start()
    with terminal_with(live, "session", "attach", session.place.short) as (terminal, program):
        terminal.until(">>> ")
        terminal.send("x = 6\n")
        terminal.until(">>> ")
        terminal.send("for i in range(2):\n")
        terminal.until("... ")
        terminal.send("    print('turn', i * x)\n")
        terminal.until("... ")
        terminal.send("\n")
        terminal.until("turn 6")
        terminal.until(">>> ")
        terminal.send("print('begun'); exec('while True: pass')\n")
        terminal.until("\nbegun")
        program.send_signal(signal.SIGINT)
        terminal.until("interrupted")
        terminal.until(">>> ")
        terminal.send("x * 7\n")
        terminal.until("42")
        terminal.until(">>> ")
        terminal.send("\x04")
        assert program.wait(60) == 0
    assert texts(session.call("exec", code="x")) == "6"


def test_code_that_is_handed_in_to_a_terminal(live: Live) -> None:
    session = live.start()
    code = "x = 2\nfor i in range(2):\n    x *= 10\n\nx\n"
    answer = live.octavo("session", "attach", session.place.short, stdin=code)
    assert answer.out.strip() == "200"
    assert "comes back" in answer.err


def until_unanswered(place: Place) -> None:
    while (connection := place.connect()) is not None:
        connection.close()


@pytest.mark.parametrize("code", ["", "  \n\t\n"])
def test_nothing_to_execute_is_refused_and_adds_no_cell(live: Live, code: str) -> None:
    session = live.start()
    refused = live.octavo("session", "exec", session.place.short, code, "--json", code=2).json
    assert refused["error"]["kind"] == "wrong-argument"
    assert "standard input" in refused["error"]["hint"]
    empty = live.octavo("session", "exec", session.place.short, "-", stdin=code, code=2)
    assert "there is no code to execute" in empty.err
    assert info(session).cells == 0
