"""From a request and a source file to a run that is ready to start. Nothing is written here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from octavo.environments.envfile import read_env_file
from octavo.environments.launch import Environment, Kernelspec, Launch, Limits
from octavo.environments.packages import lock as lock_facts
from octavo.environments.secrets import secret_values
from octavo.environments.uv import find_uv
from octavo.environments.variables import variables
from octavo.errors import UsageError
from octavo.events.types import BoundCell
from octavo.notebook.handouts import Handout, declared_handouts
from octavo.notebook.identity import assign_ids
from octavo.notebook.injection import Injected, inject
from octavo.notebook.merging.unresolved import refuse_conflicts
from octavo.notebook.model import Notebook
from octavo.notebook.parameters import declared
from octavo.notebook.syntax import check, refuse
from octavo.notebook.values import Bound, bind
from octavo.runs.context import RunContext
from octavo.runs.deadlines import Timeouts
from octavo.runs.inputs import read_input
from octavo.runs.output_path import output_path
from octavo.runs.redact import Redactor
from octavo.runs.request import RunRequest
from octavo.runs.surroundings import surroundings
from octavo.sources import SourceFile
from octavo.value import Value


class BoundSource(Value):
    """A source file with its parameters injected."""

    file: SourceFile
    notebook: Notebook
    cells: tuple[BoundCell, ...]
    parameters: Bound
    handouts: tuple[Handout, ...] = ()
    unchecked: bool = False

    @property
    def skip_values(self) -> Mapping[str, Any] | None:
        """What decides which cells are skipped; nothing where cells are taken as they are."""
        return None if self.unchecked else self.parameters.effective


class Plan(Value):
    """A bound notebook and all that is needed to run it."""

    source: BoundSource
    launch: Launch
    timeouts: Timeouts
    redactor: Redactor
    output: str | None
    engine: str
    lock: Mapping[str, Any] | None = None

    @property
    def environment(self) -> Environment:
        return self.launch.environment


def bind_source(
    source: SourceFile,
    given: Mapping[str, Any],
    request: RunRequest,
    python: Callable[[], tuple[int, int] | None] = lambda: None,
) -> BoundSource:
    """Check the cells, bind the parameters, and remember where every cell comes from."""
    notebook = source.notebook
    handouts: tuple[Handout, ...] = ()
    if request.unchecked:
        from octavo.runs.unchecked import bind_unchecked

        bound = bind_unchecked(notebook, given)
    else:
        if check(notebook, source.name):
            # A newer Python than ours may know what ours does not.
            refuse(check(notebook, source.name, python=python()))
        handouts = declared_handouts(notebook, source.name)
        bound = _bound(source, given, request)
    injected = _injected(notebook, bound, request)
    with_ids = assign_ids(injected.notebook, None)
    cells = tuple(
        BoundCell(
            cell.kind,
            cell.source,
            cell.id or "",
            cell.metadata,
            cell.attachments,
            origin,
            cell.line,
        )
        for cell, origin in zip(with_ids.cells, injected.origins, strict=True)
    )
    return BoundSource(source, with_ids, cells, bound, handouts, request.unchecked)


def _injected(notebook: Notebook, bound: Bound, request: RunRequest) -> Injected:
    if request.prepared:
        from octavo.runs.unchecked import as_prepared

        injected = as_prepared(notebook)
    else:
        injected = inject(notebook, bound.values, kernel_name=notebook.kernel_name)
    if not request.report_mode:
        return injected
    from octavo.runs.report_mode import with_hidden_inputs

    return injected.replace(notebook=with_hidden_inputs(injected.notebook))


def _bound(source: SourceFile, given: Mapping[str, Any], request: RunRequest) -> Bound:
    """What another language declares cannot be read, so any name may be given to it."""
    notebook = source.notebook
    any_name = request.allow_unknown or not notebook.is_python
    parameters = declared(notebook, source.name)
    return bind(parameters, given, allow_unknown=any_name, extra=_path_names(request))


def _path_names(request: RunRequest) -> tuple[str, ...]:
    if not request.inject_paths:
        return ()
    from octavo.runs.injected_paths import NAMES

    return NAMES


def plan(
    path: str,
    given: Mapping[str, Any],
    output: str | None,
    request: RunRequest,
    context: RunContext,
    source: SourceFile | None = None,
) -> Plan:
    """Check everything that can be checked before a run, and decide what can be decided.

    With `source`, that is run in place of what the file at the path holds now.
    """
    source = source or read_input(path, context.cwd)
    refuse_conflicts(source.notebook, source.name)
    absolute = source.path
    around = surroundings(source, absolute, request, context)
    source = _in_kernel(source, around.kernel)
    bound = bind_source(source, given, request, around.python)
    folder = _folder(request, absolute, context)
    environment = around.environment(context)
    passed = variables(
        context.environ,
        environment,
        names=(*context.settings.env, *request.env),
        files=_env_files(request, context),
    )
    return Plan(
        source=bound,
        launch=Launch(
            environment=environment,
            cwd=folder,
            variables=passed,
            preload=_preload(request),
            limits=Limits(request.memory, request.processes, request.cpu, request.file_size),
            uv=find_uv(None, context.python, context.environ.get("PATH", "")),
            scrapbook_shim=context.settings.scrapbook_shim,
            kernel=around.kernel,
            start_seconds=request.start_timeout,
            observe=request.observe,
            coverage=request.coverage,
        ),
        timeouts=Timeouts(request.cell_timeout, request.timeout, request.silence_timeout),
        redactor=_redactor(passed, bound.parameters.values, context),
        output=output_path(output, source.own_path, context.cwd),
        engine=around.engine,
        lock=lock_facts(environment, absolute),
    )


def _in_kernel(source: SourceFile, kernel: Kernelspec | None) -> SourceFile:
    """The notebook as one of the kernel that runs it, whatever it was saved with."""
    if kernel is None:
        return source
    spec = {
        "display_name": kernel.display_name or kernel.name,
        "language": kernel.language,
        "name": kernel.name,
    }
    metadata = {**source.notebook.metadata, "kernelspec": spec}
    return source.replace(notebook=source.notebook.replace(metadata=metadata))


def _folder(request: RunRequest, notebook: str, context: RunContext) -> str:
    if request.cwd is None:
        return request.checkout or os.path.dirname(notebook)
    folder = os.path.normpath(os.path.join(context.cwd, request.cwd))
    if not os.path.isdir(folder):
        raise UsageError(
            "wrong-argument", f"--cwd: {request.cwd} is not a folder", hint="create it first"
        )
    return folder


def _env_files(request: RunRequest, context: RunContext) -> list[Mapping[str, str]]:
    names = (*context.settings.env_files, *request.env_files)
    return [read_env_file(os.path.join(context.cwd, name)) for name in names]


def _preload(request: RunRequest) -> tuple[str, ...]:
    return tuple(name for names in request.preload for name in names.split(",") if name)


def _redactor(
    passed: Mapping[str, str], values: Mapping[str, Any], context: RunContext
) -> Redactor:
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    declared = context.settings.secrets
    return Redactor(secret_values(passed, context.environ, texts, declared=declared))
