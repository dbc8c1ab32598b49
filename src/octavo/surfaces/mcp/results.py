"""What tools answer, typed: clients get the schema of each. What is empty is left out."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

Plain = dict[str, Any]
Seconds = Annotated[float, AfterValidator(lambda seconds: round(seconds, 2))]
#: Seconds since 1970; parts of one do not matter.
Moment = Annotated[int, BeforeValidator(int)]


class Result(BaseModel):
    """What every answer may hold: work that goes on has a `job`, and `next` is the next step."""

    model_config = ConfigDict(extra="ignore")

    status: str | None = None
    job: str | None = None
    next: str | None = None
    notes: list[str] | None = None


class Created(Result):
    path: str | None = None
    beside: str | None = None
    text: str | None = None


class Read(Result):
    text: str | None = None


class FailedCell(BaseModel):
    """The cell that failed; `where` is a line of the author's file."""

    model_config = ConfigDict(extra="ignore")

    index: int | None = None
    where: str | None = None
    ename: str = ""
    evalue: str = ""
    did_you_mean: list[str] | None = None
    source: str | None = None
    traceback: list[str] | None = None


class Ran(Result):
    """A run. `status` is success, error or running; `outputs` are those since the cursor. Several
    runs of one call are in `runs`, in the order of their parameters."""

    run_id: str | None = None
    notebook: str | None = None
    reason: str | None = None
    message: str | None = None
    duration_seconds: Seconds | None = None
    cells_executed: int | None = None
    cells: int | None = None
    failed_cell: FailedCell | None = None
    scraps: Plain | None = None
    scrap_problems: list[Plain] | None = None
    outputs: list[Plain] | None = None
    images_of_cells: list[int] | None = None
    output_path: str | None = None
    cursor: str | None = None
    runs: list[Plain] | None = None


class EditedCell(BaseModel):
    index: int | None = None
    handle: str | None = None


class EditedNotebook(Ran):
    """An edit, and the run after it where one was asked for."""

    changed: bool | None = None
    merged: bool | None = None
    cell: EditedCell | None = None
    removed: str | None = None
    diff: str | None = None


class Compared(Result):
    changed: bool | None = None
    files: list[str] | None = None
    markdown: str | None = None
    omitted: int | None = None


class Checked(Result):
    passed: bool | None = None
    seconds: Seconds | None = None
    verdicts: list[Plain] | None = None


class Committed(Result):
    branch: str | None = None
    commit: str | None = None
    files: list[str] | None = None
    pushed: bool | None = None
    changed: bool | None = None


class Opened(Result):
    number: int | None = None
    url: str | None = None
    branch: str | None = None
    base: str | None = None
    title: str | None = None


class Reviewed(Result):
    number: int | None = None
    title: str | None = None
    state: str | None = None
    url: str | None = None
    findings: list[Plain] | None = None
    reviews: list[Plain] | None = None
    statuses: list[Plain] | None = None
    mergeable: Plain | None = None
    hidden: int | None = None


class Runs(Result):
    runs: list[Plain] | None = None
    more: bool | None = None


class RunShown(Result):
    run_id: str | None = None
    notebook: str | None = None
    reason: str | None = None
    text: str | None = None
    omitted: int | None = None
    images: list[Plain] | None = None


class JobDone(Ran):
    """A job: a run, an execution in a session, or other work with its `result` at the end."""

    session: str | None = None
    result: Plain | None = None
    how: str | None = None


class SessionResult(Result):
    session: str | None = None
    lease_ends: Moment | None = None


class Executed(SessionResult):
    cell: Plain | None = None
    outputs: list[Plain] | None = None
    error: Plain | None = None
    seconds: Seconds | None = None
    executed: list[Plain] | None = None
    position: int | None = None


class Started(Executed):
    """A new session, and what it executed at once."""

    cells: int | None = None


class Variables(SessionResult):
    variables: list[Plain] | None = None
    preview: Plain | None = None
    text: str | None = None
    omitted: int | None = None


class Rewound(SessionResult):
    position: int | None = None
    how: str | None = None
    files: list[Plain] | None = None


class Saved(SessionResult):
    path: str | None = None
    changed: bool | None = None


class Stopped(SessionResult):
    done: str | None = None


class Anything(Result):
    """The answer of an operation as `--json` tells it."""

    result: Any = None
