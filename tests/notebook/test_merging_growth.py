"""Merging grows with the size of the files: counted in calls, not in seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from notebook.test_growth import calls
from octavo.notebook.formats import ipynb
from octavo.notebook.merging.files import merge_texts
from octavo.notebook.merging.lines import equal_lines, merge_lines


def grows_linearly(work: Callable[[int], Callable[[], Any]]) -> None:
    small, large = (calls(work(size)) for size in (300, 1200))
    assert large <= 4.4 * small


def document(size: int, lines: int = 1) -> dict[str, Any]:
    cells = [
        {
            "cell_type": "code",
            "id": f"c{at}",
            "metadata": {},
            "execution_count": at,
            "source": f"step_{at} = compute({at})\nshow(step_{at})",
            "outputs": [{"output_type": "stream", "name": "stdout", "text": f"{at}\n" * lines}],
        }
        for at in range(size)
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def edited(size: int, every: int, first: int, lines: int = 1) -> str:
    made = document(size, lines)
    for cell in made["cells"][first::every]:
        cell["source"] += f"\nadded_{first}()"
        cell["outputs"] = []
    made["cells"].append(made["cells"].pop(first))
    return ipynb.dumps(made)


def test_ipynb() -> None:
    def work(size: int) -> Callable[[], Any]:
        texts = (ipynb.dumps(document(size)), edited(size, 7, 0), edited(size, 7, 3))
        return lambda: merge_texts(*texts, "nb.ipynb")

    grows_linearly(work)


@pytest.mark.parametrize("conflict", [True, False])
def test_scripts(conflict: bool) -> None:
    def work(size: int) -> Callable[[], Any]:
        base = "".join(f"# %%\nstep_{at} = compute({at})\n\n" for at in range(size))
        ours = base.replace("compute(7)", "compute(8)")
        theirs = base.replace("compute(7)" if conflict else "compute(77)", "compute(9)")
        return lambda: merge_texts(base, ours, theirs, "nb.py")

    grows_linearly(work)


SHAPES: dict[str, Callable[[int], tuple[list[str], list[str]]]] = {
    "one edit": lambda n: ([f"{at}" for at in range(n)], [f"{at}" for at in range(n - 1)] + ["x"]),
    "all other": lambda n: ([f"{at}" for at in range(n)], [f"x{at}" for at in range(n)]),
    "reversed": lambda n: ([f"{at}" for at in range(n)], [f"{at}" for at in range(n)][::-1]),
    "all equal": lambda n: (["x"] * n, ["y", *["x"] * (n // 2), "y"]),
    "every second": lambda n: (
        [f"{at}" for at in range(n)],
        [f"{at}" if at % 2 else f"y{at}" for at in range(n)],
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_lines(shape: str) -> None:
    def work(size: int) -> Callable[[], Any]:
        old, new = SHAPES[shape](size)
        return lambda: (equal_lines(old, new), merge_lines(old, new, [*old, "end"]))

    grows_linearly(work)


def test_outputs_that_nobody_changed_are_not_looked_into() -> None:
    """A cell that is the same in three files is read once, and written as it stands."""

    def work(lines: int) -> Callable[[], Any]:
        texts = (
            ipynb.dumps(document(50, lines)), edited(50, 7, 0, lines), edited(50, 7, 3, lines),
        )  # fmt: skip
        return lambda: merge_texts(*texts, "nb.ipynb")

    # What is read, checked and joined line by line, is so for the cells of one file.
    assert calls(work(400)) <= 3 * calls(work(100))
    base = ipynb.dumps(document(50, 400))
    assert calls(work(400)) < 2 * calls(lambda: ipynb.parse(base, "nb.ipynb")) + 30_000
