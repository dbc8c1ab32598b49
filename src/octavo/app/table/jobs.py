"""Operations on work that goes on without its client."""

from __future__ import annotations

from octavo.app.table.entry import SESSIONS, Entry

_OPERATIONS = "octavo.sessions.jobs.operations"

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "session from-run",
        "octavo.sessions.jobs.held:from_run",
        "octavo.sessions.requests:FromRunRequest",
        "the live session of a run that failed and was held (run --hold)",
        group=SESSIONS,
        examples=("octavo session from-run last",),
        agents=True,
    ),
    Entry(
        "job list",
        f"{_OPERATIONS}:job_list",
        f"{_OPERATIONS}:JobsRequest",
        "list the work that goes on by itself, and the last that has ended",
        group=SESSIONS,
        examples=("octavo job list", "octavo job list --json"),
        agents=True,
    ),
    Entry(
        "job poll",
        f"{_OPERATIONS}:job_poll",
        f"{_OPERATIONS}:PollRequest",
        "what a job printed since the last time, in few words",
        group=SESSIONS,
        examples=("octavo job poll 0f3a9c21", "octavo job poll 0f3a9c21 --cursor 48213 --json"),
        agents=True,
    ),
    Entry(
        "job wait",
        f"{_OPERATIONS}:job_wait",
        f"{_OPERATIONS}:WaitRequest",
        "wait until a job has ended, and say how; exit codes are those of `run`",
        group=SESSIONS,
        examples=("octavo job wait 0f3a9c21", "octavo job wait 0f3a9c21 --seconds 30"),
        agents=True,
    ),
    Entry(
        "job cancel",
        f"{_OPERATIONS}:job_cancel",
        f"{_OPERATIONS}:CancelRequest",
        "stop a job: its cell is interrupted, and its kernel ended when that does not help",
        group=SESSIONS,
        examples=("octavo job cancel 0f3a9c21", "octavo job cancel 7c1d44e0.5"),
        agents=True,
    ),
)
