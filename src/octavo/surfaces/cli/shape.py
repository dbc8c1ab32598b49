"""The shape of a command: what words it takes, from the fields of its request and options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any

from octavo.app.table import Entry, load
from octavo.surfaces.cli.options import OPTIONS, Options


class Slot:
    """A place for words on a command line: an argument (no flags) or an option."""

    __slots__ = (
        "choices", "default", "flags", "group", "help", "hidden", "many", "metavar", "name",
        "owner", "parse", "required", "takes",
    )  # fmt: skip

    def __init__(self, item: Field[Any], owner: type) -> None:
        shown = item.metadata["shown"]
        kind = str(item.type)
        metavar = shown["metavar"] or item.name.upper()
        self.name = item.name
        self.owner = owner
        self.flags: tuple[str, ...] = shown["flags"]
        self.help: str = shown["help"]
        self.group: str = shown.get("group", "")
        self.hidden: bool = shown.get("hidden", False)
        self.choices: tuple[str, ...] = shown.get("choices", ())
        self.many = kind.startswith("tuple") or kind == "Pairs"
        self.takes = 0 if kind == "bool" else 1 if isinstance(metavar, str) else len(metavar)
        self.metavar: tuple[str, ...] = (metavar,) if isinstance(metavar, str) else metavar
        self.required = item.default is MISSING and item.default_factory is MISSING
        self.default = None if item.default is MISSING else item.default
        self.parse: Callable[[str], Any] = shown.get("parse") or _plain_parse(kind)

    def called(self) -> str:
        """How messages name it: its flags, or its metavar."""
        return "/".join(self.flags) or self.metavar[0]


class Shape:
    """A command and all its slots."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.request: Any = load(entry.request)
        self.options: type[Options] = OPTIONS.get(entry.name, Options)
        slots = [*_slots(self.request), *_slots(self.options)]
        self.arguments = [slot for slot in slots if not slot.flags]
        self.flagged = [slot for slot in slots if slot.flags]
        self.by_flag = {flag: slot for slot in self.flagged for flag in slot.flags}


def _slots(owner: Any) -> list[Slot]:
    return [Slot(item, owner) for item in fields(owner) if "shown" in item.metadata]


def _plain_parse(kind: str) -> Callable[[str], Any]:
    if kind.startswith("int"):
        return _whole_number
    return float if kind.startswith("float") else str


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a whole number") from None
