"""Equal items of two sequences: in order, as many as possible, and never slowly."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notebook.test_growth import calls
from octavo.notebook.diff.pairing import equal_pairs
from octavo.notebook.diff.stepping import walk
from octavo.notebook.diff.words import alike, edits, words

Items = Sequence[Any]
UNHURRIED = settings(deadline=None, max_examples=60)
few = st.lists(st.integers(0, 2), max_size=30)
many = st.lists(st.integers(0, 12), max_size=30)


def longest(old: Items, new: Items) -> int:
    """The length of a longest common subsequence, the plain way."""
    row = [0] * (len(new) + 1)
    for item in old:
        before = row[:]
        for at, other in enumerate(new):
            row[at + 1] = before[at] + 1 if item == other else max(before[at + 1], row[at])
    return row[-1]


def assert_in_order(old: Items, new: Items, pairs: list[tuple[int, int]]) -> None:
    assert all(old[i] == new[j] for i, j in pairs)
    assert all(i < next_i and j < next_j for (i, j), (next_i, next_j) in pairwise(pairs))


@UNHURRIED
@given(few | many, few | many)
def test_short_sequences_share_as_much_as_they_can(old: list[int], new: list[int]) -> None:
    for pairs in (equal_pairs(old, new), walk(old, new, (0, len(old), 0, len(new)))):
        assert_in_order(old, new, pairs)
        assert len(pairs) == longest(old, new)


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 99), st.sampled_from((2, 5, 50)))
def test_long_sequences_of_few_items_are_paired_in_order(seed: int, kinds: int) -> None:
    rolled = random.Random(seed)
    old, new = ([rolled.randrange(kinds) for _ in range(400)] for _ in range(2))
    pairs = equal_pairs(old, new)
    assert_in_order(old, new, pairs)
    assert len(pairs) > longest(old, new) / 2


def test_a_few_changes_among_equal_lines_stay_a_few() -> None:
    old = ["first", *["."] * 5000, "x", *["."] * 5000, "last"]
    new = ["begin", *["."] * 5001, "y", *["."] * 5000, "end"]
    assert len(equal_pairs(old, new)) == 10_000


def shuffled(size: int, seed: int) -> list[int]:
    return random.Random(seed).sample(range(size), size)


def rolled(size: int, kinds: int, seed: int) -> list[int]:
    roll = random.Random(seed)
    return [roll.randrange(kinds) for _ in range(size)]


HARD: dict[str, Callable[[int], tuple[Items, Items]]] = {
    "all different": lambda n: (range(n), range(n, 2 * n)),
    "reversed": lambda n: (range(n), range(n)[::-1]),
    "all equal but the ends": lambda n: ([1, *[0] * n, 2], [3, *[0] * (n + 9), 4]),
    "two items": lambda n: (rolled(n, 2, 0), rolled(n, 2, 1)),
    "a hundred items": lambda n: (rolled(n, 100, 0), rolled(n, 100, 1)),
    "few of each": lambda n: (rolled(n, n // 5, 0), rolled(n, n // 5, 1)),
    "shuffled": lambda n: (shuffled(n, 0), shuffled(n, 1)),
    "runs": lambda n: ([n // 50 for n in range(n)], [n // 50 + (n % 7 == 0) for n in range(n)]),
}  # fmt: skip


@pytest.mark.parametrize("size", [1000, 8000])
@pytest.mark.parametrize("shape", HARD)
def test_every_item_costs_a_bounded_number_of_steps(shape: str, size: int) -> None:
    old, new = HARD[shape](size)
    assert calls(lambda: equal_pairs(old, new)) <= 70 * (len(old) + len(new))


lines = st.text("ab1. =('\t\x00é漢\x1b", max_size=40)


@UNHURRIED
@given(lines, lines)
def test_edits_make_the_one_line_of_the_other(old: str, new: str) -> None:
    assert "".join(words(old)) == old
    for closely in (False, True):
        at, made = 0, ""
        for start, end, new_start, new_end in edits(old, new, closely=closely):
            assert at <= start <= end
            made += old[at:start] + new[new_start:new_end]
            at = end
        assert made + old[at:] == new


def test_edits_are_whole_words_or_only_what_differs_in_them() -> None:
    assert edits("rate = 0.31", "rate = 0.35") == [(7, 11, 7, 11)]
    assert edits("rate = 0.31", "rate = 0.35", closely=True) == [(10, 11, 10, 11)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("threshold = 0.8", "threshold = 0.9", True),
        ("value", "values", True),
        ("print(a)", "import os", False),
        ("x" * 5000, "x" * 5000 + "y", True),
        ("x" * 5000, "y" * 5000, False),
        ("", "", False),
    ],
)
def test_an_edited_line_is_told_from_another_one(old: str, new: str, expected: bool) -> None:
    assert alike(old, new) is expected


@UNHURRIED
@given(*[st.text("ab", max_size=40)] * 4)
def test_of_a_very_long_line_one_passage_changed(
    front: str, gone: str, come: str, back: str
) -> None:
    old, new = (f"{'c' * 2001}{front}{part}{back}" for part in (gone, come))
    [(start, end, new_start, new_end)] = edits(old, new, closely=True)
    assert old[:start] + new[new_start:new_end] + old[end:] == new
    assert end - start <= len(gone)
