"""`octavo warm`: the same results, sooner; and nothing breaks when the residents do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.kernel

# The kernel's keeper was forked from the zygote; its grandparent says which one that was.
SOURCE = """\
# %% tags=["parameters"]
a = 1

# %%
import os
from octavo_runtime import glue

with open(f"/proc/{os.getppid()}/stat") as file:
    glue("zygote", int(file.read().rpartition(")")[2].split()[1]))
glue("a", a)
glue("variable", os.environ.get("MY_VARIABLE"))
glue("folder", os.getcwd())
"""


class Bench:
    """A project, and `octavo` in a runtime folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.runtime = root / "runtime"
        self.runtime.mkdir(mode=0o700)
        self.environ = {**os.environ, "XDG_RUNTIME_DIR": str(self.runtime)}
        self.environ.pop("OCTAVO_NO_RESIDENT", None)
        (root / "octavo.toml").write_text("")
        (root / "nb.py").write_text(SOURCE)

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "octavo", *words],
            cwd=self.root,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def call(self, *words: str) -> tuple[int, Any]:
        process = self.start(*words, "--json")
        out, err = process.communicate(timeout=120)
        assert out, err
        return process.returncode, json.loads(out)

    def residents(self) -> dict[str, int]:
        """The processes that listen here, by the name of their socket."""
        return {
            Path(words[-1]).name: pid
            for pid, words in _commands()
            if words[-1:] and words[-1].startswith(str(self.runtime)) and "boot.py" in words[1]
        }

    def hosts(self) -> list[int]:
        return [
            pid
            for pid, words in _commands()
            if "octavo.surfaces.cli.host" in words and str(self.runtime / "octavo") in words
        ]


def _commands() -> Iterator[tuple[int, list[str]]]:
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                words = Path(f"/proc/{entry}/cmdline").read_bytes().decode().split("\0")[:-1]
            except OSError:
                continue
            if len(words) > 1:
                yield int(entry), words


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.call("warm", "--stop")
    _await(lambda: not made.hosts() and not made.residents())


def test_the_next_run_uses_what_is_warm(bench: Bench) -> None:
    code, warmed = bench.call("warm")
    assert code == 0 and warmed["host"] is True
    (zygote,) = bench.residents().values()
    bench.environ["MY_VARIABLE"] = "from this shell"
    code, result = bench.call("run", "nb.py", "-p", "a", "5", "--env", "MY_VARIABLE")
    assert code == 0
    assert result["scraps"] == {
        "zygote": zygote,
        "a": 5,
        "variable": "from this shell",
        "folder": str(bench.root),
    }


def test_warming_twice_starts_nothing_new(bench: Bench) -> None:
    bench.call("warm")
    before = (bench.residents(), bench.hosts())
    bench.call("warm")
    assert (bench.residents(), bench.hosts()) == before


def test_what_nobody_uses_ends_by_itself(bench: Bench) -> None:
    bench.call("warm", "--idle", "200ms")
    _await(lambda: not bench.hosts() and not bench.residents())
    code, result = bench.call("run", "nb.py")
    assert (code, result["status"]) == (0, "success")


def test_stop_ends_everything(bench: Bench) -> None:
    bench.call("warm")
    assert bench.hosts()
    code, stopped = bench.call("warm", "--stop")
    assert (code, stopped["stopped"]) == (0, 2)
    assert bench.call("warm", "--status")[1]["host"] is False


def test_a_dead_resident_is_no_obstacle(bench: Bench) -> None:
    bench.call("warm")
    (zygote,) = bench.residents().values()
    os.kill(zygote, signal.SIGKILL)
    for host in bench.hosts():
        os.kill(host, signal.SIGKILL)
    code, result = bench.call("run", "nb.py")
    assert code == 0
    assert result["scraps"]["zygote"] != zygote


def test_exit_codes_and_errors_come_through(bench: Bench) -> None:
    bench.call("warm")
    (bench.root / "bad.py").write_text("# %%\n1 / 0\n")
    assert bench.call("run", "bad.py")[0] == 1
    code, answer = bench.call("run", "missing.py")
    assert (code, answer["error"]["kind"]) == (2, "notebook-not-found")


def test_an_interrupt_reaches_the_run(bench: Bench) -> None:
    bench.call("warm")
    _, record = _interrupted(bench, signal.SIGINT)
    assert (record["status"], record["reason"]) == ("error", "interrupted")


def test_a_killed_client_does_not_leave_the_run_behind(bench: Bench) -> None:
    bench.call("warm")
    _interrupted(bench, signal.SIGKILL, read=False)
    _await(lambda: list(bench.root.glob(".octavo/runs/*/*/record.json")))
    record = _record(bench)
    assert (record["status"], record["reason"]) == ("error", "interrupted")


def _interrupted(bench: Bench, number: int, read: bool = True) -> tuple[int, Any]:
    (bench.root / "long.py").write_text(
        "# %%\nopen('begun', 'w').close()\nimport time\ntime.sleep(600)\n"
    )
    process = bench.start("run", "long.py", "--json")
    _await((bench.root / "begun").exists)
    process.send_signal(number)
    process.communicate(timeout=60)
    return process.returncode, _record(bench) if read else None


def _record(bench: Bench) -> Any:
    (path,) = bench.root.glob(".octavo/runs/*/*/record.json")
    return json.loads(path.read_text())


def _await(condition: Any) -> None:
    import time

    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)
