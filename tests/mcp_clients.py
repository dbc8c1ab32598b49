"""Real servers of tools, and the official client or plain JSON-RPC to call them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from cli.calling import variables
from git_repositories import ENVIRON, git

TOKENS = {"alice": "alice-has-a-token-of-her-own", "bob": "bob-has-another-token"}

QUICK = """\
# %% tags=["parameters"]
n: int = 1  # how many

# %% twice
print("twice", n * 2)
"""
FAILING = QUICK + '\n# %% fails\nraise ValueError(f"bad {n}")\n'
#: Goes on until a file is there, so that no test has to guess a time.
WAITING = """\
# %%
import pathlib, time
print("begun", flush=True)
# %%
while not pathlib.Path("go").exists():
    time.sleep(0.02)
print("gone on")
"""


class Project:
    """A repository with notebooks, and the environment that servers of it are started in."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.root = folder / "project"
        self.root.mkdir()
        self.write("octavo.toml", "")
        self.write("quick.py", QUICK)
        self.write("failing.py", FAILING)
        self.write("waiting.py", WAITING)
        git(self.root, "init", "-q")
        git(self.root, "add", ".")
        git(self.root, "commit", "-qm", "notebooks")
        runtime = folder / "run"
        runtime.mkdir(mode=0o700)
        git_names = {name: each for name, each in ENVIRON.items() if name.startswith("GIT_")}
        self.environ: Mapping[str, str] = {
            **variables(folder),
            **git_names,
            "XDG_RUNTIME_DIR": str(runtime),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def records(self) -> list[dict[str, Any]]:
        """The records of all runs that have ended."""
        found = sorted((self.root / ".octavo" / "runs").glob("*/*/record.json"))
        return [json.loads(path.read_text()) for path in found]

    def go(self) -> None:
        """Let what waits go on."""
        (self.root / "go").touch()


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "octavo", *words]


@asynccontextmanager
async def over_stdio(project: Project, *words: str, mode: str = "auto") -> AsyncIterator[Client]:
    """A client with a server of its own on standard streams."""
    program, *arguments = command("mcp", *words)
    server = StdioServerParameters(
        command=program, args=arguments, cwd=str(project.root), env=dict(project.environ)
    )
    async with Client(server, mode=mode) as client:
        yield client


class Serving:
    """A server over HTTP."""

    def __init__(self, project: Project, *words: str) -> None:
        tokens = project.home / "tokens"
        tokens.touch(mode=0o600)
        tokens.write_text("".join(f"{name} {token}\n" for name, token in TOKENS.items()))
        self.process = subprocess.Popen(
            command("serve", "--mcp", "--port", "0", "--token-file", str(tokens), *words),
            cwd=project.root,
            env=dict(project.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: list[str] = []
        self.url = self._address()

    def _address(self) -> str:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            found = re.search(r"http://[\w.:\[\]]+/mcp", line)
            if found:
                return found.group()
        raise AssertionError("".join(self.said))

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
        if self.process.stderr is not None:
            self.process.stderr.close()


@contextmanager
def serving(project: Project, *words: str) -> Iterator[Serving]:
    server = Serving(project, *words)
    try:
        yield server
    finally:
        server.end()


@asynccontextmanager
async def over_http(
    server: Serving, who: str = "alice", mode: str = "auto", **settings: Any
) -> AsyncIterator[Client]:
    """A client with a token."""
    headers = {"Authorization": f"Bearer {TOKENS.get(who, who)}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(server.url, http_client=http)
        async with Client(transport, mode=mode, **settings) as client:
            yield client


async def answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a call that went well."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    text = result.content[0].text
    assert json.loads(text) == result.structured_content
    return result.structured_content


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """What is told of a call that was wrong."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    text: str = result.content[0].text
    assert "\nhint: " in text, text
    assert "Traceback" not in text
    return text


class Raw:
    """A server on standard streams, spoken to line by line."""

    def __init__(self, project: Project, *words: str) -> None:
        self.process = subprocess.Popen(
            command("mcp", *words),
            cwd=project.root,
            env=dict(project.environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._number = 0
        self.lines: list[str] = []

    def send(self, message: Mapping[str, Any]) -> None:
        self.line(json.dumps({"jsonrpc": "2.0", **message}))

    def line(self, text: str) -> None:
        """Send a line, whatever is in it."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{text}\n")
        self.process.stdin.flush()

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The answer to a request; what comes before it is kept."""
        assert self.process.stdout is not None
        self._number += 1
        self.send({"id": self._number, "method": method, "params": dict(params or {})})
        for line in self.process.stdout:
            self.lines.append(line)
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self._number:
                return message
        raise AssertionError("the server hung up")

    def initialize(self, version: str) -> dict[str, Any]:
        """The handshake of versions before 2026."""
        info = {"name": "raw", "version": "1"}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
        begun = self.call("initialize", params)
        self.send({"method": "notifications/initialized"})
        return begun

    def close(self) -> str:
        """Hang up; what the server wrote after that."""
        rest, _ = self.process.communicate(timeout=30)
        return rest or ""
