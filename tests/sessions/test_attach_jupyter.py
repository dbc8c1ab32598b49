"""A live session is opened by Jupyter's own programs."""

from __future__ import annotations

import os
import signal
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest
from jupyter_client.blocking.client import BlockingKernelClient

from cli.calling import variables

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

_SECONDS = 60
BIN = Path(sys.executable).parent


class Desk:
    """A project with a session, and what serves it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {**variables(folder / "home"), "OCTAVO_NO_RESIDENT": "1"}
        self.env |= {"PATH": os.pathsep.join((str(BIN), os.environ["PATH"])), "TERM": "dumb"}
        self.env |= {"XDG_RUNTIME_DIR": str(folder / "run")}
        self.session = ""

    def octavo(self, *words: str) -> Any:
        import json
        import subprocess

        done = subprocess.run(
            [sys.executable, "-m", "octavo", *words, "--json"],
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return json.loads(done.stdout)

    def serve(self) -> tuple[Any, Path]:
        words = ["-m", "octavo", "session", "attach", self.session, "--jupyter"]
        serving = pexpect.spawn(
            sys.executable, words, cwd=str(self.folder), env=self.env, timeout=_SECONDS
        )
        serving.setwinsize(50, 400)
        serving.expect(r"--existing (\S+\.json)")
        return serving, Path(serving.match[1].decode())


def make(folder: Path) -> Desk:
    (folder / ".octavo").mkdir()
    (folder / "run").mkdir(mode=0o700)
    (folder / "home").mkdir()
    made = Desk(folder)
    made.session = made.octavo("session", "start")["id"][-8:]
    return made


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = make(tmp_path)
    yield made
    made.octavo("session", "stop", made.session)


@pytest.fixture
def client(desk: Desk) -> Iterator[BlockingKernelClient]:
    serving, file = desk.serve()
    made = BlockingKernelClient(connection_file=str(file))
    made.load_connection_file()
    made.start_channels()
    made.wait_for_ready(timeout=_SECONDS)
    yield made
    made.stop_channels()
    serving.terminate(force=True)


def run(client: Any, code: str, **named: Any) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    """The reply to a cell, and what was published for it."""
    shown: list[tuple[str, Any]] = []

    def hear(message: Any) -> None:
        if message["header"]["msg_type"] != "status":
            shown.append((message["header"]["msg_type"], message["content"]))

    reply = client.execute_interactive(
        code, output_hook=hear, timeout=_SECONDS, allow_stdin=False, **named
    )
    return reply["content"], shown


def test_code_runs_in_the_live_session(desk: Desk, client: BlockingKernelClient) -> None:
    desk.octavo("session", "exec", desk.session, "before = 20")
    reply, shown = run(client, "print('né 😀')\nafter = before + 1\nafter")
    assert reply["status"] == "ok"
    assert [kind for kind, _ in shown] == ["execute_input", "stream", "execute_result"]
    assert shown[1][1] == {"name": "stdout", "text": "né 😀\n"}
    assert shown[2][1]["data"]["text/plain"] == "21"
    assert shown[2][1]["execution_count"] == reply["execution_count"]
    told = desk.octavo("session", "exec", desk.session, "after + 1")
    assert told["outputs"][-1]["text"] == "22"


def test_errors_displays_and_updates(client: BlockingKernelClient) -> None:
    reply, shown = run(client, "1/0")
    assert (reply["status"], reply["ename"]) == ("error", "ZeroDivisionError")
    assert shown[-1][0] == "error"
    assert "ZeroDivisionError" in "".join(shown[-1][1]["traceback"])
    _, shown = run(client, "h = display('one', display_id=True)\nh.update('two')")
    kinds = [kind for kind, _ in shown]
    assert kinds == ["execute_input", "display_data", "update_display_data"]
    assert shown[1][1]["transient"] == shown[2][1]["transient"] != {}


def test_input_is_refused_clearly(client: BlockingKernelClient) -> None:
    reply, _ = run(client, "input('name? ')")
    assert (reply["status"], reply["ename"]) == ("error", "StdinNotImplementedError")


def test_cells_sent_before_a_failure_was_seen_are_not_run(client: BlockingKernelClient) -> None:
    client.execute("import time; ran = False; time.sleep(0.3); 1/0")
    second = client.execute("ran = True")
    while (reply := client.get_shell_msg(timeout=_SECONDS))["parent_header"]["msg_id"] != second:
        pass
    assert reply["content"]["status"] == "aborted"
    _, shown = run(client, "ran")
    assert shown[-1][1]["data"]["text/plain"] == "False"


def test_an_execution_is_interrupted_over_control(client: BlockingKernelClient) -> None:
    asked = client.execute("print('began', flush=True)\nwhile True: pass")
    while client.get_iopub_msg(timeout=_SECONDS)["header"]["msg_type"] != "stream":
        pass
    client.control_channel.send(client.session.msg("interrupt_request", {}))
    while (reply := client.get_shell_msg(timeout=_SECONDS))["parent_header"]["msg_id"] != asked:
        pass
    assert reply["content"]["status"] == "error"
    assert run(client, "1 + 1")[0]["status"] == "ok"


def test_looking_leaves_no_trace(desk: Desk, client: BlockingKernelClient) -> None:
    run(client, "some_long_name = 3")
    found = client.complete("some_lo", reply=True, timeout=_SECONDS)["content"]
    assert found["matches"] == ["some_long_name"]
    assert (found["cursor_start"], found["cursor_end"]) == (0, 7)
    told = client.inspect("some_long_name", reply=True, timeout=_SECONDS)["content"]
    assert told["found"]
    assert "int" in told["data"]["text/plain"]
    client.is_complete("for i in x:")
    assert client.get_shell_msg(timeout=_SECONDS)["content"]["status"] == "incomplete"
    assert client.history(reply=True)["content"]["history"] == []
    before = len(desk.octavo("session", "show", desk.session)["cells"])
    run(client, "some_long_name = 4", silent=True, store_history=False)
    assert len(desk.octavo("session", "show", desk.session)["cells"]) == before
    assert run(client, "some_long_name")[1][-1][1]["data"]["text/plain"] == "3"


def test_nobody_else_may_read_the_connection_file(desk: Desk) -> None:
    serving, file = desk.serve()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    serving.terminate(force=True)


def test_shutting_down_ends_the_serving_and_not_the_session(desk: Desk) -> None:
    serving, file = desk.serve()
    made: Any = BlockingKernelClient(connection_file=str(file))
    made.load_connection_file()
    made.start_channels()
    made.wait_for_ready(timeout=_SECONDS)
    run(made, "kept = 1")
    made.shutdown()
    serving.expect(pexpect.EOF)
    serving.close()
    assert serving.exitstatus == 0
    assert not file.exists()
    made.stop_channels()
    told = desk.octavo("session", "exec", desk.session, "kept")
    assert told["outputs"][-1]["text"] == "1"


def test_a_flood_arrives_and_ends(client: BlockingKernelClient) -> None:
    code = "for i in range(3000):\n    display(i)\nprint('x' * 20_000_000)\n'the end'"
    reply, shown = run(client, code)
    assert reply["status"] == "ok"
    assert [content for kind, content in shown if kind == "display_data"][-1]["data"] == {
        "text/plain": "2999"
    }
    assert shown[-1][1]["data"]["text/plain"] == "'the end'"


def test_a_session_that_is_stopped_ends_its_serving(tmp_path: Path) -> None:
    with_session = make(tmp_path)
    serving, file = with_session.serve()
    made: Any = BlockingKernelClient(connection_file=str(file))
    made.load_connection_file()
    made.start_channels()
    made.wait_for_ready(timeout=_SECONDS)
    with_session.octavo("session", "stop", with_session.session)
    reply, shown = run(made, "1")
    while reply["ename"] == "kernel-died":  # the host is about to end
        reply, shown = run(made, "1")
    assert (reply["status"], reply["ename"]) == ("error", "session-dead")
    assert "hint" in shown[-1][1]["traceback"][0]
    serving.expect(pexpect.EOF)
    serving.close()
    assert serving.exitstatus == 0
    made.stop_channels()


def test_what_a_killed_serving_left_goes_with_the_next_and_with_the_session() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="o") as short:
        desk = make(Path(short))
        try:
            _, first = _killed(desk)
            assert first.parent.is_relative_to(short)
            _, second = _killed(desk)
            assert (first.parent.exists(), second.parent.exists()) == (False, True)
        finally:
            desk.octavo("session", "stop", desk.session)
        assert not second.parent.exists()


def _killed(desk: Desk) -> tuple[Any, Path]:
    serving, file = desk.serve()
    serving.kill(signal.SIGKILL)
    serving.wait()
    return serving, file


def test_unsigned_messages_are_ignored(desk: Desk, client: BlockingKernelClient) -> None:
    from importlib import import_module

    zmq: Any = import_module("zmq")

    context = zmq.Context()
    stranger = context.socket(zmq.DEALER)
    stranger.connect(f"ipc://{client.ip}-{client.shell_port}")
    stranger.send_multipart([b"<IDS|MSG>", b"", b"{}", b"{}", b"{}", b"{}"])
    stranger.send_multipart([b"nonsense"])
    assert run(client, "1")[0]["status"] == "ok"
    stranger.close(linger=0)
    context.term()


def test_signed_nonsense_does_not_end_the_serving(client: BlockingKernelClient) -> None:
    for content in ("[1]", '"text"', "null", "{"):
        client.shell_channel.send(client.session.msg("execute_request", content))
    client.shell_channel.send(client.session.msg("inspect_request", {"detail_level": "much"}))
    client.shell_channel.send(client.session.msg("complete_request", {"cursor_pos": {}}))
    assert run(client, "1")[0]["status"] == "ok"


def test_the_real_console_opens_it(desk: Desk) -> None:
    desk.octavo("session", "exec", desk.session, "greeting = 'from the session'")
    serving, file = desk.serve()
    words = ["-m", "jupyter_console", "--existing", str(file), "--simple-prompt"]
    console = pexpect.spawn(
        sys.executable, words, cwd=str(desk.folder), env=desk.env, timeout=_SECONDS
    )
    console.expect(r"In \[\d*\]: ")
    console.sendline("print(greeting.upper())")
    console.expect("FROM THE SESSION")
    console.sendline("typed = 5")
    console.expect(r"In \[\d*\]: ")
    console.sendline("exit")
    console.expect(pexpect.EOF)
    serving.terminate(force=True)
    told = desk.octavo("session", "exec", desk.session, "typed")
    assert told["outputs"][-1]["text"] == "5"
