"""What `docs/looking.md` says is so."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.render import outputs
from octavo.runs.looking.selecting import ORDERS
from octavo.surfaces.cli.commands import find
from octavo.surfaces.cli.shape import Shape

PAGE = (Path(__file__).parents[2] / "docs" / "looking.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["show", "runs", "compare"])
def test_every_option_is_explained(command: str) -> None:
    entry = find(command)
    assert entry is not None
    for slot in Shape(entry).flagged:
        assert any(f"{flag}" in PAGE for flag in slot.flags), slot.flags


def test_numbers_and_names() -> None:
    assert (
        f"more than {outputs.LONGEST} lines keeps its first {outputs.HEAD} and last {outputs.TAIL}"
        in PAGE
    )
    assert f"first {outputs.HEAD_OF_ERROR}\nand last {outputs.TAIL_OF_ERROR}" in PAGE
    for key in ORDERS:
        assert f"`{key}`" in PAGE
