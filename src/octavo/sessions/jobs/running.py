"""The operations `run` and `rerun`: here, or where that was asked for in a process of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from octavo.errors import UsageError
from octavo.runs.operation import RunReport, planned
from octavo.runs.operation import run as run_here
from octavo.runs.output_path import STANDARD
from octavo.value import Value

if TYPE_CHECKING:
    from octavo.runs.request import RunRequest
    from octavo.runs.rerun import RerunRequest
    from octavo.sessions.jobs.values import Job, JobContext


class Detached(Value):
    """Runs that go on by themselves, in the order of their notebooks."""

    jobs: tuple[Job, ...]

    def to_json(self) -> dict[str, Any]:
        if len(self.jobs) == 1:
            return self.jobs[0].to_json()
        return {"jobs": [job.to_json() for job in self.jobs]}


async def run(request: RunRequest, context: JobContext) -> RunReport | Detached:
    """Run notebooks here, or where that was asked for in a process of their own."""
    refuse_what_needs_waiting(request)
    if request.detach:
        from octavo.sessions.jobs.detached import detach

        return Detached(await detach(planned(request, context), request, context))
    if request.hold is not None:
        from octavo.sessions.jobs.holding import run_held

        return await run_held(planned(request, context), request, context)
    return await run_here(request, context)


async def rerun(request: RerunRequest, context: JobContext) -> RunReport | Detached:
    """Run again as an earlier run did, here or in a process of its own."""
    from octavo.runs.rerun import planned_again
    from octavo.runs.rerun import rerun as rerun_here

    refuse_what_needs_waiting(request)
    if not request.detach and request.hold is None:
        return await rerun_here(request, context)
    plan, again = planned_again(request, context)
    if request.detach:
        from octavo.sessions.jobs.detached import detach

        return Detached(await detach([plan], again, context))
    from octavo.sessions.jobs.holding import run_held

    return await run_held([plan], again, context)


def refuse_what_needs_waiting(request: RunRequest) -> None:
    """What only makes sense for somebody who waits, or for one run."""
    if request.request_id is not None and not request.detach:
        hint = "add --detach; a run that is waited for is not asked for twice"
        raise UsageError("wrong-argument", "--request-id goes with --detach", hint=hint)
    if not request.detach and request.hold is None:
        return
    word = "--detach" if request.detach else "--hold"
    if request.prepare_only:
        hint = f"leave {word} out"
        raise UsageError("wrong-argument", "--prepare-only runs nothing", hint=hint)
    if request.detach and request.output == STANDARD:
        message = "--detach leaves nobody to read the notebook from standard output"
        raise UsageError("wrong-argument", message, hint="name a file after -o")
    if request.hold is not None:
        _refuse_to_hold(request)


def _refuse_to_hold(request: RunRequest) -> None:
    if len(request.paths) > 1:
        hint = "run each with a --hold of its own"
        raise UsageError("wrong-argument", "--hold is for one notebook", hint=hint)
    if request.keep_going:
        message = "--hold stops at the failing cell, --keep-going does not"
        raise UsageError("wrong-argument", message, hint="leave one of them out")
