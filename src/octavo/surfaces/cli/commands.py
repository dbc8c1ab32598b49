"""Every command of the program: the operations of the table, and what only a shell needs."""

from __future__ import annotations

from octavo.app.table import OPERATIONS, SETUP, Entry

COMMANDS: tuple[Entry, ...] = (
    *OPERATIONS,
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
)


def find(name: str) -> Entry | None:
    """The command of a name; dashes and underlines are the same."""
    wanted = name.replace("-", "_")
    return next((entry for entry in COMMANDS if entry.name.replace("-", "_") == wanted), None)
