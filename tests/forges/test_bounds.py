"""Texts within the limits of a forge: giving them again changes nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from octavo.forges.bounds import bounded, one_line, sendable

TEXTS = st.text(st.characters(exclude_categories=()), max_size=400)


@given(TEXTS, st.integers(120, 300))
def test_a_bounded_text_fits_and_stays(text: str, limit: int) -> None:
    once = bounded(text, limit)
    assert len(once) <= limit
    assert bounded(once, limit) == once
    once.encode()


@given(TEXTS, st.integers(5, 100))
def test_one_line_fits_and_stays(text: str, limit: int) -> None:
    once = one_line(text, limit)
    assert len(once) <= limit
    assert len(once.splitlines()) <= 1
    assert one_line(once, limit) == once


def test_what_fits_is_kept() -> None:
    assert bounded("a\r\nb 🚀\n", 120) == "a\r\nb 🚀\n"
    assert one_line("  a\n b\t", 10) == "a b"
    assert sendable("a\x00b\ud800c") == "a\ufffdb\ufffdc"


def test_what_is_cut_ends_at_a_line_and_says_so() -> None:
    cut = bounded("".join(f"line {n}\n" for n in range(100)), 200)
    kept, _, note = cut.rpartition("\n\n")
    assert kept.splitlines()[-1].startswith("line ")
    assert note == "*This text was cut: 790 characters are more than fit here.*\n"


def test_a_block_of_code_is_closed_before_the_note() -> None:
    cut = bounded("```py\n" + "x = 1\n" * 100 + "```\n", 200)
    assert cut.count("```") == 2


def test_a_text_without_lines_is_cut_in_the_middle() -> None:
    assert bounded("x" * 1000, 200).startswith("x" * 100)
