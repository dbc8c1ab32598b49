"""Durations, ages and values."""

from __future__ import annotations

import pytest

from octavo.render.figures import ago, counted, duration, value_text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 ms"),
        (0.0451, "45 ms"),
        (0.0996, "0.1 s"),
        (1.25, "1.2 s"),
        (59.94, "59.9 s"),
        (59.96, "1 m 00 s"),
        (65, "1 m 05 s"),
        (7380, "2 h 03 m"),
        (90000, "1 d 1 h"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3, "just now"), (59, "59 s ago"), (3599, "59 min ago"), (86399, "23 h ago"),
     (86400, "1 day ago"), (200000, "2 days ago")],
)  # fmt: skip
def test_ago(seconds: float, text: str) -> None:
    assert ago(seconds) == text


def test_counted() -> None:
    assert [counted(1, "cell"), counted(1200, "cell")] == ["1 cell", "1,200 cells"]
    assert counted(2, "process", "processes") == "2 processes"


def test_values_are_one_line() -> None:
    assert value_text("two\nlines") == "two lines"
    assert value_text({"a": [1, None]}) == '{"a": [1, null]}'
    assert value_text("x" * 100, 10) == "xxxxxxxxx…"
