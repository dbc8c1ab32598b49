"""How a field of a request is shown to people: as an argument or an option, with its help.

A request is a frozen dataclass. Every surface (command line, tools for agents, pages) is made from
the same fields, so they cannot drift apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, field
from typing import Any


def argument(help: str, *, metavar: str = "", default: Any = MISSING) -> Any:
    """A positional argument; a tuple type takes many."""
    shown = {"flags": (), "help": help, "metavar": metavar}
    return field(default=default, metadata={"shown": shown})


def option(
    *flags: str,
    help: str,
    default: Any = None,
    metavar: str | tuple[str, ...] = "",
    choices: tuple[str, ...] = (),
    parse: Callable[[str], Any] | None = None,
    hidden: bool = False,
    group: str = "",
) -> Any:
    """An option with its flags; a tuple type may be given many times, a bool takes no value.

    Options of one `group` stand together in help.
    """
    shown = {
        "flags": flags,
        "help": help,
        "metavar": metavar,
        "choices": choices,
        "parse": parse,
        "hidden": hidden,
        "group": group,
    }
    return field(default=default, metadata={"shown": shown})


_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {"": 1, "B": 1}
for _power, _letter in enumerate("KMGT", 1):
    _BYTES.update(
        {_letter: 1000**_power, f"{_letter}B": 1000**_power, f"{_letter}IB": 1024**_power}
    )


def seconds(text: str) -> float:
    """A duration: `90`, `90s`, `1.5m`, `2h`."""
    number, unit = _split(text)
    scale = _SECONDS.get(unit.lower() or "s")
    if scale is None or number < 0:
        raise ValueError(f"{text!r} is not a duration; write 90, 90s, 5m or 2h")
    return number * scale


def size(text: str) -> int:
    """A number of bytes: `4096`, `500MB`, `2GiB`."""
    number, unit = _split(text)
    scale = _BYTES.get(unit.upper())
    if scale is None or number < 0:
        raise ValueError(f"{text!r} is not a size; write 4096, 500MB or 2GiB")
    return int(number * scale)


def _split(text: str) -> tuple[float, str]:
    stripped = text.strip()
    digits = len(stripped.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "))
    try:
        return float(stripped[:digits]), stripped[digits:].strip()
    except ValueError:
        raise ValueError(f"{text!r} has no number") from None
