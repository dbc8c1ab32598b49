"""`octavo.NotebookExecutor`: running and editing notebooks, for the tools of an agent."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, TypeVar, cast

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
    """What `validate` gives; `verdicts` are those of `octavo check`, where it was asked for."""

    valid: bool
    path: str
    format: str
    problems: list[Problem]
    verdicts: NotRequired[list[dict[str, Any]]]


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
        folder = self.cwd if cwd is None else cwd
        request = RunRequest(
            paths=(_path(input_path, "input_path"),),
            values=_values(parameters),
            allow_unknown=allow_unknown,
            output=None if output_path is None else _path(output_path, "output_path"),
            kernel=self.kernel_name if kernel_name is None else kernel_name,
            cwd=None if folder is None else _path(folder, "cwd"),
            cell_timeout=_seconds(timeout),
        )
        follower = Follower(
            _on_progress(self.progress if progress is None else progress),
            log_output=self.log_output if log_output is None else log_output,
        )
        with _nested_within_reason(input_path, "a parameter is"):
            report = Worker(request).follow(follower.take)
        return _as_json(report.results[0], follower.output_path)

    def collect_outputs(self, notebook_path: Path) -> dict[str, Any]:
        """The scraps of an executed notebook: their data by name.

        A table is a pandas DataFrame; without the extra `tables` it is a mapping that describes
        it. `notebook_path` may name a run, too, as `octavo.read_notebook` allows.
        """
        from octavo.surfaces.python.reading import read_notebook

        scraps = read_notebook(_path(notebook_path, "notebook_path")).scraps.data_scraps
        return {name: _data(scrap) for name, scrap in scraps.items()}

    def inspect_parameters(self, notebook_path: Path) -> dict[str, Any]:
        """The JSON Schema of what a notebook takes, with facts about it under `x-notebook`."""
        from octavo.authoring.inspect import InspectRequest, inspect

        return _done(inspect, InspectRequest(_path(notebook_path, "notebook_path"))).to_json()

    def read_notebook(self, path: Path) -> NotebookNode:
        """The notebook at a path in any format, as nbformat 4.5 with an id on every cell.

        Ids that the file does not name come from the content of cells: the same every time.
        """
        from octavo.authoring.documents import read_document
        from octavo.authoring.soundness import nbformat_package

        name = _path(path, "path")
        with _nested_within_reason(name):
            return cast("NotebookNode", nbformat_package().from_dict(read_document(name)))

    def write_notebook(self, nb: Mapping[str, Any], path: Path) -> None:
        """Put a notebook at a path, in the format of its name, whole or not at all.

        It is validated first: an invalid one is refused with all that is wrong, and the file
        stays as it was. In a script only the cells that changed are written anew. Text formats
        hold no outputs.
        """
        from octavo.authoring.writing import write_document

        name = _path(path, "path")
        if not isinstance(nb, Mapping):
            hint = "give a NotebookNode, or a dictionary with nbformat and cells"
            raise _wrong("nb", f"a notebook is a mapping, not {_article(nb)}", hint)
        with _nested_within_reason(name):
            write_document(nb, name)

    def diff_notebooks(self, path_a: Path, path_b: Path) -> Diff:
        """What makes the second notebook of the first, in nbdime's format, as `octavo diff --json`.

        nbdime applies it to the first file as nbformat reads it. The files may be of different
        formats: what one of them cannot hold, such as outputs in a script, counts as unchanged.
        """
        from octavo.authoring.diffing import compare_files

        paths = _path(path_a, "path_a"), _path(path_b, "path_b")
        with _nested_within_reason(paths[0]):
            return compare_files(*paths).diff

    def validate(self, notebook_path: Path, nbval_lax: bool = False) -> Validation:
        """All that is wrong with a notebook: in nbformat's eyes, and cells that do not parse.

        With `nbval_lax` it is also run and judged, as `octavo check` does: every cell must run,
        and the outputs of cells marked `# NBVAL_CHECK_OUTPUT` must be those of the reference.
        """
        from octavo.authoring.validate import ValidateRequest, validate

        path = _path(notebook_path, "notebook_path")
        found = _done(validate, ValidateRequest(path))
        if not nbval_lax or not found.valid:
            return cast("Validation", found.to_json())
        from octavo.surfaces.python.checking import checked

        return cast("Validation", checked(found.to_json(), path))


def _wrong(place: str, message: str, hint: str) -> UsageError:
    return UsageError("wrong-argument", message, place=place, hint=hint)


def _article(value: object) -> str:
    return f"a value of type {type(value).__name__}"


def _path(path: Path, name: str) -> str:
    """A path as text; whatever else an agent hands over is told by the name of the argument."""
    found = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(found, str):
        hint = "give a path as text, or a pathlib.Path"
        raise _wrong(name, f"a path is text, not {_article(path)}", hint)
    return found


def _values(parameters: Mapping[str, Any] | None) -> dict[str, Any]:
    if parameters is None:
        return {}
    if not isinstance(parameters, Mapping):
        hint = "give a dictionary: {'threshold': 0.9}"
        raise _wrong("parameters", f"they are a mapping, not {_article(parameters)}", hint)
    return dict(parameters)


def _seconds(timeout: float | str | None) -> float | None:
    hint = "give seconds, text such as '5m', or None for no bound"
    if timeout is None:
        return None
    try:
        found = seconds(timeout) if isinstance(timeout, str) else float(timeout)
    except (TypeError, ValueError, OverflowError) as error:
        raise _wrong("timeout", str(error), hint) from None
    if not found > 0:
        raise _wrong("timeout", f"{timeout!r} leaves no time for a cell", hint)
    return found


def _on_progress(progress: OnProgress | bool | None) -> OnProgress | None:
    if isinstance(progress, bool):
        return log_progress if progress else None
    if progress is not None and not callable(progress):
        hint = "give a function that takes a Progress, or True for lines in the log"
        raise _wrong("progress", f"{_article(progress)} cannot be called", hint)
    return progress


def _as_json(result: RunResult, output_path: str | None) -> ExecutionResult:
    return cast("ExecutionResult", _lists({**result.to_json(), "output_path": output_path}))


def _lists(value: Any) -> Any:
    """The value as it would come back from JSON."""
    if isinstance(value, Mapping):
        return {key: _lists(item) for key, item in value.items()}
    return [*map(_lists, value)] if isinstance(value, list | tuple) else value


@contextmanager
def _nested_within_reason(path: Path, what: str = "the metadata or outputs are") -> Iterator[None]:
    """Python goes only some hundred levels deep."""
    try:
        yield
    except RecursionError as error:
        raise NotebookError(
            "notebook-invalid",
            f"{what} nested too deeply",
            place=os.fspath(path),
            hint="look at what holds lists and mappings, and make it flatter",
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
