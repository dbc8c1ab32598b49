"""What is told of work that goes on without its client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

from octavo.errors import UsageError
from octavo.runs.context import RunContext
from octavo.sessions.values import UNDER_WAY, Answer

JobStatus = Literal[
    "queued",
    "running",
    "succeeded",
    "failed",
    "interrupted",
    "timed-out",
    "kernel-died",
    "runner-died",
    "unable",
]
#: How a run that ended for a reason is called; other reasons are plain failures.
_BY_REASON: Mapping[str, JobStatus] = {
    "interrupted": "interrupted",
    "cell-timeout": "timed-out",
    "run-timeout": "timed-out",
    "silence-timeout": "timed-out",
    "kernel-died": "kernel-died",
    "out-of-memory": "kernel-died",
    "runner-died": "runner-died",
    "infrastructure": "unable",
}
_EXIT_CODES: Mapping[str, int] = {"interrupted": 130, "unable": 3, "runner-died": 3}


class JobContext(RunContext, Protocol):
    """What jobs need from the program around them."""

    runtime: str


class Job(Answer):
    """A piece of work with an id: a run, or with a dot in it an execution of a session."""

    id: str
    notebook: str
    status: JobStatus
    kind: Literal["run", "execution"] = "run"
    started: float | None = None
    record_path: str = ""
    next: str = ""

    @property
    def short(self) -> str:
        """The last letters of the id, which every command takes."""
        return self.id if "." in self.id else self.id[-8:]


class JobState(Answer):
    """How far a job has come. `done` of `cells` code cells have ended.

    `result` is what the run gave, as `octavo run --json` tells it, once it has ended; `session`
    is the live session that a held run has become.
    """

    id: str
    notebook: str
    status: JobStatus
    kind: Literal["run", "execution"] = "run"
    started: float | None = None
    finished: float | None = None
    done: int = 0
    cells: int = 0
    reason: str | None = None
    message: str = ""
    result: Mapping[str, Any] | None = None
    session: str | None = None
    next: str = ""

    @property
    def short(self) -> str:
        return self.id if "." in self.id else self.id[-8:]

    @property
    def ended(self) -> bool:
        return self.status not in UNDER_WAY

    @property
    def exit_code(self) -> int:
        """That of the run; work that goes on is no failure."""
        if self.status in ("succeeded", *UNDER_WAY):
            return 0
        return _EXIT_CODES.get(self.status, 1)


class Polled(Answer):
    """What a job did after a cursor, in few words, and the cursor to go on from.

    `outputs` are those of `octavo.render.answers`, each with the `cell` that it is of.
    """

    state: JobState
    cursor: str
    outputs: tuple[Mapping[str, Any], ...] = ()
    #: There is more that this answer had no room for; poll again at once.
    more: bool = False


class Cancelled(Answer):
    """A job that was asked to stop. `how` it came to its end, if it has.

    `interrupted` as by Ctrl-C; `killed` because that did not help; `ended` before it was asked.
    """

    state: JobState
    how: Literal["interrupted", "killed", "ended", "asked"]
    next: str = ""


def no_job(job_id: str) -> UsageError:
    """A word that names no job."""
    hint = "octavo job list shows those there are"
    return UsageError("job-not-found", f"there is no job {job_id[:60]!r}", hint=hint)


class Jobs(Answer):
    """The jobs of a project, the newest last."""

    jobs: tuple[JobState, ...] = ()


def status_of(status: str, reason: str | None) -> JobStatus:
    """What a run's ending makes of its job."""
    if status == "success":
        return "succeeded"
    return _BY_REASON.get(reason or "", "failed")
