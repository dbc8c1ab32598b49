"""The one table of operations. Surfaces are made from it; what it names is loaded when called."""

from __future__ import annotations

from octavo.app.table import jobs, notebooks, proposals, runs, sessions, setting_up
from octavo.app.table.entry import Entry

OPERATIONS: tuple[Entry, ...] = (
    *runs.ENTRIES,
    *notebooks.ENTRIES,
    *proposals.ENTRIES,
    *sessions.ENTRIES,
    *jobs.ENTRIES,
    *setting_up.ENTRIES,
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
