"""What `docs/running.md` says is so."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import get_args

import pytest

from octavo.events.types import Reason
from octavo.records.result import FailedCell, RunResult
from octavo.surfaces.cli.commands import find
from octavo.surfaces.cli.parser import parse
from octavo.surfaces.cli.shape import Shape

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "running.md").read_text(encoding="utf-8")
CALLS = re.findall(r"^    (?:\$ )?(octavo .*?)(?:  +#.*)?$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("call", CALLS)
def test_every_command_that_is_shown_is_understood(call: str) -> None:
    _, name, *words = shlex.split(call.partition(" > ")[0])
    entry = find(name)
    assert entry is not None
    parse(Shape(entry), words)


def test_every_reason_is_explained() -> None:
    for reason in get_args(Reason):
        assert f"`{reason}`" in PAGE


def test_every_key_of_a_result_is_explained() -> None:
    for name in (*RunResult._fields, *FailedCell._fields):
        assert f"`{name}`" in PAGE


def test_links_lead_somewhere() -> None:
    for name, anchor in re.findall(r"\]\(([\w.]*)#?([\w-]*)\)", PAGE):
        text = (DOCS / name).read_text(encoding="utf-8") if name else PAGE
        headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}
        assert not anchor or anchor in anchors, (name, anchor)
