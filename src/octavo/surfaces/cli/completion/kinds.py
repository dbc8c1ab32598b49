"""What kind of word belongs in a slot, told by the name that help gives it."""

from __future__ import annotations

from typing import Literal

from octavo.surfaces.cli.commands import COMMANDS, FAMILIES
from octavo.surfaces.cli.shape import Shape, Slot

Kind = Literal["notebook", "run", "kernel", "engine", "file", "folder", "choice", "word"]

#: What the scripts ask `octavo completion` for when a word of a kind is to be completed.
ASKED: dict[Kind, str] = {
    "run": "--list-runs",
    "kernel": "--list-kernels",
    "engine": "--list-engines",
}

_BY_METAVAR: dict[str, Kind] = {
    "NOTEBOOK": "notebook",
    "RUN": "run",
    "WHAT": "run",
    "A": "run",
    "B": "run",
    "KERNEL": "kernel",
    "ENGINE": "engine",
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
    """Every command that people call."""
    return [Shape(entry) for entry in COMMANDS if not entry.hidden]


def first_words() -> dict[str, str]:
    """What may follow `octavo`, and what it does: commands, and families of them."""
    told = {entry.name: entry.help for entry in COMMANDS if not entry.hidden and not entry.family}
    return {**told, **{name: about for name, about in FAMILIES.items() if name not in told}}


def families() -> dict[str, list[Shape]]:
    """The commands of each family."""
    found: dict[str, list[Shape]] = {}
    for shape in shapes():
        if shape.entry.family:
            found.setdefault(shape.entry.family, []).append(shape)
    return found


def second_word(shape: Shape) -> str:
    """How a command is called within its family."""
    return shape.entry.name.partition(" ")[2]


def options_of(shape: Shape) -> list[Slot]:
    """The options that people see."""
    return [slot for slot in shape.flagged if not slot.hidden]


def quoted(text: str) -> str:
    """Text between single quotes, for any of the shells."""
    return "'" + text.replace("'", "'\\''") + "'"
