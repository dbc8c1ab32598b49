"""`octavo announce`: the report of a check goes to the forge, in a step that has its token.

Notebooks run in another one, which has not.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from octavo.errors import UsageError
from octavo.forges.port import Forge
from octavo.forges.request import ForgeRequest
from octavo.gate.announcing import Announced, announce, begin, broken_off
from octavo.gate.reports.reading import LARGEST, read_report
from octavo.git.credentials import Token
from octavo.git.remotes import Remote, remote_of
from octavo.git.repository import Repository
from octavo.requests import argument, option

_PULL = re.compile(r"refs/pull/(\d{1,9})/")


class AnnounceSettings(Protocol):
    """The part of the configuration that says where the forge is."""

    @property
    def remote(self) -> str: ...


class AnnounceContext(Protocol):
    """What is needed from the program around."""

    cwd: str
    environ: Mapping[str, str]

    @property
    def project(self) -> Path: ...

    @property
    def settings(self) -> AnnounceSettings: ...

    @property
    def emit(self) -> Callable[[Any], None]: ...

    def forge(
        self, repository: Repository, remote: Remote | None, name: str
    ) -> tuple[Forge, Token | None]: ...


class AnnounceRequest(ForgeRequest):
    """Which report to announce, and of what."""

    report: str = argument(
        "what `octavo check --report` wrote; none with --pending", metavar="REPORT", default=""
    )
    number: int | None = option(
        "--number", help="the proposal (default: that of the branch)", metavar="N"
    )
    commit: str = option(
        "--commit", help="the commit that was checked (default: HEAD)", default="", metavar="COMMIT"
    )
    pending: bool = option("--pending", help="say that the check is under way", default=False)
    url: str = option(
        "--url", help="the page of the run (default: as the runner tells)", default=""
    )


async def announce_check(request: AnnounceRequest, context: AnnounceContext) -> Announced:
    """Set the status `octavo/check` of a commit, and keep one comment on its proposal up to date.

    A check that is told again changes what it said before. One that was said to be under way and
    left no report is told as broken off.
    """
    if bool(request.report) == request.pending:
        told = "a report, or --pending" if not request.report else "--pending has no report yet"
        hint = "octavo check --report check.json, then octavo announce check.json"
        raise UsageError("wrong-argument", f"announce what? {told}", hint=hint)
    report, trouble = None, None
    try:
        report = None if request.pending else _report(os.path.join(context.cwd, request.report))
    except UsageError as error:
        trouble = error
    repository = Repository.around(context.project, context.environ)
    commit = _commit(repository, request.commit)
    named = request.remote or context.settings.remote
    forge, _ = context.forge(repository, remote_of(repository.git, named or None), request.forge)
    url = request.url or _run_page(context.environ)
    if trouble is not None:
        broken_off(forge, commit, url=url)
        raise trouble
    if report is None:
        return Announced(begin(forge, commit, url=url), commit)
    prefix = os.path.relpath(context.project, repository.top)
    return announce(
        report,
        forge,
        commit,
        number=request.number if request.number is not None else _pull(context.environ),
        branch=repository.branch(),
        folder=context.project,
        prefix="" if prefix == "." else Path(prefix).as_posix(),
        url=url,
    )


def _report(path: str) -> Any:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(
            "check-report",
            f"there is no report to read: {error.strerror or error}",
            place=path,
            hint="octavo check --report PATH writes one; where it is missing, the check broke off",
        ) from error
    return read_report(text, path)


def _commit(repository: Repository, asked: str) -> str:
    found = repository.commit(asked or "HEAD")
    if found is None:
        raise UsageError(
            "revision-unknown",
            f"git knows no commit {asked or 'HEAD'}",
            place=asked or str(repository.top),
            hint="name the commit that was checked: --commit SHA",
        )
    return found


def _pull(environ: Mapping[str, str]) -> int | None:
    """The number of the pull request that a runner works for."""
    found = _PULL.match(environ.get("GITHUB_REF", ""))
    return int(found[1]) if found else None


def _run_page(environ: Mapping[str, str]) -> str:
    """The page of the run that a runner works on, where it tells."""
    parts = [environ.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY", "RUN_ID")]
    server, repository, run = parts
    return f"{server.rstrip('/')}/{repository}/actions/runs/{run}" if all(parts) else ""
