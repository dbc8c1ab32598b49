"""What `skill install` and `mcp install` write is what the real programs find, and then no more."""

from __future__ import annotations

from typing import Any

import pytest

from agents.build import CLAUDE, CODEX, HERMES
from agents.models import model
from agents.programs import Place, called, claude, hermes, hermes_settings, needed, said
from agents.stories import TOOLS, octavo, place, silence

__all__ = ["place"]
pytestmark = pytest.mark.slow
FIRST_WORDS = "Write, run, debug and propose notebooks"


def test_codex_knows_the_skill_and_the_server(place: Place) -> None:
    program = needed(CODEX).program
    octavo(place, "skill", "install", "--codex")
    octavo(place, "mcp", "install", "--codex")
    assert FIRST_WORDS in called([program, "debug", "prompt-input", "hi"], place).out
    listed = called([program, "mcp", "list"], place).out
    assert "octavo" in listed and "enabled" in listed
    octavo(place, "skill", "install", "--codex", "--undo")
    octavo(place, "mcp", "uninstall", "--codex")
    assert FIRST_WORDS not in called([program, "debug", "prompt-input", "hi"], place).out
    assert "octavo" not in called([program, "mcp", "list"], place).out


def test_claude_knows_the_skill_and_the_server(place: Place) -> None:
    octavo(place, "skill", "install", "--claude")
    octavo(place, "mcp", "install", "--claude")
    with model(silence) as scripted:
        begun: Any = said(claude("hi", scripted, place))[0]
    assert "octavo" in begun["skills"]
    assert [each["name"] for each in begun["mcp_servers"]] == ["octavo"]
    octavo(place, "skill", "install", "--claude", "--undo")
    # The program wrote its settings anew meanwhile.
    octavo(place, "mcp", "uninstall", "--claude")
    with model(silence) as scripted:
        begun = said(claude("hi", scripted, place))[0]
    assert "octavo" not in begun["skills"] and begun["mcp_servers"] == []


def test_claude_finds_its_own_entry_in_place(place: Place) -> None:
    """What the program itself would write is taken for what it is."""
    program = needed(CLAUDE).program
    octavo(place, "mcp", "install", "--claude")
    shown = called([program, "mcp", "get", "octavo"], place).out
    assert "Scope: User config" in shown and "stdio" in shown
    called([program, "mcp", "remove", "octavo", "-s", "user"], place)
    assert octavo(place, "mcp", "uninstall", "--claude")["changes"] == []


def test_hermes_knows_the_skill_and_the_server(place: Place) -> None:
    octavo(place, "skill", "install", "--hermes")
    with model(silence) as scripted:
        hermes_settings(scripted, place)
        octavo(place, "mcp", "install", "--hermes")
        tested = called([needed(HERMES).program, "mcp", "test", "octavo"], place).out
        assert all(name in tested for name in TOOLS)
        hermes("hi", scripted, place)
    # The index of skills is cut after some sixty letters.
    assert FIRST_WORDS in str(scripted.requests)
