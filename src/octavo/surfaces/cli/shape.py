"""The shape of a command: what words it takes, from the fields of its request and options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any

from octavo.app.table import Entry, load
from octavo.surfaces.cli.options import default_of, names_of, shown_of


class Slot:
    """A place for words on a command line: an argument (no flags) or an option.

    It belongs to the request of the operation (`for_request`) or to the options of the surface.
    """

    __slots__ = (
        "choices", "default", "flags", "for_request", "group", "help", "hidden", "many",
        "metavar", "name", "parse", "required", "takes",
    )  # fmt: skip

    def __init__(
        self, name: str, kind: str, shown: Mapping[str, Any], default: Any, *, for_request: bool
    ) -> None:
        metavar = shown["metavar"] or name.upper()
        self.name = name
        self.for_request = for_request
        self.flags: tuple[str, ...] = shown["flags"]
        self.help: str = shown["help"]
        self.group: str = shown.get("group", "")
        self.hidden: bool = shown.get("hidden", False)
        self.choices: tuple[str, ...] = shown.get("choices", ())
        self.many = kind.startswith("tuple") or kind == "Pairs"
        self.takes = 0 if kind == "bool" else 1 if isinstance(metavar, str) else len(metavar)
        self.metavar: tuple[str, ...] = (metavar,) if isinstance(metavar, str) else metavar
        self.required = default is MISSING
        self.default = None if default is MISSING else default
        self.parse: Callable[[str], Any] = shown.get("parse") or _plain_parse(kind)

    def called(self) -> str:
        """How messages name it: its flags, or its metavar."""
        return "/".join(self.flags) or self.metavar[0]


class Shape:
    """A command and all its slots."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.request: Any = load(entry.request)
        slots = [*_of_request(self.request), *_of_surface(entry.name)]
        self.arguments = [slot for slot in slots if not slot.flags]
        self.flagged = [slot for slot in slots if slot.flags]
        self.by_flag = {flag: slot for slot in self.flagged for flag in slot.flags}


def _of_request(request: Any) -> list[Slot]:
    return [
        Slot(item.name, str(item.type), item.metadata["shown"], item.default, for_request=True)
        for item in fields(request)
        if "shown" in item.metadata
    ]


def _of_surface(command: str) -> list[Slot]:
    slots = []
    for name in names_of(command):
        default = default_of(name)
        kind = "bool" if default is False else "str"
        slots.append(Slot(name, kind, shown_of(name), default, for_request=False))
    return slots


def _plain_parse(kind: str) -> Callable[[str], Any]:
    if kind.startswith("int"):
        return _whole_number
    return float if kind.startswith("float") else str


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a whole number") from None
