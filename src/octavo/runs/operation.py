"""The `run` operation: plan every notebook first, then run them, then say how each ended."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from octavo.errors import NotebookError, ParameterError, UsageError
from octavo.notebook.values import Given
from octavo.records.result import RunResult
from octavo.runs.context import RunContext
from octavo.runs.execution import execute
from octavo.runs.given import given_values
from octavo.runs.output_path import STANDARD
from octavo.runs.path_templates import fill, is_template
from octavo.runs.plan import Plan, plan
from octavo.runs.request import RunRequest
from octavo.value import Value


class RunReport(Value):
    """The results of the runs of one request, in the order of its notebooks."""

    results: tuple[RunResult, ...] = ()
    prepared: tuple[str, ...] = ()
    #: A prepared notebook that is to go to standard output.
    text: str = ""
    #: The live session that a held run has become.
    session: str | None = None

    def to_json(self) -> dict[str, Any]:
        if self.prepared:
            return {"prepared": list(self.prepared)}
        if len(self.results) == 1:
            held = {"session": self.session} if self.session else {}
            return {**self.results[0].to_json(), **held}
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
    plans = planned(request, context)
    if request.prepare_only:
        from octavo.runs.prepare import prepared_text, write_prepared

        text = prepared_text(plans[0]) if request.output == STANDARD else ""
        return RunReport(prepared=tuple(write_prepared(each) for each in plans), text=text)
    results = await _run_all(plans, request, context)
    if not request.checkout:
        context.finished(results)
    return RunReport(tuple(results))


def planned(request: RunRequest, context: RunContext) -> list[Plan]:
    """The plans of all notebooks, in their order; whatever can be checked before is in order."""
    _check(request)
    given = given_values(request, context.cwd)
    return [_plan(path, given, request, context) for path in request.paths]


def _plan(word: str, given: Given, request: RunRequest, context: RunContext) -> Plan:
    path, output = word, request.output
    if request.source is None:
        path = word if _is_file(word, context.cwd) else fill(word, given)
        output = output and fill(output, given)
    if request.inject_paths:
        from octavo.runs.injected_paths import with_paths

        given = with_paths(given, path, output)
    try:
        return plan(path, given, output, request, context, request.source)
    except NotebookError as error:
        if error.kind == "notebook-not-found" and len(request.paths) == 2:
            error.hint = f"-o {path} writes the executed notebook there; {error.hint}"
        raise
    except ParameterError as error:
        if len(request.paths) > 1:
            error.place = f"{path}: {error.place}"
        raise


def _is_file(word: str, cwd: str) -> bool:
    """A file whose name has braces in it is that file, not a template."""
    return is_template(word) and os.path.isfile(os.path.join(cwd, word))


def _check(request: RunRequest) -> None:
    if not request.paths:
        raise UsageError("wrong-argument", "no notebook was named", hint="octavo run notebook.py")
    if len(request.paths) > 1:
        _refuse_one_place_for_many(request)
    if request.paths.count(STANDARD) > 1:
        hint = "name it once; other notebooks as files"
        raise UsageError("wrong-argument", "standard input can be read only once", hint=hint)
    if request.autosave is not None and request.output in (None, STANDARD):
        raise UsageError(
            "wrong-argument",
            "--autosave needs a file to bring up to date",
            hint="add -o result.ipynb; the record is kept up to date by itself",
        )
    if request.jobs < 1:
        hint = "-j 1 runs one after the other"
        raise UsageError("wrong-argument", f"-j {request.jobs}: at least one must run", hint=hint)


def _refuse_one_place_for_many(request: RunRequest) -> None:
    files = {"-o": request.output, "--stdout-file": request.stdout_file}
    files["--stderr-file"] = request.stderr_file
    for option, path in files.items():
        if path is not None:
            raise UsageError(
                "wrong-argument",
                f"{option} names one file, but there are several notebooks",
                hint="leave it out: every record has its own notebook.ipynb",
            )


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
