"""One run from its plan to its record."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

from octavo.environments.packages import packages
from octavo.environments.variables import missing_variable_hint
from octavo.errors import OctavoError, StorageError
from octavo.events.types import (
    SCHEMA_VERSION,
    ErrorRaised,
    Event,
    KernelReady,
    Provenance,
    RunFinished,
    RunStarted,
    ScrapsChecked,
)
from octavo.kernels.port import Kernel, Sink
from octavo.notebook.handouts import handouts_schema
from octavo.records.journal import Journal
from octavo.records.record import result
from octavo.records.result import RunResult
from octavo.records.run_dir import RunDir
from octavo.records.store import Store
from octavo.runs.context import Happened, RunContext
from octavo.runs.deadlines import Deadlines
from octavo.runs.driver import Driver, Ending, Watcher
from octavo.runs.output_path import STANDARD
from octavo.runs.pipeline import Pipeline
from octavo.runs.plan import Plan
from octavo.runs.provenance import git_facts, host_facts
from octavo.runs.request import RunRequest
from octavo.runs.spill import Spill
from octavo.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from octavo.runs.autosave import Autosave
    from octavo.runs.handouts import HandedOut
    from octavo.runs.holding import Hold
    from octavo.runs.stream_files import StreamFiles

INTERRUPTED = Ending("error", "interrupted", "the program was interrupted")
RESTORED = "the record was deleted while the run went on; it was written anew"


class Begun(Value):
    """A run that has a folder and a journal, and so an id, and nothing else yet."""

    store: Store
    run_dir: RunDir
    journal: Journal


def begin(plan: Plan, context: RunContext) -> Begun:
    """Give a run its folder; from here on it is alive, and recovered if this program is killed."""
    source = plan.source.file
    store = context.store(source.path)
    run_dir = store.create_run(time.time(), os.urandom(10), *_content(plan))
    return Begun(store, run_dir, store.open_journal(run_dir))


def enqueue(begun: Begun, plan: Plan, request: RunRequest) -> None:
    """Tell what a run will be that waits for its turn; it is told again when that comes."""
    started = run_started(plan, request, begun.run_dir)
    queued = started.replace(options={**started.options, "queued": True})
    begun.journal.write([plan.redactor.value(queued)])


def _content(plan: Plan) -> tuple[bytes, str]:
    source = plan.source.file
    return source.text.encode("utf-8"), f".{source.format}"


async def execute(
    plan: Plan,
    request: RunRequest,
    context: RunContext,
    begun: Begun | None = None,
    hold: Hold | None = None,
) -> RunResult:
    """Run one notebook. Whatever happens, a record tells it.

    With `begun` it has its folder already. `hold` is told of each cell, and may keep the kernel.
    """
    with _stream_files(plan, request, context) as files:
        return await _execute(plan, request, context, files, begun or begin(plan, context), hold)


def _stream_files(
    plan: Plan, request: RunRequest, context: RunContext
) -> AbstractContextManager[StreamFiles | None]:
    if request.stdout_file is None and request.stderr_file is None:
        return nullcontext()
    from octavo.runs.stream_files import StreamFiles

    others = (plan.source.file.own_path, plan.output or "")
    return StreamFiles(request.stdout_file, request.stderr_file, context.cwd, filter(None, others))


async def _execute(
    plan: Plan,
    request: RunRequest,
    context: RunContext,
    files: StreamFiles | None,
    begun: Begun,
    hold: Hold | None,
) -> RunResult:
    store, run_dir, journal = begun.store, begun.run_dir, begun.journal
    try:
        saving = _autosave(plan, request, run_dir)
        pipeline = _pipeline(plan, request, run_dir, journal, context, saving, files)
        try:
            pipeline.write(pipeline.redact(run_started(plan, request, run_dir)))
            facts = asyncio.ensure_future(gather_facts(plan, request, context))
            ending = await _run(
                plan, pipeline, facts, context, keep_going=request.keep_going, hold=hold
            )
            if saving is not None:
                await saving.end()
        except KeyboardInterrupt:
            # It came before anybody could know that there is a run to be stopped in order.
            _finish(pipeline, INTERRUPTED)
            _record(plan, pipeline, INTERRUPTED, store, run_dir)
            raise
        if store.restore(run_dir, journal, *_content(plan)):
            ending = _with_note(ending, RESTORED)
        _finish(pipeline, ending)
        pipeline.close()
        return _record(plan, pipeline, ending, store, run_dir)
    finally:
        journal.close()


def _pipeline(
    plan: Plan,
    request: RunRequest,
    run_dir: RunDir,
    journal: Journal,
    context: RunContext,
    saving: Autosave | None,
    files: StreamFiles | None,
) -> Pipeline:
    path = plan.source.file.name

    def emit(event: Event) -> None:
        context.emit(Happened(run_dir.run_id, path, event))
        if saving is not None:
            saving.notice(event)

    spill = Spill(run_dir.path, request.output_cap)
    return Pipeline(journal, spill, plan.redactor, emit, files.take if files else None)


def _autosave(plan: Plan, request: RunRequest, run_dir: RunDir) -> Autosave | None:
    output = plan.output
    if request.autosave is None or output is None or output == STANDARD:
        return None
    from octavo.runs.autosave import Autosave, save_unfinished

    return Autosave(lambda: save_unfinished(run_dir.path, output), request.autosave)


async def _run(
    plan: Plan,
    pipeline: Pipeline,
    facts: asyncio.Future[Provenance],
    context: RunContext,
    *,
    keep_going: bool = False,
    hold: Hold | None = None,
) -> Ending:
    """Start a kernel, drive it, and put it away; failures around it are endings too."""
    watcher = Watcher(pipeline, _handed_out(plan))
    kernel: Kernel | None = None
    try:
        sink = watcher if hold is None else hold.through(watcher)
        kernel = await _started_kernel(plan, sink, context)
        if kernel is None:
            return Ending("error", "interrupted", context.stop.message)
        pipeline.write(KernelReady(time.time(), kernel.pid, kernel.facts))
        deadlines = Deadlines(plan.timeouts, lambda: pipeline.heard)
        driver = Driver(
            kernel,
            pipeline,
            watcher,
            deadlines,
            context.stop,
            grace=plan.timeouts.grace,
            keep_going=keep_going,
        )
        if hold is not None:
            driver.before_cell = hold.before_cell
        ending = await driver.run(plan.source.cells, plan.source.skip_values)
        if hold is not None and hold.keeps(kernel, ending):
            kernel = None
        else:
            if hold is not None:
                await hold.let_go()
            await kernel.stop()
        pipeline.write(await facts)
        ending = _as_declared(ending, plan, pipeline, watcher.handed_out)
        return _explained(ending, watcher.first_error or watcher.error, plan, context)
    except OctavoError as error:
        return Ending("error", "infrastructure", _told(error))
    except asyncio.CancelledError:
        _finish(pipeline, Ending("error", "interrupted", "the run was cancelled"))
        raise
    finally:
        facts.cancel()
        if kernel is not None and kernel.death is None:
            await kernel.kill()
        context.kernel_ended()


async def _started_kernel(plan: Plan, sink: Sink, context: RunContext) -> Kernel | None:
    """A kernel that answers; None when somebody asks to stop before there is one."""
    if context.stop.requested:
        return None
    starting = asyncio.ensure_future(context.engine(plan.engine).start(plan.launch, sink))
    await asyncio.sleep(0)
    _load_what_is_needed_later()
    either: set[asyncio.Future[Any]] = {starting, context.stop.asked}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        return starting.result() if starting.done() else None
    finally:
        starting.cancel()


def _load_what_is_needed_later() -> None:
    """The request for a kernel is on its way; until it answers there is time to load modules."""
    from octavo.records import assemble  # noqa: F401


def _handed_out(plan: Plan) -> HandedOut | None:
    """Where declared scraps are noted; None where nothing is declared."""
    if not plan.source.handouts:
        return None
    from octavo.runs.handouts import HandedOut

    return HandedOut()


def _as_declared(ending: Ending, plan: Plan, pipeline: Pipeline, given: HandedOut | None) -> Ending:
    """A run is no success when the scraps are not as the notebook declares them."""
    if given is None or ending.status != "success":
        return ending
    from octavo.runs.handouts import problems, told

    found = problems(plan.source.handouts, given, ended_early=ending.reason == "exited-early")
    pipeline.write(pipeline.redact(ScrapsChecked(time.time(), found)))
    return Ending("error", "scraps", told(found)) if found else ending


def _explained(
    ending: Ending, error: ErrorRaised | None, plan: Plan, context: RunContext
) -> Ending:
    """Say so where a cell failed for want of a variable that the caller has, or of quotes."""
    if error is not None and ending.reason == "cell-error" and error.ename == "NameError":
        from octavo.runs.handouts import unknown_type_hint

        hint = unknown_type_hint(plan.source.cells[error.cell].metadata.get("tags"))
        return Ending(ending.status, ending.reason, hint) if hint else ending
    if ending.reason != "cell-error" or error is None or error.ename != "KeyError":
        return ending
    name = error.evalue.strip("'\"")
    hint = missing_variable_hint(name, context.environ, plan.launch.variables)
    return Ending(ending.status, ending.reason, hint) if hint else ending


def _told(error: OctavoError) -> str:
    place = f" ({error.place})" if error.place else ""
    hint = f"; {error.hint}" if error.hint else ""
    return f"{error.message}{place}{hint}"


def _finish(pipeline: Pipeline, ending: Ending) -> None:
    """Write the last event; a disk that is still full leaves it to recovery to say so."""
    finished = RunFinished(time.time(), ending.status, ending.reason, ending.message)
    with suppress(StorageError):
        pipeline.write(pipeline.redact(finished))


def _record(
    plan: Plan, pipeline: Pipeline, ending: Ending, store: Store, run_dir: RunDir
) -> RunResult:
    from octavo.records.assemble import assemble
    from octavo.records.publish import publish

    record = assemble(run_dir.path)
    if plan.output not in (None, STANDARD):
        try:
            publish(run_dir.path, str(plan.output))
        except OctavoError as error:
            _finish(pipeline, _without_output(ending, error))
            record = assemble(run_dir.path)
    store.finish(run_dir, record)
    return result(record)


def _without_output(ending: Ending, error: OctavoError) -> Ending:
    """The user did not get the notebook: no success, but a cell that failed stays the reason."""
    noted = _with_note(ending, _told(error))
    if ending.status == "success":
        return Ending("error", "infrastructure", noted.message)
    return noted


def _with_note(ending: Ending, note: str) -> Ending:
    told = f"{ending.message}; {note}" if ending.message else note
    return Ending(ending.status, ending.reason, told)


async def gather_facts(plan: Plan, request: RunRequest, context: RunContext) -> Provenance:
    folder = request.checkout or plan.source.file.path.rpartition("/")[0]
    git = await git_facts(folder, context.environ)
    return Provenance(git, _packages(plan), plan.lock)


def _packages(plan: Plan) -> Mapping[str, str]:
    return packages(plan.environment) if plan.launch.kernel is None else {}


def run_started(plan: Plan, request: RunRequest, run_dir: RunDir) -> RunStarted:
    source = plan.source
    environment = plan.environment
    return RunStarted(
        schema=SCHEMA_VERSION,
        run_id=run_dir.run_id,
        time=time.time(),
        source={
            "path": source.file.name,
            "sha256": source.file.sha256,
            "format": source.file.format,
        },
        cells=source.cells,
        metadata=source.notebook.metadata,
        parameters=source.parameters.to_json(),
        defaults=source.parameters.defaults,
        engine=plan.engine,
        environment={
            "python": environment.python,
            "why": environment.why,
            "kind": environment.kind,
            "root": environment.root,
            "overlay": environment.overlay,
            "kernel": plan.launch.kernel.name if plan.launch.kernel else None,
            "variables": sorted(plan.launch.variables),
            "cwd": plan.launch.cwd,
        },
        options=_options(request),
        host=host_facts(),
        output_path=plan.output,
        parent_run=request.parent_run,
        scraps_schema=handouts_schema(source.handouts) if source.handouts else None,
    )


def _options(request: RunRequest) -> Mapping[str, Any]:
    names = (
        *("cell_timeout", "timeout", "silence_timeout", "memory", "processes", "cpu"),
        *("file_size", "output_cap", "preload", "env", "env_files", "python", "cwd"),
        *("allow_unknown", "offline", "kernel", "engine", "start_timeout"),
        *("report_mode", "inject_paths", "unchecked", "keep_going"),
    )
    given = {name: getattr(request, name) for name in names}
    given["detached"] = request.detach
    said = {name: value for name, value in given.items() if value is not False}
    return {name: value for name, value in said.items() if value not in (None, ())}
