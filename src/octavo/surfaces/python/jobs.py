"""`octavo.detach` and `octavo.Job`: work that goes on without the program that began it."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from typing import Any

from octavo.requests import seconds as duration
from octavo.runs.request import HOLD
from octavo.sessions.jobs.detached import start_detached
from octavo.sessions.jobs.operations import (
    CancelRequest,
    PollRequest,
    WaitRequest,
    job_cancel,
    job_poll,
    job_wait,
)
from octavo.sessions.jobs.values import Cancelled, JobState, Polled
from octavo.surfaces.python.running import number, request_of, run
from octavo.surfaces.python.steps import called


class Job:
    """A job by its id, or the last letters of it: a detached run, or an execution in a session."""

    def __init__(self, id: str) -> None:
        self.id = id

    def poll(self, cursor: str | None = None, *, budget: int | None = None) -> Polled:
        """What it printed since the cursor, in few words, and the cursor to go on from."""
        return called(job_poll, PollRequest(self.id, cursor=cursor, budget=budget))

    def wait(self, seconds: float | None = None) -> JobState:
        """How it ended; how far it has come, when it goes on for longer than that."""
        return called(job_wait, WaitRequest(self.id, seconds=seconds))

    def cancel(self) -> Cancelled:
        """Stop it: its cell is interrupted, and its kernel ended when that does not help."""
        return called(job_cancel, CancelRequest(self.id))

    def __repr__(self) -> str:
        return f"Job({self.id!r})"


def detach(
    path: str | os.PathLike[str],
    parameters: Mapping[str, Any] | None = None,
    *,
    request_id: str | None = None,
    hold: float | str | bool | None = None,
    **options: Any,
) -> Job:
    """Begin a run that goes on by itself, and return at once. `options` are those of `run`.

    With a `request_id` the same call made twice begins one run. With `hold` (True, or for how
    long) the kernel of a run that fails is kept.
    """
    bound = inspect.signature(run).bind(path, parameters, **options)
    bound.apply_defaults()
    if bound.arguments["on_event"] is not None:
        raise TypeError("detach() does not take 'on_event': nobody waits for what happens")
    held = HOLD if hold is True else number("hold", hold or None, duration)
    request = request_of(dict(bound.arguments)).replace(request_id=request_id, hold=held)
    return Job(called(start_detached, request).id)
