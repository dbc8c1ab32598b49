"""A project whose notebooks wait for the test, and the command line in it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from cli.calling import Answer, variables
from octavo.events.types import KernelReady, Stream
from octavo.records.journal import goes_on, read_events
from octavo.records.run_dir import RunDir
from octavo.sessions.jobs import notes as job_notes
from octavo.sessions.jobs.journals import Reader
from octavo.sessions.jobs.watching import Watch

#: Says that it has begun, then waits until the test opens the gate.
WAITS = """\
# %%
print("begun", flush=True)

# %%
print("let in by", open("{gate}").read())

# %%
answer = 6 * 7
answer
"""
#: Cannot be stopped politely.
STUBBORN = """\
# %%
import time
print("begun", flush=True)
while True:
    try:
        open("gate").read()
        time.sleep(60)
    except KeyboardInterrupt:
        print("no", flush=True)
"""


class Project:
    """A folder with notebooks, gates that they wait at, and the command line."""

    def __init__(self, home: Path) -> None:
        self.root = home / "project"
        self.root.mkdir()
        (self.root / "octavo.toml").write_text("")
        self.variables = variables(home)

    def write(self, source: str, name: str = "nb.py") -> Path:
        path = self.root / name
        path.write_text(source)
        return path

    def waiting(self, name: str = "nb.py", gate: str = "gate") -> None:
        """A notebook that waits at a gate in its second cell."""
        os.mkfifo(self.root / gate)
        self.write(WAITS.format(gate=gate), name)

    def open(self, gate: str = "gate", word: str = "the test") -> None:
        """Let a notebook go on; it stands at the gate already, or comes to it."""
        (self.root / gate).write_text(word)

    def start(self, *words: object, **more: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "octavo", *map(str, words)],
            cwd=self.root,
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **more,
        )

    def __call__(self, *words: object, given: str | None = None) -> Answer:
        """One command to its end."""
        process = self.start(*words, stdin=subprocess.PIPE)
        out, err = process.communicate((given or "").encode(), timeout=120)
        return Answer(process.returncode, out.decode(), err.decode())

    def detached(self, *words: object) -> RunDir:
        """Begin a run that goes on by itself."""
        answer = self("run", "--detach", "--json", *(words or ("nb.py",)))
        assert answer.code == 0, answer.err
        return self.run(answer.json["id"])

    def run(self, run_id: str) -> RunDir:
        (found,) = (self.root / ".octavo/runs").glob(f"*/*{run_id}")
        return RunDir(found)

    def runs(self) -> list[RunDir]:
        return [RunDir(path) for path in sorted((self.root / ".octavo/runs").glob("*/*"))]

    def runner(self, run: RunDir) -> int:
        """The process that does a job."""
        note = job_notes.of(run)
        assert note is not None
        return note.pid

    def record(self, run: RunDir) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(run.record_path.read_bytes())
        return record


async def printed(run: RunDir, word: str) -> None:
    """Until a run has printed a word."""
    reader = Reader(run.journal_path)
    with Watch(run.path, growing=True) as watch:
        while True:
            for event in reader.events():
                if isinstance(event, Stream) and word in event.text:
                    return
            assert goes_on(run.path), f"it ended without a word of {word!r}"
            await watch.changed()


def until_printed(run: RunDir, word: str = "begun") -> None:
    asyncio.run(asyncio.wait_for(printed(run, word), 60))


def wait_for_death(pid: int) -> None:
    """Until a process that is not our child is gone."""
    import select

    with suppress(ProcessLookupError):
        process = os.pidfd_open(pid)
        select.select([process], [], [], 60)
        os.close(process)
    assert not is_alive(pid)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def working_in(folder: Path) -> list[int]:
    """Processes whose current folder is this one."""
    found = []
    for entry in os.listdir("/proc"):
        with suppress(OSError):
            if entry.isdigit() and os.readlink(f"/proc/{entry}/cwd") == str(folder):
                found.append(int(entry))
    return [pid for pid in found if is_alive(pid)]


def until_nobody_works_in(folder: Path) -> None:
    """Until all processes in a folder have ended; what is told to end may take a moment."""
    for pid in working_in(folder):
        wait_for_death(pid)


def kernel_of(run: RunDir) -> int:
    """The process of a run's kernel."""
    ready = [each for each in read_events(run.journal_path) if isinstance(each, KernelReady)]
    return ready[-1].pid


def made_in(folder: Path) -> Iterator[Project]:
    """A project for one test; what still goes on at its end is ended."""
    made = Project(folder)
    yield made
    for note in job_notes.noted(made.root / ".octavo"):
        if job_notes.is_alive(note):
            with suppress(ProcessLookupError):
                os.kill(note.pid, signal.SIGKILL)
