"""Where contestants run: a fresh folder for every command, and nobody else alive."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.cases import Entrant
from bench.measurement import Command, CommandFailed, Sample, timed, weighed
from bench.processes import Memory, command_line, descendants, end, leftovers
from bench.told import Told
from bench.tools import OCTAVO, OURS, Tool
from bench.verification import JobNotDone

GRACE = 5.0
RESIDENT_TIMEOUT = 60.0


class TrackNotClear(Exception):
    """Something of ours is alive that should not be, or is dead that should be alive."""


TROUBLES = (CommandFailed, JobNotDone, TrackNotClear, OSError)
"""What makes a run fail rather than the benchmark."""


@dataclass(frozen=True)
class Track:
    """The contestants' programs, a scratch folder, and a home that is nobody's."""

    programs: Mapping[str, Path]
    scratch: Path
    unavailable: Mapping[str, str] = field(default_factory=dict)

    def environment(self, tool: Tool) -> dict[str, str]:
        """The same variables for everyone, but for the folder of programs."""
        home = self.scratch / "home"
        runtime = home / "run"
        runtime.mkdir(mode=0o700, parents=True, exist_ok=True)
        return {
            "PATH": f"{self.programs[tool.name]}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home),
            "TMPDIR": str(self.scratch),
            "XDG_RUNTIME_DIR": str(runtime),
            "LANG": "C.UTF-8",
            # Without it, one of the peers sends statistics over the network.
            "PLOOMBER_STATS_ENABLED": "false",
        }


def time_once(entrant: Entrant, track: Track, timeout: float) -> Sample:
    """One run that counts only if it did its job."""
    with _prepared(entrant, track, timeout) as command:
        sample = timed(command)
        if entrant.tool.figure is None or not isinstance(entrant.work, Told):
            return sample
        return Sample(entrant.tool.figure(command.folder), sample.cpu)


def weigh_once(entrant: Entrant, track: Track, timeout: float) -> Memory:
    """One run under a memory watch, which is not timed."""
    with _prepared(entrant, track, timeout) as command:
        return weighed(command)


@contextmanager
def resident(track: Track) -> Iterator[None]:
    """Octavo's resident zygote is alive in the body, before it and after it nothing is."""
    _require_nothing_alive()
    folder = Path(tempfile.mkdtemp(dir=track.scratch))
    environment = track.environment(OCTAVO)
    try:
        timed(Command(["octavo", "warm"], folder, environment, RESIDENT_TIMEOUT))
        _require_alive("`octavo warm` left no process")
        yield
        _require_alive("the resident zygote did not outlive the runs")
        timed(Command(["octavo", "warm", "--stop"], folder, environment, RESIDENT_TIMEOUT))
        _require_nothing_alive()
    finally:
        end(descendants(os.getpid()))
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _prepared(entrant: Entrant, track: Track, timeout: float) -> Iterator[Command]:
    if not entrant.resident:
        _require_nothing_alive()
    folder = Path(tempfile.mkdtemp(dir=track.scratch))
    try:
        (folder / "out").mkdir()
        entrant.work.write(folder)
        words = entrant.tool.words(entrant.work)
        command = Command(words, folder, track.environment(entrant.tool), timeout)
        if entrant.primed:
            timed(command)
        yield command
        entrant.tool.check(entrant.work, folder)
        if entrant.tool in OURS and not entrant.resident:
            _require_nothing_alive()
    finally:
        if not entrant.resident:
            end(leftovers(GRACE))
        shutil.rmtree(folder, ignore_errors=True)


def _require_nothing_alive() -> None:
    if alive := leftovers(GRACE):
        told = ", ".join(command_line(pid) for pid in alive[:3])
        end(alive)
        raise TrackNotClear(f"still alive after the command had ended: {told}")


def _require_alive(complaint: str) -> None:
    if not descendants(os.getpid()):
        raise TrackNotClear(complaint)
