"""The `rerun` operation: run a notebook again as an earlier run did."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from octavo.errors import NotebookError, ParameterError, StorageError, UsageError
from octavo.notebook import formats
from octavo.records.record import RunRecord
from octavo.records.run_dir import RunDir
from octavo.requests import argument, option
from octavo.runs.context import RunContext, Said
from octavo.runs.execution import execute
from octavo.runs.given import given_values
from octavo.runs.inputs import STANDARD, is_elsewhere, read_input
from octavo.runs.looking.listing import found
from octavo.runs.operation import RunReport
from octavo.runs.path_templates import fill
from octavo.runs.plan import Plan, plan
from octavo.runs.request import RunRequest
from octavo.sources import SourceFile, read_text

REDACTED = "[redacted:"


class RerunRequest(RunRequest):
    """An earlier run, and what is to be different this time."""

    paths: tuple[str, ...] = ()
    jobs: int = 1
    prepare_only: bool = False
    parent_run: str | None = None
    run: str = argument(
        "a run: its id or a part of it, `last`, or its folder", metavar="RUN", default="last"
    )
    recorded: bool = option(
        "--recorded", help="run the source as it was then, not as the file is now", default=False
    )


async def rerun(request: RerunRequest, context: RunContext) -> RunReport:
    """Run again, with the parameters and options of then except where the request says more."""
    planned, again = planned_again(request, context)
    result = await execute(planned, again, context)
    context.finished([result])
    return RunReport((result,))


def planned_again(request: RerunRequest, context: RunContext) -> tuple[Plan, RunRequest]:
    """The plan of a run that is repeated, and the request that it comes to."""
    run = found(request.run, context)
    record = run.record()
    again = _again(request, record)
    given = given_values(again, context.cwd)
    refuse_redacted(given, again.env)
    path, source = _source(request, run, record, context)
    output = request.output and fill(request.output, given)
    return plan(path, given, output, again, context, source), again


def _again(request: RerunRequest, record: RunRecord) -> RunRequest:
    """The request of then, under that of now."""
    recorded = {name: _frozen(value) for name, value in record.options.items()}
    if "cwd" in recorded:
        recorded["cwd"] = record.environment.get("cwd")
    defaults = {name: getattr(RunRequest, name, None) for name in RunRequest._fields}
    kept = {
        name: value
        for name, value in recorded.items()
        if name in defaults and getattr(request, name) == defaults[name]
    }
    return request.replace(**kept, values=record.parameters, parent_run=record.run_id)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def refuse_redacted(given: Mapping[str, Any], variables: Iterable[str]) -> None:
    """A secret is not in the record, so it must be given again."""
    hidden = [name for name, value in given.items() if REDACTED in str(value)]
    unset = [each.partition("=")[0] for each in variables if REDACTED in each]
    if unset:
        raise UsageError(
            "wrong-argument",
            f"--env {', '.join(unset)}: secret, so the record does not hold the value",
            hint=" ".join(f"--env {name}=VALUE" for name in unset),
        )
    if hidden:
        raise ParameterError(
            "parameter-missing",
            "secret, so the record does not hold the value",
            place=", ".join(hidden),
            hint=" ".join(f"-p {name} VALUE" for name in hidden),
        )


def _recorded(path: str, text: str, suffix: str, cwd: str) -> SourceFile:
    if not is_elsewhere(path):
        return SourceFile(path, text, formats.read(text, path))
    file = os.path.join(cwd, f"notebook.{suffix}")
    return SourceFile(file, text, formats.read(text, file), path)


def _as_it_is_now(path: str, cwd: str) -> SourceFile:
    try:
        return read_input(path, cwd)
    except NotebookError as error:
        error.hint = f"{error.hint}; --recorded runs it as it was then"
        raise


def _source(
    request: RerunRequest, run: RunDir, record: RunRecord, context: RunContext
) -> tuple[str, SourceFile]:
    """The path of the notebook, and its text of now or of then."""
    path = record.source.get("path")
    if not path:
        raise StorageError(
            "record-invalid",
            "the record does not say which notebook was run",
            place=str(run.record_path),
            hint="the run was killed before it began; run the notebook again by its name",
        )
    if request.recorded or path == STANDARD:
        text = read_text(run.path / f"source.{record.source['format']}")
        return path, _recorded(path, text, record.source["format"], context.cwd)
    source = _as_it_is_now(path, context.cwd)
    if source.sha256 != record.source.get("sha256"):
        context.emit(Said(f"{path} has changed since that run; --recorded runs it as it was"))
    return path, source
