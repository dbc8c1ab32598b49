"""One command, measured: wall time, processor time and, in a run of its own, memory."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.processes import Memory, MemoryWatch

STDOUT = "stdout.txt"
STDERR = "stderr.txt"


class CommandFailed(Exception):
    """The command did not end with 0 in time."""


class TookTooLong(CommandFailed):
    """The command did not end in time."""


@dataclass(frozen=True)
class Sample:
    """Seconds that one run of a command took: on the clock, and of the processors."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Command:
    """Words to execute in a folder, with exactly these environment variables."""

    words: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    timeout: float


def timed(command: Command) -> Sample:
    """Run to the end and tell how long it took; a failure raises."""
    started = time.perf_counter()
    process = _start(command)
    with _killed_after(command.timeout, process.pid) as late:
        _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    _raise_unless_zero(command, process.returncode, late.is_set())
    return Sample(wall, usage.ru_utime + usage.ru_stime)


def weighed(command: Command) -> Memory:
    """Run to the end under a memory watch."""
    process = _start(command)
    watch = MemoryWatch()
    with watch.over(process.pid), _killed_after(command.timeout, process.pid) as late:
        code = process.wait()
    _raise_unless_zero(command, code, late.is_set())
    return watch.seen()


def _start(command: Command) -> subprocess.Popen[bytes]:
    with (command.folder / STDOUT).open("wb") as out, (command.folder / STDERR).open("wb") as err:
        return subprocess.Popen(
            command.words,
            cwd=command.folder,
            env=dict(command.environment),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )


@contextlib.contextmanager
def _killed_after(seconds: float, group: int) -> Iterator[threading.Event]:
    late = threading.Event()

    def kill() -> None:
        late.set()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)

    timer = threading.Timer(seconds, kill)
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


def _raise_unless_zero(command: Command, code: int, late: bool) -> None:
    if late:
        raise TookTooLong(f"took longer than {command.timeout:.0f} s")
    if code != 0:
        raise CommandFailed(f"exit code {code}: {_complaint(command.folder / STDERR)}")


def _complaint(path: Path) -> str:
    """The last line that is not a hint, without the folders of paths: it may be published."""
    lines = map(str.strip, path.read_text(errors="replace").splitlines())
    told = [line for line in lines if line and not line.startswith("hint:")]
    return re.sub(r"(?:/[^\s/()'\"]+)+/", "", told[-1])[:120] if told else "no message"
