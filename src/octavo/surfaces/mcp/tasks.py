"""The Tasks extension of the 2026-07-28 specification: a job is a task with the same id.

Clients that declare it get a task in place of a result that says `running`. Jobs lie on disk, so
tasks outlive the server that made them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver.server import require_client_extension
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, RequestParams
from pydantic import Field

from octavo.errors import OctavoError
from octavo.surfaces.mcp.caller import Caller, called_by
from octavo.surfaces.mcp.desk import Desk
from octavo.surfaces.mcp.jobs import JobDesk

IDENTIFIER = "io.modelcontextprotocol/tasks"
VERSIONS = frozenset({"2026-07-28"})
_POLL = 1000
_UNDER_WAY = ("running", "queued")
#: Tools that tell of jobs themselves: their answer is never a task.
_ABOUT_JOBS = ("job_wait", "job_cancel", "runs_list", "run_result")


class Presenting(Protocol):
    """Makes results and errors such as clients see them."""

    desk: Desk

    def presented(self, result: CallToolResult, tool: str) -> CallToolResult: ...

    def failed(self, error: OctavoError, tool: str = "") -> CallToolResult: ...


class TaskParams(RequestParams):
    """Which task is meant; answers to questions are taken and dropped, as none are asked."""

    task_id: str = Field(alias="taskId", max_length=100)
    input_responses: dict[str, Any] | None = Field(default=None, alias="inputResponses")


class Tasks(Extension):
    """Answers tasks/get, tasks/update and tasks/cancel, and makes tasks of long calls."""

    identifier = IDENTIFIER

    def __init__(self, jobs: JobDesk, identity: Callable[[], str], presenting: Presenting) -> None:
        self._jobs = jobs
        self._identity = identity
        self._presenting = presenting

    def methods(self) -> Sequence[MethodBinding]:
        return [
            MethodBinding("tasks/get", TaskParams, self._get, VERSIONS),
            MethodBinding("tasks/update", TaskParams, self._update, VERSIONS),
            MethodBinding("tasks/cancel", TaskParams, self._cancel, VERSIONS),
        ]

    async def intercept_tool_call(
        self,
        params: CallToolRequestParams,
        ctx: ServerRequestContext[Any, Any],
        call_next: CallNext,
    ) -> HandlerResult:
        """A result that says that work goes on becomes a task, where the client knows of them."""
        result = await call_next(ctx)
        if not isinstance(result, CallToolResult) or params.name in _ABOUT_JOBS:
            return result
        told = result.structured_content or {}
        if told.get("status") not in _UNDER_WAY or not told.get("job") or not _declared(ctx):
            return result
        now = _iso(None)
        return {"resultType": "task", **_task(str(told["job"]), "working", now, now)}

    async def _get(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> HandlerResult:
        require_client_extension(ctx, IDENTIFIER)
        called_by(Caller(self._identity()))
        try:
            answer = await self._jobs.wait(params.task_id, 0.0)
        except OctavoError as error:
            if error.kind in ("job-not-found", "session-not-found", "run-not-found"):
                raise self._unknown(error) from error
            result = _wire(self._presenting.failed(error))
            return {**_task(params.task_id, "completed"), "result": result}
        started = _iso(answer.started)
        if answer.status in _UNDER_WAY:
            return _task(params.task_id, "working", started, None, answer.progress)
        if answer.cancelled:
            return _task(params.task_id, "cancelled", started, _iso(answer.finished))
        done = _task(params.task_id, "completed", started, _iso(answer.finished))
        plain = answer.answer or answer.plain
        told = CallToolResult(content=[], structured_content=plain)
        return {**done, "result": _wire(self._presenting.presented(told, ""))}

    async def _update(
        self, ctx: ServerRequestContext[Any, Any], params: TaskParams
    ) -> HandlerResult:
        require_client_extension(ctx, IDENTIFIER)
        await self._known(params.task_id)
        return {}

    async def _cancel(
        self, ctx: ServerRequestContext[Any, Any], params: TaskParams
    ) -> HandlerResult:
        require_client_extension(ctx, IDENTIFIER)
        await self._known(params.task_id)
        self._jobs.cancel_later(params.task_id)
        return {}

    async def _known(self, task: str) -> None:
        called_by(Caller(self._identity()))
        try:
            await self._jobs.wait(task, 0.0)
        except OctavoError as error:
            if error.kind in ("job-not-found", "session-not-found", "run-not-found"):
                raise self._unknown(error) from error

    def _unknown(self, error: OctavoError) -> MCPError:
        told = self._presenting.desk.wording.error(error)
        return MCPError(code=INVALID_PARAMS, message=f"{told['message']} ({told['hint']})")


def _declared(ctx: ServerRequestContext[Any, Any]) -> bool:
    capabilities = ctx.session.client_capabilities
    extensions = (capabilities.extensions if capabilities else None) or {}
    return ctx.protocol_version in VERSIONS and IDENTIFIER in extensions


def _task(
    id: str, status: str, created: str | None = None, updated: str | None = None, message: str = ""
) -> dict[str, Any]:
    told = {
        "taskId": id,
        "status": status,
        "createdAt": created or _iso(None),
        "lastUpdatedAt": updated or _iso(None),
        "ttlMs": None,
        "pollIntervalMs": _POLL,
    }
    return {**told, "statusMessage": message} if message else told


def _wire(result: CallToolResult) -> dict[str, Any]:
    """The result that the tool would have given."""
    told: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return {"resultType": "complete", **told}


def _iso(moment: float | None) -> str:
    when = datetime.now(UTC) if moment is None else datetime.fromtimestamp(moment, UTC)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")
