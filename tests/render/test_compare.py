"""A comparison on a terminal."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from octavo.render.columns import width
from octavo.render.compare import ComparisonDrawer
from octavo.render.style import PLAIN, Style
from octavo.runs.looking.compare import CellChange, CellSide, CompareResult
from octavo.runs.looking.differing import OutputChange, ValueChange, value_changes
from octavo.runs.looking.sides import About

A = About("0123456789abcdef", "/p/a.ipynb", "/p/nb.py", "success", None, 0.0, 1.0)
B = A.replace(run_id="fedcba9876543210", duration_seconds=3.0)


def result(**changes: Any) -> CompareResult:
    values: dict[str, Any] = {"a": A, "b": B, "same_notebook": True, "parameters": (),
                              "scraps": (), "cells": (), "environment": (),
                              "packages": ()}  # fmt: skip
    return CompareResult(**{**values, **changes})


def drawn(compared: CompareResult, style: Style = PLAIN, **how: Any) -> list[str]:
    drawer = ComparisonDrawer(style, how.pop("columns", 80), now=5.0, cwd="/p", **how)
    return drawer.lines(compared)


def cell(index: int, a: float, b: float, **changes: Any) -> CellChange:
    sides = (CellSide(index, "succeeded", a), CellSide(index, "succeeded", b))
    known = {"source": "equal", "ratio": b / a, **changes}
    return CellChange("code", "", f"step({index})", *sides, **known)


def test_runs_that_do_not_differ() -> None:
    assert drawn(result()) == [
        "A  ✓  89abcdef  nb.py  just now  success in 1.0 s",
        "B  ✓  76543210  nb.py  just now  success in 3.0 s",
        "",
        "✓ no differences",
        "",
        "Durations",
        "  all    1.0 s → 3.0 s  3 times as long",
    ]


def test_the_cell_that_became_slower_comes_first() -> None:
    cells = (cell(0, 0.5, 0.5), cell(1, 0.1, 0.3), cell(2, 0.2, 2.2), cell(3, 0.001, 0.002))
    assert drawn(result(cells=cells))[-3:] == [
        "  all           1.0 s → 3.0 s   3 times as long",
        "  [2]  step(2)  0.2 s → 2.2 s  11 times as long",
        "  [1]  step(1)  0.1 s → 0.3 s   3 times as long",
    ]


def test_tables_packages_and_places() -> None:
    table = {"encoder": "pandas", "rows": 3, "columns": ["a"], "bytes": 900, "sha256": "1"}
    other = {**table, "rows": 1, "columns": ["a", "b"]}
    again = {**table, "sha256": "2"}
    compared = result(
        scraps=value_changes({"t": table, "same": table}, {"t": other, "same": again}),
        environment=value_changes({"python": "3.11.1"}, {"python": "3.12.0"}),
        packages=value_changes({"numpy": "1", "gone": "2"}, {"numpy": "2"}),
    )  # fmt: skip
    text = "\n".join(drawn(compared))
    assert "  t     table of 3 rows, 1 column → table of 1 row, 2 columns\n" in text
    assert "  same  table of 3 rows, 1 column, the content differs\n" in text
    assert "  python  3.11.1 → 3.12.0\n  2 packages differ\n    numpy  1 → 2\n" in text
    assert text.endswith("gone   only in A: 2")


def test_long_differences_are_folded() -> None:
    diff = tuple(f"-{n}" for n in range(40))
    cells = (cell(0, 1, 1, outputs="changed", details=(OutputChange("stdout", "changed", diff),)),)
    short, full = drawn(result(cells=cells)), drawn(result(cells=cells), full=True)
    assert "      … 28 more lines, --full shows them" in short
    assert "      -39" in full


HOSTILE = st.text(st.sampled_from(list("ab\x1b\x07\r\n\x9b[]0;2J日\u202e\t")), max_size=40)


@given(HOSTILE, HOSTILE, st.integers(60, 120))
def test_nothing_that_is_compared_can_speak_to_the_terminal(a: str, b: str, columns: int) -> None:
    values = (
        ValueChange(a, "changed", a, b, diff=(f"-{a}", f"+{b}")),
        ValueChange(b, "added", b=b),
    )
    detail = OutputChange(a, "changed", (f"-{a}", f"+{b}"), "")
    side = CellSide(0, "succeeded", 1.0)
    changed = CellChange("code", b, a, side, side, "changed", "changed", (detail,), 1.0)
    compared = result(
        parameters=values, scraps=values, cells=(changed,), environment=values, packages=values,
        a=A.replace(notebook=f"/p/{a}", path=f"/p/{b}"),
    )  # fmt: skip
    for line in drawn(compared, columns=columns)[2:]:
        assert not set(line) & set("\x1b\x07\r\x9b\n\u202e\t")
        assert width(line) <= columns


def test_a_long_value_that_only_one_side_has_stays_in_its_line() -> None:
    lines = drawn(result(scraps=value_changes({"name": "x" * 500}, {"long": "y" * 500})))
    told = [line for line in lines if "only in" in line]
    assert [line.rstrip()[-1] for line in told] == ["…", "…"]
    assert [width(line) for line in told] == [80, 80]
