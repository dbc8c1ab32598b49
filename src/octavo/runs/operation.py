"""The `run` operation: plan every notebook first, then run them, then say how each ended."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from octavo.errors import ParameterError, UsageError
from octavo.records.result import RunResult
from octavo.runs.context import RunContext
from octavo.runs.execution import execute
from octavo.runs.given import given_values
from octavo.runs.plan import Plan, plan
from octavo.runs.request import RunRequest
from octavo.value import Value


class RunReport(Value):
    """The results of the runs of one request, in the order of its notebooks."""

    results: tuple[RunResult, ...] = ()
    prepared: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        if self.prepared:
            return {"prepared": list(self.prepared)}
        if len(self.results) == 1:
            return self.results[0].to_json()
        return {"runs": [result.to_json() for result in self.results]}

    @property
    def exit_code(self) -> int:
        """0 when all succeeded, else the gravest: interrupted, infrastructure, failed."""
        reasons = {result.reason for result in self.results if not result.ok}
        if "interrupted" in reasons:
            return 130
        if "infrastructure" in reasons:
            return 3
        return 1 if reasons else 0


async def run(request: RunRequest, context: RunContext) -> RunReport:
    """Run notebooks and keep a record of each. Nothing runs unless all of them are in order."""
    _check(request)
    given = given_values(request, context.cwd)
    plans = [_plan(path, given, request, context) for path in request.paths]
    if request.prepare_only:
        from octavo.runs.prepare import write_prepared

        return RunReport(prepared=tuple(write_prepared(each) for each in plans))
    results = await _run_all(plans, request, context)
    return RunReport(tuple(results))


def _plan(path: str, given: Mapping[str, Any], request: RunRequest, context: RunContext) -> Plan:
    try:
        return plan(path, given, request.output, request, context)
    except ParameterError as error:
        if len(request.paths) > 1:
            error.place = f"{path}: {error.place}"
        raise


def _check(request: RunRequest) -> None:
    if not request.paths:
        raise UsageError("wrong-argument", "no notebook was named", hint="octavo run notebook.py")
    if request.output and len(request.paths) > 1:
        raise UsageError(
            "wrong-argument",
            "-o names one file, but there are several notebooks",
            hint="leave -o out: every record has its own notebook.ipynb",
        )
    if request.jobs < 1:
        hint = "-j 1 runs one after the other"
        raise UsageError("wrong-argument", f"-j {request.jobs}: at least one must run", hint=hint)


async def _run_all(plans: list[Plan], request: RunRequest, context: RunContext) -> list[RunResult]:
    """All plans, `jobs` of them at a time."""
    places = asyncio.Semaphore(request.jobs)
    context.expect(len(plans))

    async def one(each: Plan) -> RunResult | None:
        async with places:
            if context.stop.requested and len(plans) > 1:
                return None
            return await execute(each, request, context)

    done = await asyncio.gather(*(one(each) for each in plans), return_exceptions=True)
    failures = [each for each in done if isinstance(each, BaseException)]
    if failures:
        # The others have come to their ends meanwhile, and their records are written.
        raise failures[0]
    return [each for each in done if isinstance(each, RunResult)]
