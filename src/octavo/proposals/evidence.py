"""That a notebook runs: what its runs before and after the change gave.

A run takes place in a checkout of the very commit that is proposed, or that it was made from, so
that nothing counts that only lies about in somebody's work tree.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from octavo.errors import NotebookFailed, OctavoError, ParameterError, StorageError
from octavo.git.repository import Repository
from octavo.git.worktrees import checkouts, worktree
from octavo.notebook import formats
from octavo.proposals.context import ProposalContext
from octavo.records.record import RunRecord
from octavo.runs.context import Said
from octavo.runs.given import given_values
from octavo.runs.operation import run
from octavo.runs.plan import Plan, plan
from octavo.runs.request import RunRequest
from octavo.sources import SourceFile
from octavo.value import Value

#: So many of the newest runs are looked at for one that can be used again.
_NEWEST = 200


class Side(Value):
    """A notebook as it is in a commit."""

    commit: str
    source: SourceFile


class Evidence(Value):
    """How a notebook ran. Without a record, `problem` says why there is none.

    `reused` is set for a run that was there before.
    """

    side: Side
    record: RunRecord | None
    problem: str = ""
    reused: bool = False

    @property
    def ok(self) -> bool:
        return self.record is not None and self.record.status == "success"


def side_in(repository: Repository, commit: str, name: str, path: str) -> Side | None:
    """The notebook of a name as it is in a commit; None when it is not there, or is none."""
    content = repository.read(commit, name)
    if content is None:
        return None
    try:
        text = content.decode("utf-8")
        return Side(commit, SourceFile(path, text, formats.read(text, path)))
    except (OctavoError, ValueError):
        return None


async def evidence_of(
    side: Side,
    name: str,
    request: RunRequest,
    repository: Repository,
    context: ProposalContext,
    *,
    must_run: bool,
) -> Evidence:
    """The record of a run of this side: one that is there, else a new one.

    What cannot even begin to run is an error, if it `must_run`, and else told in the evidence.
    """
    try:
        return await _evidence(side, name, request, repository, context)
    except OctavoError as error:
        if must_run:
            raise
        return Evidence(side, None, _problem(error, name, repository))


def _problem(error: OctavoError, name: str, repository: Repository) -> str:
    """Why it cannot run, for others: without the folders of this machine."""
    place = error.place.replace(f"{repository.top}{os.sep}", "")
    return f"{error.message} ({place})" if place not in ("", name) else error.message


async def _evidence(
    side: Side, name: str, request: RunRequest, repository: Repository, context: ProposalContext
) -> Evidence:
    asked = request.replace(paths=(side.source.path,), source=side.source)
    planned = _planned(asked, context)
    known = _known(planned, side, name, repository, context)
    if known is not None:
        return Evidence(side, known, reused=True)
    with worktree(repository, side.commit) as files:
        context.emit(Said(f"running {name} at {side.commit[:8]}"))
        folder = str((files / name).parent)
        report = await run(asked.replace(checkout=folder), context)
    result = report.results[0]
    record = context.store(side.source.path).find(result.run_id).record()
    if result.reason == "interrupted":
        raise KeyboardInterrupt
    return Evidence(side, record)


def _planned(request: RunRequest, context: ProposalContext) -> Plan:
    given = given_values(request, context.cwd)
    return plan(request.paths[0], given, None, request, context, request.source)


def refuse_wrong_values(side: Side, request: RunRequest, context: ProposalContext) -> None:
    """ParameterError for values that the notebook does not take; nothing else is looked at."""
    wrong = _wrong_value(side, request, context)
    if wrong is not None:
        raise wrong


def for_base(side: Side, request: RunRequest, context: ProposalContext) -> RunRequest:
    """The request for the notebook before the change, which may not know a parameter yet."""
    wrong = _wrong_value(side, request, context)
    unknown = wrong is not None and wrong.kind == "parameter-unknown"
    return request.replace(allow_unknown=True) if unknown else request


def _wrong_value(
    side: Side, request: RunRequest, context: ProposalContext
) -> ParameterError | None:
    try:
        _planned(request.replace(paths=(side.source.path,), source=side.source), context)
    except ParameterError as error:
        return error
    except OctavoError:
        pass
    return None


def _known(
    planned: Plan, side: Side, name: str, repository: Repository, context: ProposalContext
) -> RunRecord | None:
    """A successful run of the same source with the same values, in the same surroundings."""
    wanted = _identity(planned)
    files = _Files(repository, side.commit, name)
    store = context.store(side.source.path)
    for each in store.runs(limit=_NEWEST):
        try:
            record = each.record()
        except (StorageError, OSError):
            continue
        if record.status == "success" and _identity_of(record) == wanted and files.same(record):
            return record
    return None


def _identity(planned: Plan) -> tuple[Any, ...]:
    source = planned.source
    return (
        source.file.sha256,
        source.parameters.to_json(),
        planned.environment.python,
        _plain(planned.lock),
    )


def _identity_of(record: RunRecord) -> tuple[Any, ...]:
    return (
        record.source.get("sha256"),
        dict(record.parameters),
        record.environment.get("python"),
        _plain(record.lock),
    )


def _plain(lock: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return dict(lock) if lock else None


class _Files:
    """Whether a run saw the files that a commit has, apart from the notebook's own.

    Its source is compared by itself, and nothing is read from its `.ipynb`. Of files that git
    does not know there is no telling, so that those in a work tree speak against its runs.
    """

    def __init__(self, repository: Repository, commit: str, name: str) -> None:
        self._repository = repository
        self._commit = commit
        self._own = {name, str(PurePosixPath(name).with_suffix(".ipynb"))}
        self._seen: dict[str, bool] = {}

    def same(self, record: RunRecord) -> bool:
        git = record.git or {}
        commit, changed = (
            git.get("commit"),
            git.get("changed", () if not git.get("dirty") else None),
        )
        if not commit or changed is None or not self._own.issuperset(changed):
            return False
        if self._is_littered and not self._was_in_checkout(record):
            return False
        if commit not in self._seen:
            self._seen[commit] = self._differ_only_by_own(commit)
        return self._seen[commit]

    @cached_property
    def _is_littered(self) -> bool:
        others = self._repository.git.lines("ls-files", "-z", "--others", "--exclude-standard")
        return not self._own.issuperset(others)

    def _was_in_checkout(self, record: RunRecord) -> bool:
        cwd = str(record.environment.get("cwd") or "")
        return cwd.startswith(f"{checkouts(self._repository)}{os.sep}")

    def _differ_only_by_own(self, commit: str) -> bool:
        names = self._repository.git.maybe(
            "diff-tree", "-r", "-z", "--name-only", "--no-renames", commit, self._commit
        )
        return names is not None and self._own.issuperset(filter(None, names.split("\0")))


def refuse_failure(evidence: Evidence, name: str) -> None:
    """NotebookFailed for a run that did not end well."""
    record = evidence.record
    if evidence.ok:
        return
    failed = record.failed_cell if record else None
    why = f"{failed.ename}: {failed.evalue}" if failed else (record.message if record else "")
    run_id = record.run_id[-8:] if record else ""
    raise NotebookFailed(
        "notebook-failed",
        f"{name} does not run: {why or evidence.problem}",
        place=f"{name}:{failed.line}" if failed and failed.line else name,
        hint=f"octavo show {run_id} --errors; --draft proposes it as it is",
        details={"run_id": record.run_id if record else None},
    )


def executed_notebook(evidence: Evidence | None) -> Path | None:
    """The executed notebook of a run."""
    if evidence is None or evidence.record is None:
        return None
    path = evidence.record.directory / "notebook.ipynb"
    return path if os.path.exists(path) else None
