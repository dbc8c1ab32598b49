"""Options that only the command line has: how a result is shown, not what is done.

They are no dataclasses because making one takes a millisecond that every run would pay.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

SHOWN = "What is shown"

#: Each option of this kind: its flags, its help, its default, and the values it may take.
_KNOWN: dict[str, tuple[tuple[str, ...], str, Any, tuple[str, ...]]] = {
    "json": (("--json",), "print the result as JSON", False, ()),
    "quiet": (("-q", "--quiet"), "show nothing unless a run fails", False, ()),
    "log_output": (
        ("--log-output",),
        "write the output of cells to standard error as it comes",
        False,
        (),
    ),
    "help_notebook": (
        ("--help-notebook",),
        "show the parameters of the notebook, run nothing",
        False,
        (),
    ),
    "images": (
        ("--images",),
        "how images are drawn",
        "auto",
        ("auto", "kitty", "iterm", "sixel", "blocks", "none"),
    ),
    "full": (("--full",), "all of every output, nothing folded", False, ()),
}

_OF_COMMAND: dict[str, tuple[str, ...]] = {
    "run": ("quiet", "log_output", "help_notebook"),
    "rerun": ("quiet", "log_output"),
    "show": ("images", "full"),
}


def names_of(command: str) -> tuple[str, ...]:
    """The options of a command; every command has `--json`."""
    return (*_OF_COMMAND.get(command, ()), "json")


def shown_of(name: str) -> dict[str, Any]:
    """An option as requests describe theirs."""
    flags, help, _, choices = _KNOWN[name]
    metavar = "HOW" if choices else ""
    return {
        "flags": flags,
        "help": help,
        "choices": choices,
        "metavar": metavar,
        "group": SHOWN,
    }


def default_of(name: str) -> Any:
    """The value of an option that was not given."""
    return _KNOWN[name][2]


def options_with(command: str, given: dict[str, Any]) -> SimpleNamespace:
    """The options of a command: those that were given, the others as usual."""
    usual = {name: default_of(name) for name in names_of(command)}
    return SimpleNamespace(**{**usual, **given})
