"""`execute_notebook` with Papermill's signature."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from octavo.compat.papermill.log import Outlet, TextFile

if TYPE_CHECKING:
    from octavo.app.context import Context
    from octavo.runs.operation import RunReport
    from octavo.runs.request import RunRequest

Path = str | os.PathLike[str]
STANDARD = "-"
AUTOSAVE_SECONDS = 30
#: Engines that Papermill's users name, and ours for them.
_ENGINES = {None: None, "octavo": None, "nbclient": "jupyter"}


def execute_notebook(
    input_path: Any,
    output_path: Path | None,
    parameters: Mapping[str, Any] | None = None,
    engine_name: str | None = None,
    request_save_on_cell_execute: bool = True,
    prepare_only: bool = False,
    kernel_name: str | None = None,
    language: str | None = None,
    progress_bar: bool | dict[str, Any] = True,
    log_output: bool = False,
    stdout_file: TextFile | None = None,
    stderr_file: TextFile | None = None,
    start_timeout: float | None = 60,
    report_mode: bool = False,
    cwd: Path | None = None,
    **engine_kwargs: Any,
) -> Any:
    """Execute a notebook and give the executed one back, an nbformat `NotebookNode`.

    Takes what Papermill's function takes, its engine's `execution_timeout` and
    `autosave_cell_every` among it, and options of Octavo's such as `memory`. A cell that raises
    becomes a `PapermillExecutionError`; the output is written all the same.
    """
    from octavo.compat.papermill.finished import finished_notebook
    from octavo.compat.papermill.keeping import keeping
    from octavo.compat.papermill.options import options
    from octavo.compat.papermill.reading import Given, read_given
    from octavo.runs.request import RunRequest

    given: Given = read_given(input_path, output_path, parameters, language)
    saves = request_save_on_cell_execute and not prepare_only
    request = RunRequest(
        paths=(given.source.path,),
        source=given.source,
        values=given.parameters,
        output=STANDARD if prepare_only else given.output,
        prepare_only=prepare_only,
        autosave=_autosave(given.output, saves, engine_kwargs),
        report_mode=report_mode,
        engine=_ENGINES.get(engine_name, engine_name),
        cwd=os.getcwd() if cwd is None else os.path.abspath(cwd),
        **options(kernel_name, start_timeout, engine_kwargs),
    )
    outlet = Outlet(log_output, stdout_file, stderr_file)
    shown = bool(progress_bar) and not log_output
    with keeping() as make_context:
        report = _followed(request, make_context, outlet, shown)
        return finished_notebook(report, given)


def _autosave(output: str | None, wanted: bool, given: Mapping[str, Any]) -> float | None:
    """How often to save within a cell, None not to save before the end at all."""
    if not wanted or output in (None, STANDARD):
        return None
    every = given.get("autosave_cell_every", AUTOSAVE_SECONDS)
    return float(every or "inf")


def _followed(
    request: RunRequest,
    make_context: Callable[[Callable[[Any], None]], Context],
    outlet: Outlet,
    shown: bool,
) -> RunReport:
    """Run, pass on what cells write, and show how far it has come on a terminal."""
    from octavo.compat.papermill.progress import progress
    from octavo.runs.context import Happened
    from octavo.surfaces.python.worker import Worker

    view = progress(request, shown and not request.prepare_only)
    worker: Worker

    def take(happened: Any) -> None:
        if isinstance(happened, Happened):
            outlet.take(happened.event)

    def make(emit: Callable[[Any], None]) -> Context:
        def both(happened: Any) -> None:
            view.show(happened)
            emit(happened)

        return make_context(both)

    worker = Worker(request, make_context=make)
    try:
        return worker.follow(take)
    finally:
        view.close()
