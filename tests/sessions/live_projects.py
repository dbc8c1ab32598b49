"""A project in which sessions live, and the command line in it. No session outlives a test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cli.calling import Answer, variables
from octavo.config import runtime_folder
from octavo.sessions import places
from octavo.sessions.client import Caller
from octavo.sessions.places import Place
from octavo.sessions.values import SessionInfo

NOTEBOOK = """\
# %% tags=["parameters"]
n: int = 3

# %%
base = list(range(n))

# %% [markdown]
# The sum of them.

# %%
total = sum(base)

# %%
print("total", total)
"""


class Live:
    """A project folder, a runtime folder of its own, and sessions."""

    def __init__(self, home: Path, root: Path | None = None) -> None:
        self.home = home
        self.root = root or home / "project"
        self.root.mkdir(exist_ok=True)
        (self.root / "octavo.toml").write_text("")
        runtime = home / "run"
        runtime.mkdir(mode=0o700, exist_ok=True)
        self.variables = {**variables(home), "XDG_RUNTIME_DIR": str(runtime)}

    @property
    def runtime(self) -> str:
        return runtime_folder(self.variables)

    def write(self, source: str = NOTEBOOK, name: str = "nb.py") -> Path:
        path = self.root / name
        path.write_text(source)
        return path

    def octavo(self, *words: object, stdin: str | None = None, code: int | None = 0) -> Answer:
        done = subprocess.run(
            [sys.executable, "-m", "octavo", *map(str, words)],
            cwd=self.root,
            env=self.variables,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
        )
        if code is not None:
            assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return Answer(done.returncode, done.stdout, done.stderr)

    def program(self, *words: object, **more: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "octavo", *map(str, words)],
            cwd=self.root,
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **more,
        )

    def start(self, *words: object) -> Caller:
        """A new session, and a connection to it."""
        info = self.octavo("session", "start", *words, "--json").json
        return Caller.open(self.runtime, info["id"])

    def again(self, caller: Caller) -> Caller:
        """A second connection to the same session."""
        return Caller.open(self.runtime, caller.place.id)

    def record(self, caller: Caller) -> Path:
        return Path(str(caller.place.note["record"]))

    def events(self, caller: Caller) -> list[dict[str, Any]]:
        lines = (self.record(caller) / "events.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def end(self) -> None:
        for place in places.places(self.runtime):
            _end(place)


@contextmanager
def live_in(home: Path, root: Path | None = None) -> Iterator[Live]:
    live = Live(home, root)
    try:
        yield live
    finally:
        live.end()


def info(caller: Caller) -> SessionInfo:
    return SessionInfo.from_json(caller.call("info"))


def texts(answer: dict[str, Any]) -> str:
    """What an execution has shown."""
    return "\n".join(str(item.get("text", "")) for item in answer["outputs"])


def is_gone(pid: int) -> bool:
    """Whether no process, or only a zombie, has this id; it is given a while to end."""
    for _ in range(1500):
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


def until(caller: Caller, state: str) -> None:
    """Until the session says that it is in a state."""
    for _ in range(1000):
        if info(caller).state == state:
            return
        time.sleep(0.01)
    raise AssertionError(f"it never was {state}")


def _end(place: Place) -> None:
    connection = place.connect()
    if connection is None:
        place.forget()
        return
    with suppress(Exception):
        connection.settimeout(30)
        Caller(place, connection).call("stop")
    # The process may be that of others too: of branches, or of all that sleep.
    for _ in range(1500):
        if not place.answers():
            return
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.kill(int(place.note["pid"]), signal.SIGKILL)


def until_snapshot(session: Caller) -> None:
    """Until the state has been copied, which happens while nobody waits."""
    while not info(session).snapshots and not info(session).notes:
        time.sleep(0.01)
