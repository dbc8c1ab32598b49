"""Variables as lines on a terminal."""

from __future__ import annotations

import json
from typing import Any

import numpy
import pandas
import pytest

from octavo.render.columns import width
from octavo.render.variables import listing_lines, package_lines, preview_lines
from octavo_runtime.variables import listing, preview

VALUES: dict[str, Any] = {
    "table": pandas.DataFrame(
        {"city": ["Oslo", None, "Rome"] * 50, "price": [1.5, 2.5, 3.5] * 50},
        index=[f"r{at}" for at in range(150)],
    ),
    "array": numpy.arange(6.0).reshape(2, 3),
    "numbers": list(range(100)),
    "config": {"path": "/data", "漢字": [1, 2]},
    "text": "first\nsecond\x1b[31m\n" + "x" * 5000,
    "nothing": None,
    "cube": numpy.zeros((2, 2, 2)),
    "empty": pandas.DataFrame(),
    "evil\x1b]0;title\x07name": "\x1b[2J",
}


def shown(name: str, columns: int = 80) -> list[str]:
    found = json.loads(json.dumps(preview({"it": VALUES[name]}, "it", rows=4, characters=200)))
    return preview_lines(found, columns)


def test_a_list_fits_the_width() -> None:
    lines = listing_lines(listing(VALUES)["variables"], 80)
    assert lines[0].split() == ["name", "type", "extent", "size"]
    assert len(lines) == len(VALUES) + 1
    assert max(map(width, lines)) <= 80
    assert not any("\x1b" in line for line in lines)
    assert listing_lines([]) == []


def test_a_table_has_types_and_missing_counts_below_its_names() -> None:
    lines = shown("table")
    assert lines[0].startswith("it  DataFrame, 150 × 2, ")
    assert lines[1].split() == ["city", "price"]
    assert lines[2].split() == ["type", "str", "float64"]
    assert lines[3].split() == ["missing", "50", "-"]
    assert [line.split()[0] for line in lines[5:]] == ["r0", "r1", "r2", "…", "r149", "150"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("array", ["0.0 to 5.0", "3  4  5"]),
        ("numbers", ["100 items", "… 96 more", "99"]),
        ("config", ["2 items", "'path'", "'/data'"]),
        ("text", ["characters", "first", "left out"]),
        ("nothing", ["NoneType", "None"]),
        ("cube", ["2 × 2 × 2", "the first plane"]),
        ("empty", ["0 × 0"]),
    ],
)
def test_other_values_are_shown_in_part(name: str, words: list[str]) -> None:
    text = "\n".join(shown(name))
    assert [word for word in words if word not in text] == []
    assert "\x1b" not in text


def test_packages_are_a_list() -> None:
    packages = [
        {"name": "numpy", "version": "2.1", "imported": True},
        {"name": "x", "version": "1"},
    ]
    assert package_lines(packages) == ["numpy  2.1  imported", "x      1"]
