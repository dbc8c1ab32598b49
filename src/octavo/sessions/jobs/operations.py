"""The operations `job list`, `job poll`, `job wait` and `job cancel`."""

from __future__ import annotations

from octavo.errors import UsageError
from octavo.requests import Request, argument, option, seconds
from octavo.sessions.jobs import following as jobs
from octavo.sessions.jobs.forgetting import forget_old
from octavo.sessions.jobs.values import Cancelled, JobContext, Jobs, JobState, Polled


class JobsRequest(Request):
    """The jobs of the project; `owner` is whose they are."""

    limit: int = option(
        "-n", "--limit", help="at most so many that have ended", default=20, metavar="N"
    )
    owner: str | None = None


class JobRequest(Request):
    """Something that is asked of one job."""

    job: str = argument("the job: its id, or the last letters of it", metavar="JOB")
    owner: str | None = None


class PollRequest(JobRequest):
    """What a job printed, from a cursor on."""

    cursor: str | None = option(
        "--cursor", help="only what came after this (from the last poll)", metavar="CURSOR"
    )
    budget: int | None = option(
        "--budget", help="about so many tokens of output", metavar="TOKENS", parse=int
    )


class WaitRequest(JobRequest):
    """How a job ended."""

    seconds: float | None = option(
        "--seconds",
        help="wait no longer than this; the job goes on",
        metavar="TIME",
        parse=seconds,
    )


class CancelRequest(JobRequest):
    """Ask a job to stop."""


async def job_list(request: JobsRequest, context: JobContext) -> Jobs:
    """The jobs that go on, and the last that have ended."""
    if request.limit < 0:
        hint = "-n 0 leaves out those that have ended"
        raise UsageError("wrong-argument", f"--limit {request.limit}: at least 0", hint=hint)
    forget_old(context.store(context.cwd).root)
    return await jobs.listed(context, owner=request.owner, limit=request.limit)


async def job_poll(request: PollRequest, context: JobContext) -> Polled:
    """What a job printed since the last poll."""
    return await jobs.poll(
        request.job, request.cursor, context, budget=request.budget, owner=request.owner
    )


async def job_wait(request: WaitRequest, context: JobContext) -> JobState:
    """Wait until a job has ended, or for a time."""
    return await jobs.wait(request.job, request.seconds, context, owner=request.owner)


async def job_cancel(request: CancelRequest, context: JobContext) -> Cancelled:
    """Stop a job: interrupt its cell, and when that does not help end its kernel."""
    return await jobs.cancel(request.job, context, owner=request.owner)
