"""How a session begins: the same plan, environment and record as a run, and a kernel."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable

from octavo.environments.launch import Launch
from octavo.errors import OctavoError, UsageError
from octavo.events.types import KernelReady, Provenance
from octavo.kernels.choice import FORK
from octavo.kernels.fork import resident
from octavo.kernels.port import Engine, Kernel
from octavo.notebook.model import Notebook
from octavo.runs.execution import gather_facts
from octavo.runs.given import given_values
from octavo.runs.plan import Plan, plan
from octavo.runs.request import RunRequest
from octavo.sessions.context import SessionContext
from octavo.sessions.document import Document
from octavo.sessions.files.workplace import Workplace
from octavo.sessions.hosts.executing import Executor
from octavo.sessions.hosts.facts import Facts
from octavo.sessions.hosts.live import Live
from octavo.sessions.hosts.lives import Ear, Lives
from octavo.sessions.hosts.recording import Recording
from octavo.sessions.lab.starting import (
    REMOTE,
    in_server,
    is_remote,
    link,
    wanted_server,
    with_kernel_id,
)
from octavo.sessions.requests import StartRequest
from octavo.sources import SourceFile
from octavo.value import Value

#: What a session without a notebook is called in its record.
NAMELESS = "session"
#: How long a warmed interpreter waits for the next session.
WARM = 600.0


async def begin(
    request: StartRequest,
    context: SessionContext,
    *,
    source: SourceFile | None = None,
    parent: str | None = None,
    document: Callable[[Plan], Document] | None = None,
) -> Live:
    """A session whose kernel answers; nothing has been executed in it.

    `source` stands for what the notebook's file holds now; `document` makes other cells of the
    plan than those of the notebook.
    """
    check(request)
    request = with_kernel_id(request)
    asked = run_request(request)
    planned = planned_for(request, asked, context, source)
    server = wanted_server(request, context)
    if server is not None:
        planned = in_server(planned, server)
    engine = await engine_for(request, planned, context)
    made = document(planned) if document is not None else None
    live = recorded(request, asked, planned, engine, context, parent=parent, document=made)
    if server is not None:
        link(live, engine)
    try:
        if live.facts.engine == FORK and "OCTAVO_NO_RESIDENT" not in context.environ:
            await asyncio.to_thread(_warm, planned.launch, context.runtime)
        kernel = await live.lives.start()
        live.recording.write(KernelReady(time.time(), kernel.pid, kernel.facts))
    except OctavoError as error:
        live.recording.end("infrastructure", error.message)
        raise
    live.background(_told_facts(live, planned, asked, context))
    return live


def recorded(
    request: StartRequest,
    asked: RunRequest,
    planned: Plan,
    engine: Engine,
    context: SessionContext,
    *,
    parent: str | None = None,
    document: Document | None = None,
) -> Live:
    """A session with a record that has begun, and no kernel yet."""
    executor = Executor()
    store = context.store(planned.source.file.path)
    recording = Recording.begin(planned, asked, store, executor.emitted)
    executor.pipeline = recording.pipeline
    told = {
        "name": request.name,
        "lease": request.lease,
        "owner": request.owner,
        "no_snapshots": request.no_snapshots,
    }
    if parent is not None:
        asked = asked.replace(parent_run=parent)
    recording.started(planned, asked, {name: value for name, value in told.items() if value})
    source = planned.source
    facts = Facts(
        notebook=source.file.own_path or None,
        project=str(store.root.parent),
        engine=planned.engine,
        python=planned.environment.python,
        name=request.name,
        owner=request.owner,
        lease=request.lease,
        parent=parent,
        memory=_share_of_memory(),
        pid=os.getpid(),
        copies=not request.no_snapshots and planned.engine != REMOTE,
    )
    named = context.settings.no_snapshot_with
    lives = Lives(engine, planned.launch, recording.pipeline, named)
    made = document or Document.of(source.cells, source.notebook.metadata, source.skip_values)
    live = Live(facts, recording, executor, lives, made)
    if facts.copies and facts.engine != REMOTE:
        live.workplace = Workplace(planned.launch.cwd, recording.path / "folder")
    live.twin = Twin(live.recording.id, request, asked, planned, engine, context)
    return live


class Twin(Value):
    """Makes other sessions of the same plan as one, without a kernel yet."""

    parent: str
    request: StartRequest
    asked: RunRequest
    planned: Plan
    engine: Engine
    context: SessionContext

    def __call__(self, name: str, cells: Document) -> Live:
        request, asked, planned = self.request.replace(name=name), self.asked, self.planned
        parent = self.parent
        return recorded(
            request, asked, planned, self.engine, self.context, parent=parent, document=cells
        )


def adopt(live: Live, kernel: Kernel, ear: Ear) -> None:
    """Give a session a kernel that lives already."""
    live.lives.adopt(kernel, ear)
    live.recording.write(KernelReady(time.time(), kernel.pid, kernel.facts))


def check(request: StartRequest) -> None:
    """Refuse what makes no sense before anything is begun."""
    if request.lease <= 0:
        raise UsageError(
            "wrong-argument", "--lease: it would end at once", hint="--lease 1h is the usual one"
        )
    if request.parameters and request.notebook is None:
        raise UsageError(
            "wrong-argument",
            "there is no notebook that the parameters could be for",
            hint="octavo session start report.py -p threshold 0.9",
        )


def run_request(request: StartRequest) -> RunRequest:
    """What a run of the same notebook would have been asked."""
    return RunRequest(
        paths=(request.notebook or NAMELESS,),
        parameters=request.parameters,
        values=request.values,
        python=request.python,
        kernel=request.kernel,
        engine=None if request.engine == REMOTE else request.engine,
        cwd=request.cwd,
        env=request.env,
        prepare_only=is_remote(request),
    )


def planned_for(
    request: StartRequest,
    asked: RunRequest,
    context: SessionContext,
    source: SourceFile | None = None,
) -> Plan:
    """The plan of a run; a session may begin without a notebook."""
    if request.notebook is None and source is None:
        path = os.path.join(context.cwd, f"{NAMELESS}.py")
        source = SourceFile(path, "", Notebook(()), NAMELESS)
    given = given_values(asked, context.cwd)
    try:
        return plan(asked.paths[0], given, None, asked, context, source)
    except UsageError as error:
        if error.kind == "parameter-unknown":
            error.hint = "give those that it declares"
        raise


async def engine_for(request: StartRequest, planned: Plan, context: SessionContext) -> Engine:
    """The engine of the plan, or a kernel of somebody's Jupyter server."""
    server = wanted_server(request, context)
    if server is None:
        return context.engine(planned.engine)
    from octavo.kernels.remote.engine import RemoteEngine

    engine = RemoteEngine(server, request.kernel_id, planned.source.file.own_path or None)
    await engine.choose()
    return engine


def _warm(launch: Launch, runtime: str) -> None:
    """Kernels of one environment share the memory of one interpreter that stays."""
    environment = launch.environment
    resident.start(
        runtime,
        environment.python,
        dict(launch.variables),
        launch.preload,
        environment.overlay,
        WARM,
    )


async def _told_facts(
    live: Live, planned: Plan, asked: RunRequest, context: SessionContext
) -> None:
    facts: Provenance = await gather_facts(planned, asked, context)
    if not live.ended:
        live.recording.write(facts)


def _share_of_memory() -> int:
    """A quarter of the machine's memory is what snapshots may hold."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4
