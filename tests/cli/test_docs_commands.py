"""Every command that a page shows is one that Octavo understands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from octavo.surfaces.cli.commands import find
from octavo.surfaces.cli.parser import parse
from octavo.surfaces.cli.shape import Shape

ROOT = Path(__file__).parents[2]
#: What two spaces set off is a remark.
CALL = re.compile(r"^    (?:\$ )?(octavo [a-z].*?)(?:  +.*)?$", re.MULTILINE)
#: `docs/cli.md` is made from the table itself.
SHOWN = [
    pytest.param(call, id=f"{page.name}: {call}")
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if page.name != "cli.md"
    for call in CALL.findall(page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("call", SHOWN)
def test_a_command_that_is_shown_is_understood(call: str) -> None:
    _, name, *words = shlex.split(re.split(r" (?:>|\||&&) ", call)[0])
    entry = find(name)
    assert entry is not None
    parse(Shape(entry), words)
