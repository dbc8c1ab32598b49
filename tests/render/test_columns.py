"""Text measured in columns of a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.render.columns import (
    clip,
    clip_start,
    closed,
    coloured,
    fit,
    one_line,
    pad,
    plain,
    settled,
    width,
    wrap,
)

COLOUR = "\x1b[31mred\x1b[0m"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("abc", 3),
        ("日本", 4),
        ("e\u0301", 1),
        ("✅", 2),
        ("a\u200db", 2),
        (COLOUR, 3),
        ("", 0),
    ],
)
def test_width_is_in_columns(text: str, columns: int) -> None:
    assert width(text) == columns


def test_plain_takes_out_everything_a_terminal_would_obey() -> None:
    hostile = "a\x1b]0;title\x07b\x1b[2Jc\x1b]52;c;QQ==\x1b\\d\x07e\x9b31mf\u202eg"
    assert plain(hostile) == "abcdefg"


def test_coloured_keeps_colours_only() -> None:
    assert coloured(f"{COLOUR}\x1b[2J\x1b[?25l\x1b]8;;x\x07link") == f"{COLOUR}link"


@given(st.text())
def test_nothing_that_can_move_the_cursor_is_left(text: str) -> None:
    left = coloured(text)
    assert not set(left) & set("\r\b\x07\x0b\x0c\x9b")
    assert "\x1b" not in plain(text)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("10%\r20%\r30%", "30%"),
        ("long line\rshort", "shortline"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("ab\b\bc", "c"),
        ("one\ntwo\rTWO\nthree", "one\nTWO\nthree"),
    ],
)
def test_settled_is_what_is_left_to_see(text: str, seen: str) -> None:
    assert settled(text) == seen


@given(st.text(st.characters(blacklist_categories=("Cs", "Cc"))), st.integers(1, 40))
def test_clip_always_fits(text: str, columns: int) -> None:
    clipped = clip(text, columns)
    assert width(clipped) <= columns
    assert clipped == text or clipped.endswith("…") or not clipped


@given(st.text(), st.integers(1, 40))
def test_one_line_is_one_line(text: str, columns: int) -> None:
    line = one_line(text, columns)
    assert "\n" not in line
    assert width(line) <= columns


def test_pad_counts_columns_not_characters() -> None:
    assert pad("日本", 6) == "日本  "
    assert pad("日本", 6, right=True) == "  日本"


def test_fit_goes_on_with_the_colour() -> None:
    assert fit("\x1b[31mabcdef\x1b[0m", 3) == ["\x1b[31mabc\x1b[0m", "\x1b[31mdef\x1b[0m"]


def test_a_colour_that_is_not_ended_ends_with_its_line_and_goes_on_in_the_next() -> None:
    assert list(closed(["a", "\x1b[31mb", "c", "d\x1b[0m", "e"])) == [
        "a",
        "\x1b[31mb\x1b[0m",
        "\x1b[31mc\x1b[0m",
        "\x1b[31md\x1b[0m\x1b[0m",
        "e",
    ]


def test_text_without_spaces_is_broken_anywhere() -> None:
    assert wrap("ab 日本語日本語 c", 8) == ["ab 日本", "語日本語", "c"]


@given(st.text(st.characters(blacklist_categories=("Cs", "Cc"))), st.integers(2, 30))
def test_fit_loses_nothing(text: str, columns: int) -> None:
    lines = fit(text, columns)
    assert "".join(lines) == text
    assert all(width(line) <= columns for line in lines)


def test_wrap_breaks_between_words() -> None:
    assert wrap("one two three", 7) == ["one two", "three"]
    assert wrap("unbreakable", 4) == ["unbreakable"]


def test_a_path_keeps_its_name() -> None:
    assert clip_start("some/where/nb.py", 10) == "…ere/nb.py"
    assert clip_start("nb.py", 10) == "nb.py"
