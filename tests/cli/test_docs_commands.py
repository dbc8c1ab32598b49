"""Every command that a page shows is one that Octavo understands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from textwrap import indent

import pytest

from octavo.surfaces.cli.commands import find, named
from octavo.surfaces.cli.parser import parse
from octavo.surfaces.cli.shape import Shape

ROOT = Path(__file__).parents[2]
#: Indented, or between fences of a shell. What two spaces or a mark set off is a remark.
CALL = re.compile(r"^    (?:\$ )?(octavo [a-z].*?)(?:  +.*| #.*)?$", re.MULTILINE)
FENCED = re.compile(r"^```(?:bash|sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _indented(fenced: re.Match[str]) -> str:
    return indent(fenced[1], "    ")


#: `docs/cli.md` is made from the table itself.
SHOWN = [
    pytest.param(call, id=f"{page.name}: {call}")
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if page.name != "cli.md"
    for call in CALL.findall(FENCED.sub(_indented, page.read_text(encoding="utf-8")))
]
#: Where all options of a command are explained.
EXPLAINED = {
    "check": ("check", "outputs", "reports", "incremental", "lint"),
    "announce": ("reports",),
    "lint": ("lint",),
    "graph": ("lint",),
    "archive": ("archive",),
    "export": ("export",),
    "job list": ("jobs",),
    "job poll": ("jobs",),
    "job wait": ("jobs",),
    "job cancel": ("jobs",),
}


@pytest.mark.parametrize("call", SHOWN)
def test_a_command_that_is_shown_is_understood(call: str) -> None:
    entry, words = named(shlex.split(re.split(r" (?:>|\||&&) ", call)[0])[1:])
    assert entry is not None
    parse(Shape(entry), words)


@pytest.mark.parametrize("command", EXPLAINED)
def test_every_option_is_explained(command: str) -> None:
    pages = [ROOT / "docs" / f"{name}.md" for name in EXPLAINED[command]]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    entry = find(command)
    assert entry is not None
    options = Shape(entry).flagged
    assert [each.flags for each in options if not any(flag in text for flag in each.flags)] == []
