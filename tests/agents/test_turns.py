"""One turn of each real agent does the whole work: create, edit, execute, mend, execute, commit.

The tools come from `octavo mcp install`, as a user would have them; the model is a script.
"""

from __future__ import annotations

from typing import Any

import pytest

from agents.models import model
from agents.programs import Place, claude, codex, hermes, hermes_settings, said
from agents.stories import TOOLS, holds, octavo, place, story

__all__ = ["place"]
pytestmark = [pytest.mark.kernel, pytest.mark.slow]


def test_codex(place: Place) -> None:
    octavo(place, "mcp", "install", "--codex")
    with model(story) as scripted:
        ended = codex("Measure the names", scripted, place)
    assert not scripted.problems and ended.code == 0, (scripted.problems, ended.err)
    offered = {name.removeprefix("mcp__octavo__") for name in scripted.tools if "octavo" in name}
    assert offered >= TOOLS
    items: list[Any] = [each["item"] for each in said(ended) if each["type"] == "item.completed"]
    calls = [each for each in items if each["type"] == "mcp_tool_call"]
    assert {each["status"] for each in calls} == {"completed"}
    holds(place, items[-1]["text"])


def test_claude(place: Place) -> None:
    octavo(place, "mcp", "install", "--claude")
    with model(story) as scripted:
        ended = claude("Measure the names", scripted, place)
    assert not scripted.problems and ended.code == 0, (scripted.problems, ended.err)
    offered = {name.removeprefix("mcp__octavo__") for name in scripted.tools if "octavo" in name}
    assert offered == TOOLS
    result: Any = said(ended)[-1]
    assert (result["is_error"], result["permission_denials"]) == (False, [])
    holds(place, result["result"])


def test_hermes(place: Place) -> None:
    with model(story) as scripted:
        hermes_settings(scripted, place)
        octavo(place, "mcp", "install", "--hermes")
        ended = hermes("Measure the names", scripted, place)
    assert not scripted.problems and ended.code == 0, (scripted.problems, ended.err)
    offered = {name.removeprefix("mcp__octavo__") for name in scripted.tools if "octavo" in name}
    assert offered >= TOOLS
    holds(place, ended.out.strip().splitlines()[-1])
