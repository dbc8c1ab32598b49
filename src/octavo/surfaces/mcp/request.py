"""What can be asked of `octavo mcp` and `octavo serve`."""

from __future__ import annotations

from typing import Any

from octavo.requests import Request, option, seconds
from octavo.value import Value

HTTP = "Over HTTP"


class McpRequest(Request):
    """A server of tools on standard input and output, for one client."""

    project: str = option(
        "--project", help="the project (default: the current folder)", default="", metavar="DIR"
    )
    toolsets: tuple[str, ...] = option(
        "--toolsets",
        help="more tools: notebooks, sessions, proposals, archive, all",
        default=(),
        metavar="NAMES",
    )
    limit: float = option(
        "--limit",
        help="longest time until a call is answered; what takes longer is a job (30s)",
        default=30.0,
        metavar="TIME",
        parse=seconds,
    )


class ServeRequest(McpRequest):
    """Servers over HTTP, for many clients, each with a token."""

    mcp: bool = option("--mcp", help="serve the tools for agents at /mcp", default=False)
    host: str = option(
        "--host",
        help="the address to listen on (127.0.0.1)",
        default="127.0.0.1",
        metavar="ADDRESS",
        group=HTTP,
    )
    port: int = option(
        "--port", help="the port; 0 takes a free one", default=8765, metavar="N", group=HTTP
    )
    token_file: str = option(
        "--token-file",
        help="a file of names and tokens; made with one where there is none",
        default="",
        metavar="FILE",
        group=HTTP,
    )
    allow_host: tuple[str, ...] = option(
        "--allow-host",
        help="a name by which clients may call this server, besides its address",
        default=(),
        metavar="NAME",
        group=HTTP,
    )


class Served(Value):
    """A server that has ended."""

    address: str = ""

    def to_json(self) -> dict[str, Any]:
        return self.to_dict()
