"""Who does a job: a note beside the records of the project, `.octavo/jobs/<run id>.json`.

It says which process to ask to stop; whether a job goes on is told by its journal alone. An
execution of a session has one, `<run id>.<cell>.json`, once somebody was sent away before its end.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from octavo.records.disk import replacing
from octavo.records.run_dir import RunDir
from octavo.sessions.values import Answer

FOLDER = "jobs"
#: Below it, the ids that clients gave to their requests.
REQUESTS = "requests"
#: A process reads this when it is told to stop, to know which of its jobs is meant.
_MARK = ".cancel"


class JobNote(Answer):
    """The process of a job. `born` tells it from a later one with the same number.

    Of an execution in a session it has the `status` too, once that has ended. Where it is of
    several cells of the record they are `cells`; until the end only the first of them. `given`
    stands for the parameters of a run.
    """

    id: str
    pid: int
    born: str
    notebook: str
    owner: str = ""
    session: str | None = None
    status: str | None = None
    cells: tuple[int, ...] = ()
    given: str = ""

    @property
    def is_execution(self) -> bool:
        return "." in self.id


def mark_of(values: Mapping[str, Any]) -> str:
    """A mark that equal parameters share, and that tells none of them."""
    spelled = repr(sorted(values.items())).encode("utf-8", "surrogatepass")
    return sha256(spelled).hexdigest()[:16]


def folder_of(run: RunDir) -> Path:
    """The notes beside a run: `.octavo/runs/<date>/<id>` lies in `.octavo`."""
    return run.path.parents[2] / FOLDER


def write(run: RunDir, note: JobNote, cell: int | None = None) -> None:
    """Note who does a job; written whole or not at all."""
    folder_of(run).mkdir(exist_ok=True)
    with replacing(_path(run, cell), sync=False) as file:
        file.write(json.dumps(note.to_json()).encode())


def read(path: Path) -> JobNote | None:
    """The note in a file; None where there is none that can be read."""
    try:
        return JobNote.from_json(json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def of(run: RunDir, cell: int | None = None) -> JobNote | None:
    """The note about a run, or an execution of a session; None for what is no job."""
    return read(_path(run, cell))


def _path(run: RunDir, cell: int | None) -> Path:
    # Zeros, so that names are in the order of time.
    name = run.run_id if cell is None else f"{run.run_id}.{cell:09}"
    return folder_of(run) / f"{name}.json"


def noted(root: Path) -> Iterator[JobNote]:
    """All jobs of a project, the newest first: their ids begin with the time."""
    try:
        names = sorted(os.listdir(root / FOLDER), reverse=True)
    except OSError:
        return
    for name in names:
        if name.endswith(".json") and (note := read(root / FOLDER / name)) is not None:
            yield note


def forget(run: RunDir) -> None:
    """Take the note about a run away."""
    for suffix in (".json", _MARK):
        (folder_of(run) / f"{run.run_id}{suffix}").unlink(missing_ok=True)


def tell_to_stop(run: RunDir, note: JobNote) -> bool:
    """Ask the process of a job to end this one; False when it is gone."""
    mark = folder_of(run) / f"{run.run_id}{_MARK}"
    with suppress(OSError):
        # Without the mark, on a full disk, all jobs of that process are meant.
        mark.touch()
    if _signal(note, signal.SIGTERM):
        return True
    mark.unlink(missing_ok=True)
    return False


def is_meant(run: RunDir) -> bool:
    """Whether this job was asked to stop since it was last looked."""
    try:
        (folder_of(run) / f"{run.run_id}{_MARK}").unlink()
    except OSError:
        return False
    return True


def born(pid: int) -> str:
    """When a process began, in the system's own count; empty where that cannot be told."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]


def is_alive(note: JobNote) -> bool:
    """Whether the process of a note is there, and not another one with its number."""
    return _signal(note, 0)


def _signal(note: JobNote, number: int) -> bool:
    try:
        if not hasattr(os, "pidfd_open"):
            os.kill(note.pid, number)
            return True
        process = os.pidfd_open(note.pid)
    except OSError:
        return False
    try:
        if born(note.pid) != note.born:
            return False
        signal.pidfd_send_signal(process, number)
    except OSError:
        return False
    finally:
        os.close(process)
    return True
