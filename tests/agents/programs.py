"""The real agents, each driven for one turn without a person, in a home of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from agents.build import CLAUDE, CODEX, HERMES, Agent
from agents.models import Model

#: No turn of a test takes as long, unless it hangs.
LONGEST = 240.0


@dataclass(frozen=True)
class Ended:
    """How a program ended, and what it said."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Place:
    """Where an agent works: a project, and a home that is not the user's."""

    home: Path
    project: Path
    #: Folders that come before the system's own programs.
    programs: tuple[str, ...] = ()

    def environ(self, **more: str) -> dict[str, str]:
        path = os.pathsep.join((*self.programs, "/usr/local/bin", "/usr/bin", "/bin"))
        return {
            "HOME": str(self.home),
            "PATH": path,
            "LANG": "C.UTF-8",
            "CODEX_HOME": str(self.home / ".codex"),
            "HERMES_HOME": str(self.home / ".hermes"),
            **more,
        }


def called(words: Iterable[str | Path], place: Place, **environ: str) -> Ended:
    """A program until it ends; with all that it started, when it does not."""
    (place.home / ".codex").mkdir(parents=True, exist_ok=True)
    with subprocess.Popen(
        [str(word) for word in words],
        cwd=place.project,
        env=place.environ(**environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            err += f"\nkilled after {LONGEST} s"
    return Ended(process.returncode, out, err)


def needed(agent: Agent) -> Agent:
    """An agent that is here; a test that needs one that is not is skipped."""
    import pytest

    if not agent.is_here:
        pytest.skip(f"needs the real {agent.name}: run `make agents` once")
    return agent


def codex(prompt: str, model: Model, place: Place, *more: str) -> Ended:
    """One turn of Codex. The servers are those of its configuration."""
    provider = f'{{name="scripted",base_url="{model.url}/v1",wire_api="responses",'
    provider += "request_max_retries=0,stream_max_retries=0}"
    settings = {
        "model_providers.scripted": provider,
        "model_provider": '"scripted"',
        "model": '"gpt-5.5"',
        "features.plugins": "false",
        "analytics.enabled": "false",
        "features.unbounded_connection_retries": "false",
        # What a person would be asked is granted here; the rest of the entry is the installer's.
        "mcp_servers.octavo.default_tools_approval_mode": '"approve"',
        "mcp_servers.octavo.required": "true",
        "mcp_servers.octavo.startup_timeout_sec": "60",
    }
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    program = needed(CODEX).program
    return called(
        [program, "exec", "--json", "--skip-git-repo-check", *options, *more, prompt], place
    )


def claude(prompt: str, model: Model, place: Place, *more: str) -> Ended:
    """One turn of Claude Code. The servers are those of its configuration."""
    words = ["-p", prompt, "--output-format", "stream-json", "--verbose"]
    allowed = ["--allowedTools", "mcp__octavo"]
    return called(
        [needed(CLAUDE).program, *words, *allowed, *more],
        place,
        ANTHROPIC_BASE_URL=model.url,
        ANTHROPIC_API_KEY="none",
        CLAUDE_CODE_MAX_RETRIES="0",
        ENABLE_TOOL_SEARCH="false",
        MCP_TIMEOUT="60000",
        CLAUDE_CODE_MCP_STARTUP_WAIT_MS="60000",
        DISABLE_AUTOUPDATER="1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
    )


def hermes(prompt: str, model: Model, place: Place, *more: str, **environ: str) -> Ended:
    """One turn of Hermes, with the settings of `hermes_settings`.

    By `-z` it would not wait for its servers at all.
    """
    words = [needed(HERMES).program, "chat", "-Q", "-q", prompt, *more]
    return called(words, place, **environ)


def hermes_settings(model: Model, place: Place, more: str = "") -> None:
    """Settings that name the scripted model; what the installer adds comes after."""
    named = {"provider": "custom", "default": "scripted", "base_url": f"{model.url}/v1"}
    path = place.home / ".hermes" / "config.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    # The first turn begins as soon as its servers are up; on a busy machine that takes longer than
    # Hermes would wait by itself.
    path.write_text(f"model: {json.dumps(named)}\nmcp_discovery_timeout: 120\n{more}")


def said(ended: Ended) -> list[dict[str, object]]:
    """The lines of JSON that a program wrote."""
    return [json.loads(line) for line in ended.out.splitlines() if line.startswith("{")]
