"""Comparing takes steps in proportion to what is compared: they are counted, not timed."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable
from typing import Any

import pytest

from notebook.test_diff import code, display, notebook, stream
from notebook.test_growth import calls
from octavo.notebook.diff import changes, diff, patch
from octavo.notebook.diff.hunks import line_hunks
from octavo.notebook.matching import match_cells
from octavo.notebook.model import Cell

Document = dict[str, Any]
Pair = tuple[Document, Document]


def without_ids(cells: list[Document]) -> Document:
    for cell in cells:
        del cell["id"]
    return {**notebook(*cells), "nbformat_minor": 4}


def every_output(size: int) -> Pair:
    """The pair that this was measured with: every output changed, every tenth source too."""

    def side(seed: int) -> Document:
        roll = random.Random(seed)
        return without_ids([
            code(f"value_{n} = {'re' * (seed and n % 10 == 0)}compute(data, {n})\nprint(value_{n})",
                 str(n), outputs=[stream("".join(f"{roll.random()} row {k}\n" for k in range(4)))])
            for n in range(size)
        ])  # fmt: skip

    return side(0), side(1)


def sources(old: Callable[[int], str], new: Callable[[int], str]) -> Callable[[int], Pair]:
    def pair(size: int) -> Pair:
        return tuple(without_ids([code(each(n), str(n)) for n in range(size)])
                     for each in (old, new))  # type: ignore[return-value]  # fmt: skip

    return pair


def turned(size: int) -> Pair:
    cells = [code(f"step_{n}(value)", str(n)) for n in range(size)]
    return notebook(*cells), notebook(*cells[::-1])


def one_cell(old: list[Document], new: list[Document]) -> Pair:
    return notebook(code("a", "x", outputs=old)), notebook(code("a", "x", outputs=new))


def many_outputs(size: int) -> Pair:
    return one_cell([stream(f"{n}\n", f"s{n % 3}") for n in range(size)],
                    [stream(f"{n} more\n", f"s{n % 2}") for n in range(size)])  # fmt: skip


def long_stream(size: int) -> Pair:
    lines = [f"{n} of {size}\n" for n in range(size * 10)]
    changed = [f"new {line}" if n % 20 else line for n, line in enumerate(lines)]
    return one_cell([stream("".join(lines))], [stream("".join(changed))])


def one_line(size: int) -> Pair:
    text = "".join(f'{{"key": {n}}}, ' for n in range(size * 5))
    return one_cell([display(application_json=text)], [display(application_json=text + "end")])


def pictures(size: int) -> Pair:
    one, other = (base64.b64encode(random.Random(n).randbytes(size * 50)).decode() for n in (0, 1))
    return one_cell([display(image_png=one)], [display(image_png=other)])


def numbers(size: int) -> Pair:
    one, other = ({"data": [n / by for n in range(size * 5)]} for by in (7, 8))
    return one_cell([display(application_plot=one)], [display(application_plot=other)])


HARD: dict[str, Callable[[int], Pair]] = {
    "every output": every_output,
    "all cells equal": sources(lambda n: "show()", lambda n: "show()\n" if n % 2 else "plot()"),
    "all cells different": sources(lambda n: f"a{n} = {n}", lambda n: f"b{n} = {n} + 1"),
    "all cells alike": sources(lambda n: "plot(df, 1)", lambda n: "plot(df, 2, more)"),
    "words that are everywhere": sources(lambda n: f"x = {n % 9}", lambda n: f"x = {n % 9} + y"),
    "the same words in other cells": sources(
        lambda n: " ".join(f"w{(n + k * k) % 97}" for k in range(20)),
        lambda n: " ".join(f"w{(n + k * k + 1) % 97}" for k in range(20)),
    ),
    "reversed": turned,
    "many outputs": many_outputs,
    "a long stream": long_stream,
    "a long line": one_line,
    "pictures": pictures,
    "numbers": numbers,
}


@pytest.mark.parametrize("shape", HARD)
def test_twice_as_much_takes_about_twice_the_steps(shape: str) -> None:
    def work(size: int) -> int:
        old, new = HARD[shape](size)
        return calls(lambda: (diff(old, new), changes(old, new)))

    assert work(1000) <= 2.5 * work(500) + 500


@pytest.mark.parametrize("shape", HARD)
def test_and_what_is_found_is_what_changed(shape: str) -> None:
    old, new = HARD[shape](60)
    assert patch(old, diff(old, new)) == new


def test_cells_are_found_again_where_every_word_is_common() -> None:
    old, new = (
        [Cell("code", f"plot(df, {n % 2}, colour='{shade}')") for n in range(200)]
        for shade in ("red", "blue")
    )
    assert match_cells(old, new) == {n: n for n in range(200)}


def test_one_cell_of_ten_thousand_words_is_compared_with_a_few() -> None:
    def cell(n: int, step: int) -> Cell:
        return Cell("code", " ".join(f"w{(n * 7 + k * step) % 30_000}" for k in range(2000)))

    old, new = ([cell(n, step) for n in range(60)] for step in (11, 13))
    assert calls(lambda: match_cells(old, new)) <= 60 * 2000 * 20


def test_a_hundred_thousand_lines_are_told_apart() -> None:
    lines = [f"{n}" for n in range(100_000)]
    changed = [*lines[:50_000], "new", *lines[50_010:]]
    hunks = line_hunks("\n".join(lines), "\n".join(changed))
    assert [hunk.head for hunk in hunks] == ["@@ -49998,16 +49998,7 @@"]
