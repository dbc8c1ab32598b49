"""Three sets of tools that an agent may have. All count what is called, and what comes back."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

#: Shells of agents cut what is longer: the beginning and the end are kept.
MOST = 30_000
_TOKEN = "bench"


class Tools(Protocol):
    """What a policy works with."""

    folder: Path
    calls: int
    #: Of what came back.
    bytes: int
    #: Bytes of what was asked.
    written: int

    async def __call__(self, tool: str, **arguments: Any) -> str: ...


class Shell:
    """A shell whose output comes back, as every agent has one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls = self.bytes = self.written = 0

    async def __call__(self, tool: str, **arguments: Any) -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            arguments["command"],
            cwd=self.folder,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        out, _ = await process.communicate()
        text = out.decode("utf-8", "replace")
        if len(text) > MOST:
            text = f"{text[: MOST // 2]}\n… {len(text) - MOST} characters …\n{text[-MOST // 2 :]}"
        self.calls += 1
        self.bytes += len(text.encode())
        self.written += len(arguments["command"].encode())
        return text


class Served:
    """The tools of an MCP server."""

    def __init__(self, folder: Path, client: Any) -> None:
        self.folder = folder
        self.calls = self.bytes = self.written = 0
        self._client = client

    async def __call__(self, tool: str, **arguments: Any) -> str:
        answer = await self._client.call_tool(tool, arguments)
        self.calls += 1
        self.written += len(tool) + len(json.dumps(arguments, ensure_ascii=False).encode())
        parts = []
        for block in answer.content:
            if block.type == "text":
                parts.append(block.text)
                self.bytes += len(block.text.encode())
            else:
                # Pixels reach the model as well; a link is its address.
                plain = block.model_dump(mode="json", exclude_none=True)
                self.bytes += len(plain.get("data") or json.dumps(plain))
        return "\n".join(parts)


@asynccontextmanager
async def shell(folder: Path) -> AsyncIterator[Tools]:
    """Plain commands; notebooks are run by nbconvert."""
    yield Shell(folder)


@asynccontextmanager
async def octavo(folder: Path) -> AsyncIterator[Tools]:
    """`octavo mcp` in the folder."""
    words = ["-m", "octavo", "mcp", "--project", str(folder)]
    # Sessions outlive their client, as they should; those of a task end with it.
    environ = {**os.environ, "XDG_RUNTIME_DIR": str(folder.parent)}
    try:
        async with _client(sys.executable, words, environ) as client:
            yield Served(folder, client)
    finally:
        _stop_sessions(environ)


def _stop_sessions(environ: dict[str, str]) -> None:
    """End all sessions of a task, whose sockets lie in a folder of its own, and what forks them."""

    def octavo(*words: str) -> bytes:
        program = [sys.executable, "-m", "octavo", *words]
        return subprocess.run(program, env=environ, capture_output=True).stdout

    listed = octavo("session", "list", "--all", "--json")
    for each in json.loads(listed or b"{}").get("sessions", ()):
        octavo("session", "stop", each["id"])
    octavo("warm", "--stop")


@asynccontextmanager
async def jupyter(folder: Path, programs: Path) -> AsyncIterator[Tools]:
    """jupyter-mcp-server beside a JupyterLab whose root is the folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Settings of whoever measures are not looked at.
    home = folder.parent / "home"
    home.mkdir()
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environ = {**os.environ, "PATH": path, "HOME": str(home)}
    words = ["lab", "--allow-root", "--no-browser", f"--port={port}"]
    words += [f"--IdentityProvider.token={_TOKEN}", f"--ServerApp.root_dir={folder}"]
    lab = subprocess.Popen(
        [programs / "jupyter", *words],
        cwd=home,
        env=environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        await _answers(f"{url}/api?token={_TOKEN}")
        words = ["--transport", "stdio", "--jupyter-url", url, "--jupyter-token", _TOKEN]
        async with _client(str(programs / "jupyter-mcp-server"), words, environ) as client:
            yield Served(folder, client)
    finally:
        os.killpg(lab.pid, signal.SIGTERM)
        lab.wait()


@asynccontextmanager
async def _client(command: str, words: list[str], environ: dict[str, str]) -> AsyncIterator[Any]:
    from mcp.client.stdio import StdioServerParameters, stdio_client

    from mcp import Client

    parameters = StdioServerParameters(command=command, args=words, env=environ)
    with open(os.devnull, "w") as nowhere:
        async with Client(stdio_client(parameters, errlog=nowhere)) as client:
            yield client


async def _answers(url: str) -> None:
    for _ in range(300):
        try:
            await asyncio.to_thread(urllib.request.urlopen, url, timeout=5)
            return
        except OSError:
            await asyncio.sleep(0.5)
    raise RuntimeError(f"{url} does not answer")
