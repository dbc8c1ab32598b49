"""`octavo mcp install` and `octavo mcp uninstall`: the tool server in an agent's configuration."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from octavo.errors import UsageError
from octavo.repository.blocks import bytes_of, text_of
from octavo.repository.changes import content_of
from octavo.requests import Request, option
from octavo.surfaces.installing.memory import Noted
from octavo.surfaces.installing.planning import (
    InstallContext,
    Installed,
    Plan,
    chosen,
    real,
    refuse_none,
)
from octavo.surfaces.installing.programs import Program
from octavo.surfaces.installing.servers import (
    DIALECTS,
    NAME,
    Server,
    found,
    is_ours,
    takes_out,
    with_server,
    without_server,
)


class ServerUninstallRequest(Request):
    """Which agents are to forget Octavo's tools."""

    claude: bool = option("--claude", help="Claude Code", default=False)
    codex: bool = option("--codex", help="Codex", default=False)
    hermes: bool = option("--hermes", help="Hermes", default=False)
    dry_run: bool = option("--dry-run", help="show every change, make none", default=False)


class ServerInstallRequest(ServerUninstallRequest):
    """Which agents are to have Octavo's tools."""

    replace_other: bool = option(
        "--replace",
        help=f"also where another server is called {NAME}",
        default=False,
    )


async def mcp_install(request: ServerInstallRequest, context: InstallContext) -> Installed:
    """Name the server in each agent's own configuration; a second call finds nothing to do."""
    programs = chosen(request)
    if not programs:
        raise refuse_none("mcp install")
    plan = Plan(context.environ)
    server = server_of(context.python)
    for program in programs:
        _plan(plan, program, server, context, replace=request.replace_other)
    if find_spec("mcp") is None:
        plan.notes.append("the server itself needs more: pip install 'octavo[mcp]'")
    told = " && ".join(program.afterwards for program in programs)
    return plan.result(dry_run=request.dry_run, next=f"{told} tells whether it is known there")


async def mcp_uninstall(request: ServerUninstallRequest, context: InstallContext) -> Installed:
    """Take the server out again; the rest of the file stays byte for byte."""
    programs = chosen(request)
    if not programs:
        raise refuse_none("mcp uninstall")
    plan = Plan(context.environ, undo=True)
    for program in programs:
        _unplan(plan, program, context)
    return plan.result(dry_run=request.dry_run)


def server_of(python: str) -> Server:
    """The server of an interpreter, by a path that needs no PATH."""
    for name in ("octavo", "octavo.exe"):
        script = os.path.join(os.path.dirname(python), name)
        if os.path.exists(script):
            return Server(script, ("mcp",))
    return Server(python, ("-m", "octavo", "mcp"))


def _plan(
    plan: Plan, program: Program, server: Server, context: InstallContext, *, replace: bool
) -> None:
    dialect = DIALECTS[program.name]
    path = real(program.settings(context.environ))
    before = content_of(path)
    text = text_of(before)
    entry = found(text, dialect, str(path))
    wanted = dialect.entry(server)
    if isinstance(entry, dict) and {**entry, **wanted} == entry:
        return
    if entry is not None and not is_ours(entry) and not replace:
        raise UsageError(
            "output-exists",
            f"another server is called {NAME} there; nothing has been changed",
            place=str(path),
            hint="--replace puts Octavo in its place, --dry-run --replace shows it",
        )
    noted = plan.memory.of(path)
    if entry is not None and noted and before is not None and noted.is_as_left(before):
        # Without our older entry the file is as it was at first, whatever that entry replaced.
        text = text_of(noted.before(before))
    plan.change(path, before, bytes_of(with_server(text, dialect, server, str(path))))


def _unplan(plan: Plan, program: Program, context: InstallContext) -> None:
    path = real(program.settings(context.environ))
    now, noted = content_of(path), plan.memory.of(path)
    if now is not None:
        after = _without(plan, program, path, now, noted)
        plan.change(path, now, after)
    if noted is not None:
        plan.settled(path)


def _without(
    plan: Plan, program: Program, path: Path, now: bytes, noted: Noted | None
) -> bytes | None:
    """The configuration as it was; or without our entry, where it was changed since."""
    if noted is not None and noted.is_as_left(now):
        return noted.before(now)
    dialect = DIALECTS[program.name]
    entry = found(text_of(now), dialect, str(path))
    if entry is None:
        return now
    if not is_ours(entry):
        plan.notes.append(f"{path}: the server {NAME} is not this one any more: it stays")
        return now
    undone = noted.splice.undone(now) if noted else None
    if undone is not None and takes_out(text_of(undone), text_of(now), dialect):
        return undone
    return bytes_of(without_server(text_of(now), dialect, str(path)))
