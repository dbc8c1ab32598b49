"""Looking at work that goes on without its client, waiting for it, and ending it."""

from __future__ import annotations

from octavo.sessions.job_values import Cancelled, Job, JobContext, Jobs, JobState, Polled

__all__ = ["Job", "JobState", "Polled", "cancel", "listed", "poll", "wait"]


async def listed(context: JobContext, *, owner: str | None = None, limit: int = 20) -> Jobs:
    """The jobs of the project that go on, and the last that have ended."""
    raise NotImplementedError


async def poll(
    job_id: str,
    cursor: str | None,
    context: JobContext,
    *,
    budget: int | None = None,
    owner: str | None = None,
) -> Polled:
    """What a job did since the cursor (None: from its beginning), and the next cursor."""
    raise NotImplementedError


async def wait(
    job_id: str, seconds: float | None, context: JobContext, *, owner: str | None = None
) -> JobState:
    """How a job ended; how far it has come, when it goes on for longer than `seconds`."""
    raise NotImplementedError


async def cancel(
    job_id: str, context: JobContext, *, seconds: float = 20.0, owner: str | None = None
) -> Cancelled:
    """Ask a job to stop: its cell is interrupted, and killed when that does not help."""
    raise NotImplementedError
