"""The server: tools, resources and tasks of one project, with the official SDK."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any
from urllib.parse import unquote

from mcp.server import MCPServer
from mcp.server.auth.settings import AuthSettings
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ContentBlock, InputRequiredResult, ResourceLink, TextContent

from octavo import __version__
from octavo.errors import OctavoError, UsageError
from octavo.surfaces.mcp.brevity import brief
from octavo.surfaces.mcp.caller import Caller, called_by, to_nobody
from octavo.surfaces.mcp.declaring import tools_of
from octavo.surfaces.mcp.desk import WORK, Desk, StillRunning
from octavo.surfaces.mcp.failing import failed, problem_of, unknown_arguments
from octavo.surfaces.mcp.identity import LOCAL
from octavo.surfaces.mcp.instructions import INSTRUCTIONS
from octavo.surfaces.mcp.jobs import JobDesk
from octavo.surfaces.mcp.lines import Lines
from octavo.surfaces.mcp.processes import Processes
from octavo.surfaces.mcp.resources import SCHEME, RunFiles, image_links, with_addresses
from octavo.surfaces.mcp.tasks import Tasks
from octavo.surfaces.mcp.toolsets import declared_tools
from octavo.surfaces.mcp.verifying import Verifier, who_calls

NAME = "octavo"


class Server(MCPServer[Any]):
    """Answers calls in our own words: compact results, errors with kind and hint."""

    def __init__(
        self, desk: Desk, toolsets: Sequence[str] = (), verifier: Verifier | None = None
    ) -> None:
        self.desk = desk
        self._remote = verifier is not None
        self._files = RunFiles(desk, self.identity)
        processes = Processes(desk)
        jobs = JobDesk(desk, processes)
        super().__init__(
            NAME,
            title="Octavo",
            instructions=INSTRUCTIONS,
            version=__version__,
            tools=tools_of(declared_tools(desk, processes, jobs, toolsets)),
            extensions=[Tasks(jobs, self.identity, self)],
            token_verifier=verifier,
            auth=_auth() if verifier is not None else None,
            log_level="WARNING",
        )
        self._files.add_to(self)

    async def run_stdio_async(self) -> None:
        """Serve the standard streams; every line that comes is answered."""
        lowlevel = self._lowlevel_server
        async with stdio_server() as (sent, answers):
            options = lowlevel.create_initialization_options()
            await lowlevel.run(Lines(sent, answers), answers, options)

    def identity(self) -> str:
        """Who calls; over HTTP somebody with a token, or nobody at all."""
        return who_calls() if self._remote else LOCAL

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """A result, whatever became of the call."""
        report = context.report_progress if context is not None else to_nobody
        called_by(Caller(self.identity(), report, name))
        try:
            self._refuse_unknown(name, arguments)
            result = await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, StillRunning):
                return self._pending(cause.job)
            return self.failed(problem_of(error, name), name)
        except UsageError as error:
            return self.failed(error, name)
        assert isinstance(result, CallToolResult)
        return self.presented(result, name)

    def presented(self, result: CallToolResult, tool: str) -> CallToolResult:
        """A result in few words, and in those of tools and of the project."""
        if result.is_error or result.structured_content is None:
            return result
        worded = self.desk.wording.answer(result.structured_content, self._arguments(tool))
        told = result.model_copy(update={"structured_content": worded})
        return compact(told, remote=self._remote)

    def failed(self, error: OctavoError, tool: str = "") -> CallToolResult:
        """What was wrong with a call of a tool."""
        return failed(error, self.desk.wording, self._arguments(tool))

    def _arguments(self, tool: str) -> Collection[str]:
        schema = self._tool_input_schema(tool) or {}
        names: Collection[str] = schema.get("properties", {})
        return names

    async def read_resource(
        self, uri: Any, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """A file of a run, with the media type that it has."""
        text = str(uri)
        if not text.startswith(SCHEME):
            return await super().read_resource(uri, context)
        run, _, path = unquote(text.removeprefix(SCHEME)).partition("/")
        content, mime = await self._files.read(run, path)
        return [ReadResourceContents(content=content, mime_type=mime)]

    def _refuse_unknown(self, name: str, arguments: dict[str, Any]) -> None:
        schema = self._tool_input_schema(name)
        if schema is None:
            hint = "tools/list has their names; more by --toolsets"
            raise UsageError("wrong-argument", f"there is no tool {name[:80]!r}", hint=hint)
        problem = unknown_arguments(arguments, schema.get("properties", {}), name)
        if problem is not None:
            raise UsageError("wrong-argument", problem, place=name, hint="leave it out")

    def _pending(self, job: str) -> CallToolResult:
        told: dict[str, Any] = {"status": "running", "job": job, "next": f'job_wait(job="{job}")'}
        if job.startswith(WORK):
            told["notes"] = ["this server does it: stay until job_wait tells its end"]
        return compact(CallToolResult(content=[], structured_content=told))


def compact(result: CallToolResult, *, remote: bool = False) -> CallToolResult:
    """The same without what is empty; the text is the structured content, and images are links."""
    if result.is_error or result.structured_content is None:
        return result
    filled = {name: each for name, each in result.structured_content.items() if not _empty(each)}
    whole: dict[str, Any] = with_addresses(filled)
    told = brief(whole, remote=remote)
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"), default=str)
    content: list[ContentBlock] = [TextContent(type="text", text=text)]
    content += [ResourceLink(type="resource_link", **link) for link in image_links(whole)]
    return result.model_copy(update={"content": content, "structured_content": told})


def _empty(value: Any) -> bool:
    return value is None or value in ("", [], {}, ())


def _auth() -> AuthSettings:
    """Tokens are ours to know; nobody issues them, so there is nothing to discover."""
    return AuthSettings.model_validate(
        {"issuer_url": "http://127.0.0.1/", "resource_server_url": None}
    )
