"""What kind of word belongs in a slot, told by the name that help gives it."""

from __future__ import annotations

from typing import Literal

from octavo.surfaces.cli.commands import COMMANDS
from octavo.surfaces.cli.shape import Shape, Slot

Kind = Literal["notebook", "run", "file", "folder", "choice", "word"]

_BY_METAVAR: dict[str, Kind] = {
    "NOTEBOOK": "notebook",
    "RUN": "run",
    "WHAT": "run",
    "A": "run",
    "B": "run",
    "FILE": "file",
    "PATH": "file",
    "PYTHON": "file",
    "DIR": "folder",
}


def kind_of(slot: Slot) -> Kind:
    """What a shell should offer for the first word of a slot."""
    if slot.choices:
        return "choice"
    return _BY_METAVAR.get(slot.metavar[0], "word")


def shapes() -> list[Shape]:
    """Every command."""
    return [Shape(entry) for entry in COMMANDS]


def options_of(shape: Shape) -> list[Slot]:
    """The options that people see."""
    return [slot for slot in shape.flagged if not slot.hidden]


def quoted(text: str) -> str:
    """Text between single quotes, for any of the shells."""
    return "'" + text.replace("'", "'\\''") + "'"
