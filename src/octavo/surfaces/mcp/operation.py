"""`octavo mcp` and `octavo serve --mcp`."""

from __future__ import annotations

import os
import socket
from typing import Any

from octavo import config
from octavo.app.context import Context
from octavo.errors import InfrastructureError, UsageError
from octavo.runs.context import Said
from octavo.surfaces.mcp.identity import Tokens, new_token_file, read_tokens, tokens_from
from octavo.surfaces.mcp.request import McpRequest, Served, ServeRequest

PATH = "/mcp"
_LEAST = 0.2
_IN_LINE = 512
_WITH_TOKENS = "octavo serve --mcp --token-file ~/octavo-tokens"
_LOCAL = ("127.0.0.1", "localhost", "::1")


async def mcp(request: McpRequest, context: Context) -> Served:
    """Serve one client on the standard streams, until it hangs up."""
    project = _project(request, context)
    _need_sdk()
    from octavo.surfaces.mcp.desk import Desk
    from octavo.surfaces.mcp.server import Server

    desk = Desk(project, context.environ, request.limit)
    try:
        await Server(desk, request.toolsets).run_stdio_async()
    finally:
        await desk.close()
    return Served()


async def serve(request: ServeRequest, context: Context) -> Served:
    """Serve clients with tokens over HTTP, until a signal comes."""
    if not request.mcp:
        raise UsageError("wrong-argument", "there is nothing to serve", hint=_WITH_TOKENS)
    project = _project(request, context)
    tokens = _tokens(request, context)
    _need_sdk()
    from octavo.surfaces.mcp.desk import Desk
    from octavo.surfaces.mcp.server import Server
    from octavo.surfaces.mcp.verifying import Verifier

    listening = _listen(request.host, request.port)
    port = listening.getsockname()[1]
    address = f"http://{_bracketed(request.host)}:{port}{PATH}"
    desk = Desk(project, context.environ, request.limit)
    server = Server(desk, request.toolsets, Verifier(tokens))
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        host=request.host,
        transport_security=_security(request),
    )
    count = "1 token" if len(tokens) == 1 else f"{len(tokens)} tokens"
    context.emit(Said(f"serving {project} at {address} ({count}); Ctrl-C ends it"))
    if request.host not in _LOCAL:
        context.emit(Said("tokens are not encrypted on their way: put a proxy with TLS before it"))
    try:
        await _served(app, listening)
    finally:
        await desk.close()
    return Served(address)


async def _served(app: Any, listening: socket.socket) -> None:
    import uvicorn

    settings = uvicorn.Config(
        app, log_level="warning", lifespan="on", timeout_graceful_shutdown=2, access_log=False
    )
    server = uvicorn.Server(settings)
    await server.serve(sockets=[listening])


def _project(request: McpRequest, context: Context) -> str:
    if request.limit < _LEAST:
        message = f"--limit {request.limit:g}: at least {_LEAST:g} s"
        raise UsageError("wrong-argument", message, hint="leave it out for 30 s")
    folder = os.path.realpath(os.path.join(context.cwd, request.project or "."))
    if not os.path.isdir(folder):
        hint = "name the folder of a project"
        raise UsageError("wrong-argument", "there is no such folder", place=folder, hint=hint)
    return os.path.realpath(config.project_root(folder) or folder)


def _tokens(request: ServeRequest, context: Context) -> Tokens:
    """Those of the file, and those of the environment."""
    if request.token_file:
        path = os.path.join(context.cwd, os.path.expanduser(request.token_file))
        if not os.path.exists(path):
            new_token_file(path)
            context.emit(Said(f"made a token: {path}"))
        return read_tokens(path)
    given = config.mcp_tokens(context.environ)
    if not given:
        raise UsageError(
            "token-file",
            "there are no tokens, so nobody could call",
            hint=f"{_WITH_TOKENS} makes one; or set {config.MCP_TOKENS}",
        )
    return tokens_from(given, config.MCP_TOKENS)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        # From here on calls wait in line, so that nobody is refused who was told the address.
        listening.listen(_IN_LINE)
    except (OSError, OverflowError) as error:
        listening.close()
        why = getattr(error, "strerror", None) or str(error)
        hint = "choose another --port; 0 takes a free one"
        message = f"cannot listen: {why.lower()}"
        raise InfrastructureError("listen", message, place=f"{host}:{port}", hint=hint) from error
    return listening


def _security(request: ServeRequest) -> Any:
    """Only calls by a known name: a page in a browser that points a name at us is refused."""
    from mcp.server.transport_security import TransportSecuritySettings

    names = {_bracketed(request.host), "127.0.0.1", "localhost", "[::1]", *request.allow_host}
    hosts = [each for name in sorted(names) for each in (name, f"{name}:*")]
    origins = [f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=origins
    )


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _need_sdk() -> None:
    try:
        __import__("mcp.server")
    except ImportError as error:
        raise InfrastructureError(
            "extra-missing",
            "the server for agents needs the package mcp",
            hint="pip install 'octavo[mcp]'",
        ) from error
