"""Runs in a process of their own, which goes on when whoever started it is gone."""

from __future__ import annotations

from octavo.runs.request import RunRequest
from octavo.sessions.job_values import Job, JobContext


async def start_detached(request: RunRequest, context: JobContext, *, owner: str = "") -> Job:
    """Begin the run of one notebook and return at once; errors that need no kernel are raised.

    A request whose `request_id` was used before gives the job of that time.
    """
    raise NotImplementedError
