"""Installs the real agents that tests drive: `python -m agents.build`, or `make agents`.

Each is kept by name and version outside the clone, and installed only when it is not there. What
says that it is whole is written last, so that an installation that is killed is made anew.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from servers.build import alone, kept_in

COMPLETE = "complete"


@dataclass(frozen=True)
class Agent:
    """A program of others, from npm or into a Python environment of its own."""

    name: str
    version: str
    npm: str = ""
    requirements: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        return kept_in().parent / "agents" / f"{self.name}-{self.version}"

    @property
    def program(self) -> Path:
        place = "node_modules/.bin" if self.npm else "bin"
        return self.folder / place / self.name

    @property
    def python(self) -> Path:
        """The interpreter that it runs in, where it is written in Python."""
        return self.folder / "bin" / "python"

    @property
    def is_here(self) -> bool:
        return (self.folder / COMPLETE).exists()


CODEX = Agent("codex", "0.166.0", npm="@openai/codex")
CLAUDE = Agent("claude", "2.1.325", npm="@anthropic-ai/claude-code")
#: IPython and PyYAML are what Octavo itself needs: its plug-in runs in Hermes's environment.
HERMES = Agent(
    "hermes",
    "0.19.0",
    requirements=("hermes-agent[mcp,cron]==0.19.0", "ipython>=8.18", "pyyaml>=6"),
)
#: Measured against in `make bench`, not driven by tests.
JUPYTER_MCP = Agent(
    "jupyter-mcp-server",
    "2.2.4",
    requirements=(
        "jupyter-mcp-server==2.2.4",
        "jupyterlab>=4.4",
        "ipykernel",
        "matplotlib",
        "pandas",
    ),
)
AGENTS = (CODEX, CLAUDE, HERMES)


def install(agent: Agent) -> None:
    """Bring an agent to its place."""
    shutil.rmtree(agent.folder, ignore_errors=True)
    agent.folder.mkdir(parents=True)
    if agent.npm:
        package = f"{agent.npm}@{agent.version}"
        _call("npm", "install", "--prefix", ".", *_QUIETLY, package, cwd=agent.folder)
    else:
        uv = (sys.executable, "-m", "uv")
        _call(*uv, "venv", "-q", "--allow-existing", ".", cwd=agent.folder)
        interpreter = ("--python", str(agent.python))
        _call(*uv, "pip", "install", "-q", *interpreter, *agent.requirements, cwd=agent.folder)
    (agent.folder / COMPLETE).touch()


_QUIETLY = ("--no-audit", "--no-fund", "--loglevel", "error")


def _call(*words: str, cwd: Path) -> None:
    environ = dict(os.environ)
    bundle = environ.get("SSL_CERT_FILE")
    if bundle:
        environ.setdefault("NODE_EXTRA_CA_CERTS", bundle)
    if subprocess.run(words, cwd=cwd, env=environ, check=False).returncode != 0:
        sys.exit(f"{' '.join(words[:3])} failed: see above")


def bring(agent: Agent) -> None:
    """Install an agent unless it is there."""
    with alone(agent.folder.parent):
        if agent.is_here:
            print(f"{agent.name} {agent.version} is there: {agent.program}")
            return
        if agent.npm and shutil.which("npm") is None:
            sys.exit(f"{agent.name} comes from npm, which is not here: https://nodejs.org")
        print(f"installing {agent.name} {agent.version}", flush=True)
        began = time.monotonic()
        install(agent)
        print(f"installed in {time.monotonic() - began:.0f} s: {agent.program}")


def main() -> None:
    wanted = {agent.name: agent for agent in (*AGENTS, JUPYTER_MCP)}
    for name in sys.argv[1:] or [agent.name for agent in AGENTS]:
        bring(wanted[name])


if __name__ == "__main__":
    main()
