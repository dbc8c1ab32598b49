"""Sessions that have ended, from their records."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.errors import OctavoError
from octavo.records.record import RunRecord
from octavo.sessions.context import SessionContext
from octavo.sessions.hosts.host import CULLED
from octavo.sessions.values import SessionInfo, SessionState

_MOST = 200


def ended(context: SessionContext, owner: str | None = None) -> Iterator[SessionInfo]:
    """Those of the project around the current folder, or of one owner in it, the oldest first."""
    found = []
    for run in context.store(context.cwd).runs(limit=_MOST):
        if run.is_running():
            continue
        try:
            record = run.record()
        except OctavoError:
            continue
        if record.options.get("session") and _is_of(record, owner):
            found.append(_told(record, str(context.project)))
    return reversed(found)


def _is_of(record: RunRecord, owner: str | None) -> bool:
    return owner is None or (record.options.get("owner") or "") == owner


def _told(record: RunRecord, project: str) -> SessionInfo:
    kernel = record.kernel or {}
    return SessionInfo(
        id=record.run_id,
        state=_state(record),
        notebook=record.source.get("path"),
        project=project,
        engine=record.engine,
        python=str(record.environment.get("python") or ""),
        pid=0,
        started=record.started,
        kernel_pid=kernel.get("pid"),
        cells=len(record.cells),
        name=str(record.options.get("name") or ""),
        parent=record.parent_run,
    )


def _state(record: RunRecord) -> SessionState:
    if record.reason == "runner-died":
        return "dead"
    return "culled" if record.message == CULLED else "stopped"
