"""Lists of runs on a terminal."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from octavo.render.columns import width
from octavo.render.listing import run_lines
from octavo.render.sparklines import bars, duration_lines
from octavo.render.style import PLAIN, Style
from octavo.runs.looking.listing import RunRow


def row(**changes: Any) -> RunRow:
    values = {"run_id": "0123456789abcdef", "status": "success", "reason": None,
              "notebook": "/p/nb.py", "started": 0.0, "duration_seconds": 1.0,
              "cells_executed": 3}  # fmt: skip
    return RunRow(**{**values, **changes})


def lines(rows: list[RunRow], columns: int = 80, value: str | None = None) -> list[str]:
    return run_lines(rows, now=5.0, style=PLAIN, columns=columns, cwd="/p", value=value)


def test_a_list_in_eighty_columns() -> None:
    rows = [
        row(parameters={"threshold": 0.9, "host": "web-1"}),
        row(status="error", reason="cell-error", notebook="/p/reports/daily.ipynb"),
        row(status="running", duration_seconds=None),
    ]
    assert lines(rows) == [
        "   run       when       took  cells  notebook",
        "✓  89abcdef  just now  1.0 s      3  nb.py                threshold=0.9 host=we…",
        "✗  89abcdef  just now  1.0 s      3  reports/daily.ipynb  cell-error",
        "▸  89abcdef  just now             3  nb.py                running",
    ]


def test_what_runs_are_sorted_by_has_a_column() -> None:
    rows = [row(scraps={"score": 0.123456789}), row(parameters={"score": 12}), row()]
    assert [line.split()[-1] for line in lines(rows, value="score")] == [
        "score", "0.123457", "score=12", "nb.py",
    ]  # fmt: skip
    assert lines(rows, 46, "score")[2].endswith("nb.py           12")


@given(
    st.lists(st.builds(lambda path, text, status: row(
        notebook=f"/p/{path}", parameters={"p": text}, status=status, scraps={"v": text},
    ), st.text(min_size=1), st.text(), st.sampled_from(["success", "error", "running"])),
        min_size=1, max_size=4),
    st.integers(72, 140),
)  # fmt: skip
def test_a_list_always_fits_and_cannot_speak_to_the_terminal(
    rows: list[RunRow], columns: int
) -> None:
    for value in (None, "v"):
        for line in lines(rows, columns, value):
            assert width(line) <= columns
            assert line.isprintable() or not line.isascii()
            assert "\x1b" not in line


def test_bars_are_in_proportion() -> None:
    assert bars([1, 2, 4, 8], PLAIN) == "▁▂▄█"
    assert bars([0, 0], PLAIN) == "▁▁"
    assert bars([3, 3], PLAIN) == "██"
    assert bars([1, 8], Style(unicode=False)) == "_#"


def test_durations_of_each_notebook_from_old_to_new() -> None:
    rows = [row(started=-float(at), duration_seconds=8.0 - at) for at in range(3)]
    rows += [row(notebook="/p/once.py"), row(notebook="/p/goes-on.py", duration_seconds=None)]
    told = duration_lines(rows, style=PLAIN, columns=80, cwd="/p")
    assert told == ["nb.py  ▆▇█  6.0 s … 8.0 s, last 8.0 s"]


def test_a_run_that_failed_has_a_red_bar() -> None:
    rows = [row(), row(started=1.0, status="error")]
    [line] = duration_lines(rows, style=Style(colour=True), columns=80, cwd="/p")
    assert "\x1b[36m█\x1b[0m\x1b[31m█\x1b[0m" in line
