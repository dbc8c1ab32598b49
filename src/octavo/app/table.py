"""The one table of operations. Surfaces are made from it; nothing here is loaded until called."""

from __future__ import annotations


class Entry:
    """An operation: where it is, what it is called, and what it does in one line.

    `agents` says whether it should be shown to agents as a tool.
    """

    def __init__(
        self, name: str, target: str, request: str, help: str, *, agents: bool = False
    ) -> None:
        self.name = name
        self.target = target
        self.request = request
        self.help = help
        self.agents = agents


OPERATIONS: tuple[Entry, ...] = (
    Entry(
        "run",
        "octavo.runs.operation:run",
        "octavo.runs.request:RunRequest",
        "run notebooks and keep a record of each",
        agents=True,
    ),
    Entry(
        "warm",
        "octavo.app.warm:warm",
        "octavo.app.warm:WarmRequest",
        "keep kernels loaded, so that the next run starts at once",
    ),
)


def find(name: str) -> Entry | None:
    """The operation of a name."""
    return next((entry for entry in OPERATIONS if entry.name == name), None)


def load(reference: str) -> object:
    """What `module:name` stands for."""
    from importlib import import_module

    module, _, name = reference.partition(":")
    loaded: object = getattr(import_module(module), name)
    return loaded
