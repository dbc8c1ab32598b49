"""`octavo.NotebookExecutor`: running and editing notebooks, for the tools of an agent."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast

from octavo.errors import InfrastructureError, NotebookError, UsageError
from octavo.notebook.diff import Diff
from octavo.records.result import RunResult
from octavo.requests import seconds
from octavo.runs.request import RunRequest
from octavo.surfaces.python.following import Follower, OnProgress, Progress, log_progress
from octavo.surfaces.python.worker import Worker

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["ExecutionResult", "FailedCellDict", "NotebookExecutor", "Progress", "Validation"]

Path = str | os.PathLike[str]
Found = TypeVar("Found")


class FailedCellDict(TypedDict):
    """The cell that ended a run; `index` and `line` are those of the author's file."""

    index: int | None
    source: str
    ename: str
    evalue: str
    traceback: list[str]
    line: int | None


class ExecutionResult(TypedDict):
    """What `execute` gives: JSON, with the keys of `octavo run --json` and `output_path`."""

    status: str
    duration_seconds: float
    cells_executed: int
    failed_cell: FailedCellDict | None
    scraps: dict[str, Any]
    reason: str | None
    message: str
    value: Any
    run_id: str
    notebook_path: str
    record_path: str
    output_path: str | None
    scraps_schema: dict[str, Any] | None
    scrap_problems: list[dict[str, Any]]


class Problem(TypedDict):
    """One thing that is wrong with a notebook; `kind` is one of the kinds of errors."""

    kind: str
    place: str
    message: str


class Validation(TypedDict):
    """What `validate` gives."""

    valid: bool
    path: str
    format: str
    problems: list[Problem]


class NotebookExecutor:
    """Runs, reads, edits, compares and checks notebooks.

    What is given here holds for every call of `execute` that does not say otherwise.

    `kernel_name` is a Jupyter kernel (default: what the notebook asks for), `cwd` the folder to
    run in (default: the notebook's). With `log_output` what cells write goes to the logger
    `octavo` as it comes. `progress` is called with a `Progress` whenever a cell starts or ends,
    or True for a line in that log.
    """

    def __init__(
        self,
        *,
        kernel_name: str | None = None,
        cwd: Path | None = None,
        log_output: bool = False,
        progress: OnProgress | bool | None = None,
    ) -> None:
        self.kernel_name = kernel_name
        self.cwd = cwd
        self.log_output = log_output
        self.progress = progress

    def execute(
        self,
        input_path: Path,
        output_path: Path | None = None,
        parameters: Mapping[str, Any] | None = None,
        timeout: float | str | None = 300,
        *,
        kernel_name: str | None = None,
        cwd: Path | None = None,
        log_output: bool | None = None,
        progress: OnProgress | bool | None = None,
        allow_unknown: bool = False,
    ) -> ExecutionResult:
        """Run a notebook and tell how that ended, as JSON.

        `output_path` is where the executed notebook is written, also when the run fails.
        `timeout` bounds each cell, in seconds or as `"5m"`; None for no bound. A notebook that
        fails gives the status `error`; wrong use raises an OctavoError before anything is run.
        """
        request = RunRequest(
            paths=(os.fspath(input_path),),
            values=dict(parameters or {}),
            allow_unknown=allow_unknown,
            output=_path(output_path),
            kernel=self.kernel_name if kernel_name is None else kernel_name,
            cwd=_path(self.cwd if cwd is None else cwd),
            cell_timeout=_seconds(timeout),
        )
        follower = Follower(
            _on_progress(self.progress if progress is None else progress),
            log_output=self.log_output if log_output is None else log_output,
        )
        report = Worker(request).follow(follower.take)
        return _as_json(report.results[0], follower.output_path)

    def collect_outputs(self, notebook_path: Path) -> dict[str, Any]:
        """The scraps of an executed notebook: their data by name.

        A table is a pandas DataFrame; without the extra `tables` it is a mapping that describes
        it. `notebook_path` may name a run, too, as `octavo.read_notebook` allows.
        """
        from octavo.surfaces.python.reading import read_notebook

        scraps = read_notebook(notebook_path).scraps.data_scraps
        return {name: _data(scrap) for name, scrap in scraps.items()}

    def inspect_parameters(self, notebook_path: Path) -> dict[str, Any]:
        """The JSON Schema of what a notebook takes, with facts about it under `x-notebook`."""
        from octavo.authoring.inspect import InspectRequest, inspect

        return _done(inspect, InspectRequest(os.fspath(notebook_path))).to_json()

    def read_notebook(self, path: Path) -> NotebookNode:
        """The notebook at a path in any format, as nbformat 4.5 with an id on every cell.

        Ids that the file does not name come from the content of cells: the same every time.
        """
        from octavo.authoring.documents import read_document
        from octavo.authoring.soundness import nbformat_package

        with _nested_within_reason(path):
            return cast("NotebookNode", nbformat_package().from_dict(read_document(path)))

    def write_notebook(self, nb: Mapping[str, Any], path: Path) -> None:
        """Put a notebook at a path, in the format of its name, whole or not at all.

        It is validated first: an invalid one is refused with all that is wrong, and the file
        stays as it was. In a script only the cells that changed are written anew. Text formats
        hold no outputs.
        """
        from octavo.authoring.writing import write_document

        with _nested_within_reason(path):
            write_document(nb, path)

    def diff_notebooks(self, path_a: Path, path_b: Path) -> Diff:
        """What makes the second notebook of the first, in nbdime's format.

        The files may be of different formats: what one of them cannot hold, such as outputs in
        a script, counts as unchanged.
        """
        from octavo.authoring.documents import comparable
        from octavo.notebook.diff import diff

        with _nested_within_reason(path_a):
            return diff(*comparable(path_a, path_b))

    def validate(self, notebook_path: Path) -> Validation:
        """All that is wrong with a notebook: in nbformat's eyes, and cells that do not parse."""
        from octavo.authoring.validate import ValidateRequest, validate

        found = _done(validate, ValidateRequest(os.fspath(notebook_path)))
        return cast("Validation", found.to_json())


def _path(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)


def _seconds(timeout: float | str | None) -> float | None:
    hint = "give seconds, text such as '5m', or None for no bound"
    if timeout is None:
        return None
    try:
        found = seconds(timeout) if isinstance(timeout, str) else float(timeout)
    except (TypeError, ValueError) as error:
        raise UsageError("wrong-argument", str(error), place="timeout", hint=hint) from None
    if not found > 0:
        message = f"{timeout!r} leaves no time for a cell"
        raise UsageError("wrong-argument", message, place="timeout", hint=hint)
    return found


def _on_progress(progress: OnProgress | bool | None) -> OnProgress | None:
    if isinstance(progress, bool):
        return log_progress if progress else None
    return progress


def _as_json(result: RunResult, output_path: str | None) -> ExecutionResult:
    return cast("ExecutionResult", _lists({**result.to_json(), "output_path": output_path}))


def _lists(value: Any) -> Any:
    """The value as it would come back from JSON."""
    if isinstance(value, Mapping):
        return {key: _lists(item) for key, item in value.items()}
    return [*map(_lists, value)] if isinstance(value, list | tuple) else value


@contextmanager
def _nested_within_reason(path: Path) -> Iterator[None]:
    """Python goes only some hundred levels deep."""
    try:
        yield
    except RecursionError as error:
        raise NotebookError(
            "notebook-invalid",
            "the metadata or outputs are nested too deeply",
            place=os.fspath(path),
            hint="clear the outputs, and look at the metadata",
        ) from error


def _data(scrap: Any) -> Any:
    try:
        return scrap.data
    except InfrastructureError as error:
        if error.kind != "extra-missing":
            raise
        return scrap.summary()


def _done(operation: Callable[[Any, Any], Coroutine[Any, Any, Found]], request: Any) -> Found:
    """The result of an operation; a loop of its own, as the caller may be running in one."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from octavo.app.context import current

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(operation(request, current()))).result()
