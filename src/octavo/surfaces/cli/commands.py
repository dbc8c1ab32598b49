"""Every command of the program: the operations of the table, and what only a shell needs."""

from __future__ import annotations

from octavo.app.table import OPERATIONS
from octavo.app.table.entry import SESSIONS, SETUP, Entry

COMMANDS: tuple[Entry, ...] = (
    *OPERATIONS,
    Entry(
        "session attach",
        "octavo.surfaces.cli.attaching:attach",
        "octavo.sessions.requests:AttachRequest",
        "work in a session from the terminal",
        group=SESSIONS,
        examples=("octavo session attach 0f3a9c21", "octavo session attach 0f3a9c21 --jupyter"),
    ),
    Entry(
        "completion",
        "octavo.surfaces.cli.completion:completion",
        "octavo.surfaces.cli.completion:CompletionRequest",
        "print a script that completes commands in your shell",
        group=SETUP,
        examples=(
            'eval "$(octavo completion bash)"',
            "octavo completion fish > ~/.config/fish/completions/octavo.fish",
        ),
    ),
    Entry(
        "mcp",
        "octavo.surfaces.mcp.operation:mcp",
        "octavo.surfaces.mcp.request:McpRequest",
        "serve the tools for agents on standard input and output (MCP)",
        group=SETUP,
        examples=(
            "octavo mcp",
            "octavo mcp --project ~/reports --toolsets sessions,proposals",
            "claude mcp add octavo -- octavo mcp",
        ),
    ),
    Entry(
        "serve",
        "octavo.surfaces.mcp.operation:serve",
        "octavo.surfaces.mcp.request:ServeRequest",
        "serve the tools for agents over HTTP, with a token for each client",
        group=SETUP,
        examples=(
            "octavo serve --mcp --token-file ~/octavo-tokens",
            "octavo serve --mcp --port 0 --toolsets all",
        ),
    ),
)


#: What the commands of each family have in common.
FAMILIES: dict[str, str] = {
    "session": "work live in a notebook: state that stays, steps back, long work left running",
    "job": "work that goes on without its client: detached runs and executions in sessions",
    "skill": "teach agents how to work with notebooks here",
    "mcp": "the tools that agents call, and the agents that are to have them",
}


def find(name: str) -> Entry | None:
    """The command of a name; dashes and underlines are the same."""
    wanted = name.replace("-", "_")
    return next((entry for entry in COMMANDS if entry.name.replace("-", "_") == wanted), None)


def named(words: list[str]) -> tuple[Entry | None, list[str]]:
    """The command that words begin with, by two of them or by one, and the words after it."""
    if len(words) > 1 and (entry := find(f"{words[0]} {words[1]}")) is not None:
        return entry, words[2:]
    return find(words[0]), words[1:]


def family(name: str) -> list[Entry]:
    """The commands whose first word this is."""
    return [entry for entry in COMMANDS if entry.family == name]
