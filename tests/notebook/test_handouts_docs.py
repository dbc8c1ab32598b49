"""What `docs/handouts.md` says of types, bounds and metadata is so."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from octavo.events.types import Display
from octavo.notebook import formats
from octavo.notebook.handouts import declared_handouts
from octavo.notebook.model import Cell, Notebook
from octavo.runs.handouts import HandedOut, problems

PAGE = (Path(__file__).parents[2] / "docs" / "handouts.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(x[^`]*)` \| (`[^`]+`|nothing) \| (fits|error) \|$", re.MULTILINE)
ROWS = [tuple(part.replace("\\|", "|") for part in row) for row in ROW.findall(PAGE)]


def test_the_table_is_there() -> None:
    table = PAGE[PAGE.index("| declared | handed out |") : PAGE.index("Unlike a parameter")]
    assert table.count("\n|") - 1 == len(ROWS) > 10


@pytest.mark.parametrize(("declaration", "value", "outcome"), ROWS)
def test_a_row_of_the_table(declaration: str, value: str, outcome: str) -> None:
    cell = Cell("code", declaration, {"tags": ["scraps"]})
    handouts = declared_handouts(Notebook((cell,)))
    given = HandedOut()
    if value != "nothing":
        payload = {"name": "x", "data": json.loads(value.strip("`")), "encoder": "json"}
        given.take(Display(0, {"application/scrapbook.scrap.json+json": payload}))
    found = problems(handouts, given, ended_early=False)
    assert bool(found) == (outcome == "error")


def block(language: str) -> str:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0]


def test_the_example() -> None:
    found = declared_handouts(formats.read(block("python"), "health.py"), "health.py")
    bounds: list[Any] = [(each.name, each.bounds, each.required) for each in found]
    assert bounds == [
        ("health_score", "0..1 share", True),
        ("alert_count", "0.. alerts", True),
        ("latency", "..250 ms", True),
        ("report", "", True),
        ("note", "", False),
    ]


def test_the_metadata() -> None:
    found = declared_handouts(Notebook((), yaml.safe_load(block("yaml"))))
    assert [(each.name, each.required) for each in found] == [
        ("health_score", True),
        ("alert-count", True),
        ("note", False),
    ]
