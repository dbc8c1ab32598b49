"""Runs in a process of their own, which goes on when whoever started it is gone."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from octavo.errors import InfrastructureError
from octavo.runs.operation import planned
from octavo.runs.plan import Plan
from octavo.runs.request import RunRequest
from octavo.sessions.jobs.claims import claimed
from octavo.sessions.jobs.runner import Work, failed
from octavo.sessions.jobs.running import refuse_what_needs_waiting
from octavo.sessions.jobs.values import Job, JobContext
from octavo.sessions.wire import raised

PROGRAM = "octavo.app.runner"


async def start_detached(request: RunRequest, context: JobContext, *, owner: str = "") -> Job:
    """Begin the run of one notebook and return at once; errors that need no kernel are raised.

    A request whose `request_id` was used before gives the job of that time.
    """
    [job] = await start_each((request,), context, owner=owner)
    return job


async def start_each(
    requests: Sequence[RunRequest], context: JobContext, *, owner: str = ""
) -> tuple[Job, ...]:
    """Begin several runs, all of them or none. The first request says how many run at once, and
    its `request_id` stands for them all.
    """
    detached = [request.replace(detach=True) for request in requests]
    for request in detached:
        refuse_what_needs_waiting(request)
    plans = [plan for request in detached for plan in planned(request, context)]
    return await detach(plans, detached[0], context, owner=owner)


async def detach(
    plans: Sequence[Plan], request: RunRequest, context: JobContext, *, owner: str = ""
) -> tuple[Job, ...]:
    """Hand runs over to a process of their own; their ids, once they are alive."""
    return await asyncio.to_thread(_hand_over, Work(tuple(plans), request, owner), context)


def _hand_over(work: Work, context: JobContext) -> tuple[Job, ...]:
    with claimed(work, context) as claim:
        if claim.jobs:
            return claim.jobs
        started = Started(work.replace(claim=claim.descriptor), context)
        try:
            return started.jobs()
        finally:
            started.leave()


class Started:
    """A process that was given work to do, as whoever started it sees it."""

    def __init__(self, work: Work, context: JobContext) -> None:
        if not hasattr(os, "fork"):
            raise InfrastructureError(
                "platform",
                f"a run cannot be left alone on {sys.platform}",
                hint="without --detach and --hold it is run in this process",
            )
        content = pickle.dumps((context.cwd, dict(context.environ), work))
        self._process = subprocess.Popen(
            [context.python, "-m", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=dict(context.environ),
            cwd="/",
            pass_fds=() if work.claim is None else (work.claim,),
        )
        assert self._process.stdin and self._process.stdout
        self._input, self._output = self._process.stdin, self._process.stdout
        with suppress(BrokenPipeError):
            self._input.write(len(content).to_bytes(8, "big") + content)
            self._input.flush()

    def jobs(self) -> tuple[Job, ...]:
        """The runs that have begun; the error, when none has."""
        message = self.heard()
        if "error" in message:
            raise raised(message["error"])
        return tuple(map(Job.from_json, message["jobs"]))

    def heard(self) -> dict[str, Any]:
        """The next thing that it says; waits for it."""
        words = b""
        for line in self._output:
            words += line
            with suppress(ValueError):
                message = json.loads(line)
                if isinstance(message, dict):
                    return message
        raise failed(words.decode("utf-8", "replace"))

    def leave(self) -> None:
        """Listen no longer. What stays of the process has another parent by now."""
        with suppress(OSError):
            self._input.close()
        self._output.close()
        self._process.wait()
