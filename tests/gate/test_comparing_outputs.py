"""Which outputs count as equal, and how a difference is told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.gate.comparing.excerpts import MOST, excerpts
from octavo.gate.comparing.outputs import compare
from octavo.gate.comparing.rules import Rules
from octavo.gate.tolerance import Tolerance


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def shown(data: dict[str, Any]) -> dict[str, Any]:
    return {"output_type": "display_data", "data": data, "metadata": {}}


def test_equal_outputs_have_no_differences() -> None:
    outputs = [stream("a\n"), shown({"text/plain": "1", "application/json": {"a": [1]}})]
    assert compare(outputs, outputs, Rules()) == ()


def test_pieces_of_a_stream_are_one_text() -> None:
    assert compare([stream("ab")], [stream("a"), stream("b")], Rules()) == ()


def test_the_order_between_kinds_does_not_matter() -> None:
    one, other = stream("a"), shown({"text/plain": "1"})
    assert compare([one, other], [other, one], Rules()) == ()


def test_a_difference_names_the_line_and_shows_both_sides() -> None:
    before = "\n".join(f"line {n}" for n in range(30))
    after = before.replace("line 20", "other")
    (found,) = compare([stream(before)], [stream(after)], Rules())
    assert (found.key, found.message) == ("stdout", "differs in line 21")
    assert found.expected == "line 18\nline 19\nline 20\nline 21\nline 22"
    assert found.got == "line 18\nline 19\nother\nline 21\nline 22"


def test_what_is_missing_and_what_is_new() -> None:
    found = compare([stream("a")], [shown({"text/html": "<b>"})], Rules())
    assert [(each.key, each.expected, each.got) for each in found] == [
        ("stdout", "a", None),
        ("text/html", None, "<b>"),
    ]


def test_another_error_is_told_in_words() -> None:
    one = {"output_type": "error", "ename": "KeyError", "evalue": "'a'", "traceback": []}
    found = compare([one], [{**one, "ename": "ValueError"}], Rules())
    assert [each.message for each in found] == ["raised ValueError, not KeyError"]


def test_images_are_not_compared_without_a_threshold() -> None:
    assert compare([shown({"image/png": "aaaa"})], [], Rules()) == ()


def test_an_output_that_was_cut_is_told_as_such() -> None:
    cut = "a\n… 93.4 MB left out, the whole is in files/cell-0.txt …\nz\n"
    (found,) = compare([stream("a\nb\nz\n")], [stream(cut)], Rules())
    assert "kept only a part" in found.message


def test_there_are_not_too_many_differences() -> None:
    data = {f"text/x-{n}": "a" for n in range(100)}
    assert len(compare([shown(data)], [], Rules())) == 8


@given(st.text(), st.text())
def test_excerpts_are_bounded_and_differ_if_the_texts_do(one: str, other: str) -> None:
    expected, got, line = excerpts(one * 50, other * 50)
    assert len(expected) <= MOST + 40
    assert len(got) <= MOST + 40
    assert line >= 1


def test_of_a_long_line_the_place_of_the_difference_is_shown() -> None:
    before, after = "a" * 50_000 + "b" + "c" * 50_000, "a" * 50_000 + "d" + "c" * 50_000
    (found,) = compare([stream(before)], [stream(after)], Rules())
    assert found.expected is not None
    assert found.got is not None
    assert "ab" in found.expected
    assert "ad" in found.got
    assert len(found.expected) < 300


CLOSE = Rules(tolerance=Tolerance(relative=1e-6))
FAR = Rules(tolerance=Tolerance(relative=0.01, absolute=0.5))


@pytest.mark.parametrize(
    ("expected", "got", "rules", "equal"),
    [
        ("0.1", "0.10000000001", CLOSE, True),
        ("0.1", "0.101", CLOSE, False),
        ("loss: 1e-3, 5", "loss: 0.001, 5.0", CLOSE, True),
        ("a 1", "b 1", CLOSE, False),
        ("1 2", "1 2 3", CLOSE, False),
        ("nan inf -inf", "nan inf -inf", CLOSE, True),
        ("nan", "0", FAR, False),
        ("1", "nan", FAR, False),
        ("inf", "-inf", FAR, False),
        ("1e999", "inf", FAR, False),
        ("-0.0", "0", CLOSE, True),
        ("-0", "0.0", CLOSE, True),
        ("100", "100.9", FAR, True),
        ("0.1", "0.5", FAR, True),
        ("100", "102", FAR, False),
        ("   a\n0  1.5", "          a\n0  1.50000000001", CLOSE, True),
        ("2024-01-02", "2024-01-03", FAR, False),
        ("2024-01-02", "2025-01-02", FAR, False),
        ("version 1.2.3", "version 1.2.4", FAR, False),
        ("x1", "x2", FAR, False),
        ("0x10", "0x11", FAR, False),
        ("1.5+2j", "1.5+2.0000000001j", CLOSE, True),
        ("50.0%", "50.00000001%", CLOSE, True),
        ("[1, 2]", "[1,  2]", CLOSE, True),
        ("a\nb 1", "a b 1", CLOSE, False),
        ("x=1", "x=-1", FAR, False),
        ("9" * 5000, "9" * 4999 + "8", CLOSE, False),
    ],
)
def test_numbers_in_texts(expected: str, got: str, rules: Rules, equal: bool) -> None:
    assert (compare([stream(expected)], [stream(got)], rules) == ()) is equal
    for mime in ("text/plain", "text/html"):
        found = compare([shown({mime: expected})], [shown({mime: got})], rules)
        assert (found == ()) is equal


@pytest.mark.parametrize(
    ("expected", "got", "equal"),
    [
        ({"a": [1.0, 2]}, {"a": [1.0000000001, 2]}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([1], [1, 2], False),
        ([True], [2], False),
        (["x 1.0"], ["x 1.00000000001"], True),
        (None, 0, False),
        (10**400, 10**400 + 1, False),
        ([1, [2, {"c": None}]], [1, [2, {"c": None}]], True),
    ],
)
def test_numbers_in_json(expected: Any, got: Any, equal: bool) -> None:
    one, other = shown({"application/json": expected}), shown({"application/json": got})
    assert (compare([one], [other], CLOSE) == ()) is equal


def test_what_is_nested_too_deeply_is_told() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    one, other = shown({"application/json": deep}), shown({"application/json": [deep]})
    for rules in (CLOSE, Rules()):
        (found,) = compare([one], [other], rules)
        assert "nested too deeply" in found.message


def test_the_number_that_is_too_far_is_told() -> None:
    rules = Rules(tolerance=Tolerance(relative=0.01, absolute=0.5))
    (found,) = compare([stream("mean 10.0")], [stream("mean 12.5")], rules)
    assert found.message == "differs; 12.5 is not 10.0 (allowed: 0.01 of it or 0.5)"


def test_other_texts_are_compared_as_they_are() -> None:
    one, other = shown({"image/svg+xml": "1.0"}), shown({"image/svg+xml": "1.00"})
    assert compare([one], [other], CLOSE)


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=8))
def test_what_is_equal_stays_equal_with_a_tolerance(numbers: list[float]) -> None:
    text = "values " + " | ".join(map(repr, numbers))
    assert compare([stream(text)], [stream(text)], CLOSE) == ()


@given(
    st.floats(min_value=1e-300, max_value=1e300),
    st.floats(min_value=-1e-7, max_value=1e-7),
)
def test_numbers_within_the_tolerance_are_equal(number: float, share: float) -> None:
    one, other = f"x = {number!r} m", f"x = {number * (1 + share)!r} m"
    assert compare([stream(one)], [stream(other)], CLOSE) == ()
