"""`octavo check`: notebooks are run in clean kernels, and judged."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from octavo.errors import UsageError
from octavo.gate.affected import Affected, Changes, changes_since
from octavo.gate.checking import Checking, check_notebook
from octavo.gate.context import GateContext, Judged
from octavo.gate.memory.memory import Memory
from octavo.gate.options import Options, options_of
from octavo.gate.request import CheckRequest
from octavo.gate.selection import selected
from octavo.gate.verdicts import CheckReport, NotebookVerdict
from octavo.gate.writing import refuse_unwritable, write_reports
from octavo.git.repository import Repository
from octavo.value import EMPTY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from octavo.gate.coverage import Coverage


async def check(request: CheckRequest, context: GateContext) -> CheckReport:
    """Run notebooks that changed, or all, each in a clean kernel, and say whether they hold.

    What has not changed since it passed is not run again. Exit codes are those of `run`.
    """
    if request.jobs < 0:
        hint = "-j 1 runs one after the other"
        raise UsageError("wrong-argument", f"-j {request.jobs}: at least one must run", hint=hint)
    refuse_unwritable(request, context.cwd)
    begun = time.perf_counter()
    found = selected(request.paths, context)
    options = options_of(request, context.environ, context.cwd)
    if options.sanitize_with:
        from octavo.gate.nbval.sanitize import read_sanitizer

        # One that cannot be read is the fault of the call, not of every notebook.
        read_sanitizer(options.sanitize_with)
    memory = _memory(options, context)
    changes = _changes(request, context)
    paths = _affected(found, changes, memory, context, options)
    coverage = _coverage(request, paths, context)
    asked = coverage.launch_fields() if coverage else EMPTY
    try:
        verdicts = await _check_all(paths, request.jobs, options, memory, context, asked)
        covered = coverage.combine() if coverage else None
    finally:
        if coverage:
            coverage.discard()
    report = CheckReport(
        verdicts,
        mode="strict" if request.strict else "lax",
        since=request.since,
        base=changes[1].base if changes else None,
        unaffected=tuple(_shown(path, context) for path in found if path not in paths),
        duration_seconds=time.perf_counter() - begun,
        coverage=covered,
    )
    write_reports(report, request, context.cwd)
    return report


async def check_one(
    path: str, context: GateContext, options: Options
) -> tuple[NotebookVerdict, ...]:
    """The verdicts of one notebook: one for each set of values that it is checked with."""
    memory = _memory(options, context)
    return await _check_all([Path(path)], 1, options, memory, context)


async def _check_all(
    paths: Sequence[Path],
    jobs: int,
    options: Options,
    memory: Memory,
    context: GateContext,
    asked: Mapping[str, Any] = EMPTY,
) -> tuple[NotebookVerdict, ...]:
    places = asyncio.Semaphore(min(jobs or os.cpu_count() or 1, _most_at_once()))
    checking = Checking(context, options, memory, places, asked)
    done = 0

    async def one(path: Path) -> tuple[NotebookVerdict, ...]:
        nonlocal done
        verdicts = await check_notebook(path, _shown(path, context), checking)
        done += 1
        for verdict in verdicts:
            context.emit(Judged(verdict, done, len(paths)))
        return verdicts

    judged: dict[Path, tuple[NotebookVerdict, ...]] = {}
    waiting = list(paths)
    try:
        # What one notebook writes another may read: after runs, what was recalled is asked again.
        while waiting:
            done -= sum(path in judged for path in waiting)
            found = await asyncio.gather(*map(one, waiting), return_exceptions=True)
            for path, each in zip(waiting, found, strict=True):
                if isinstance(each, BaseException):
                    raise each
                judged[path] = each
            ran = not all(_is_recalled(judged[path]) for path in waiting)
            waiting = [path for path in paths if ran and _is_recalled(judged[path])]
    finally:
        memory.save()
    return tuple(verdict for path in paths for verdict in judged[path])


def _most_at_once() -> int:
    """How many kernels this process can hold: each takes some of the files that it may open."""
    from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit

    files = getrlimit(RLIMIT_NOFILE)[0]
    return 1_000 if files == RLIM_INFINITY else max(1, (files - 80) // 10)


def _is_recalled(verdicts: Sequence[NotebookVerdict]) -> bool:
    return all(verdict.reused for verdict in verdicts)


def _memory(options: Options, context: GateContext) -> Memory:
    """What is remembered; on CI not what came with a commit, which anybody could have written."""
    return Memory.open(context.project, unless_committed=context.environ if options.on_ci else None)


def _coverage(
    request: CheckRequest, paths: Sequence[Path], context: GateContext
) -> Coverage | None:
    if not request.cov:
        return None
    from octavo.gate.coverage import Coverage

    return Coverage(context.project, context.environ, paths)


def _changes(request: CheckRequest, context: GateContext) -> tuple[Repository, Changes] | None:
    if request.since is None:
        return None
    repository = Repository.around(context.project, context.environ)
    return repository, changes_since(repository, request.since)


def _affected(
    paths: Sequence[Path],
    changes: tuple[Repository, Changes] | None,
    memory: Memory,
    context: GateContext,
    options: Options,
) -> list[Path]:
    if changes is None:
        return list(paths)
    repository, changed = changes
    sanitizer = options.sanitize_with
    affected = Affected(
        repository,
        changed,
        lambda path: memory.inputs_of(_shown(Path(path), context)),
        (sanitizer,) if sanitizer else (),
    )
    return [path for path in paths if affected(path)]


def _shown(path: Path, context: GateContext) -> str:
    """A notebook as reports name it: from the root of the project, with slashes."""
    if path.is_relative_to(context.project):
        return path.relative_to(context.project).as_posix()
    return str(path)
