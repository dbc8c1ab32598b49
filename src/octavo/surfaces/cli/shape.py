"""The shape of a command: what words it takes, from the fields of its request and options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from octavo.app.table import load
from octavo.app.table.entry import Entry
from octavo.requests import REQUIRED, Request, Shown
from octavo.surfaces.cli.options import options_of


class Slot:
    """A place for words on a command line: an argument (no flags) or an option.

    It belongs to the request of the operation (`for_request`) or to the options of the surface.
    """

    __slots__ = (
        "bare", "choices", "flags", "for_request", "group", "help", "hidden", "many",
        "metavar", "name", "parse", "required", "takes",
    )  # fmt: skip

    def __init__(self, name: str, kind: str, shown: Shown, *, for_request: bool) -> None:
        metavar = shown.metavar or name.upper()
        self.name = name
        self.for_request = for_request
        self.flags = shown.flags
        self.help = shown.help
        self.group = shown.group
        self.hidden = shown.hidden
        self.choices = shown.choices
        self.bare = shown.bare
        self.many = kind.startswith("tuple") or kind == "Pairs"
        self.takes = 0 if kind == "bool" else 1 if isinstance(metavar, str) else len(metavar)
        self.metavar: tuple[str, ...] = (metavar,) if isinstance(metavar, str) else metavar
        self.required = shown.default is REQUIRED
        self.parse: Callable[[str], Any] = shown.parse or _plain_parse(kind)

    def called(self) -> str:
        """How messages name it: its flags, or its metavar."""
        return "/".join(self.flags) or self.metavar[0]


class Shape:
    """A command and all its slots."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        request: Any = load(entry.request)
        self.request: type[Request] = request
        slots = [*_of_request(self.request), *_of_surface(entry.name)]
        self.arguments = [slot for slot in slots if not slot.flags]
        self.flagged = [slot for slot in slots if slot.flags]
        self.by_flag = {flag: slot for slot in self.flagged for flag in slot.flags}


def _of_request(request: type[Request]) -> list[Slot]:
    return [
        Slot(name, request.kinds[name], shown, for_request=True)
        for name, shown in request.shown.items()
    ]


def _of_surface(command: str) -> list[Slot]:
    return [
        Slot(name, "bool" if shown.default is False else "str", shown, for_request=False)
        for name, shown in options_of(command).items()
    ]


def _plain_parse(kind: str) -> Callable[[str], Any]:
    if kind.startswith("int"):
        return _whole_number
    return float if kind.startswith("float") else str


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a whole number") from None
