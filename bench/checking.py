"""Notebooks to check: small ones, each with the outputs that it is expected to have."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measurement import STDOUT
from bench.tools import OCTAVO, Tool
from bench.verification import JobNotDone
from bench.work import Document, Work

FOLDER = "notebooks"


@dataclass(frozen=True)
class Tree(Work):
    """So many notebooks of three cells, the last of which is marked to be compared."""

    count: int = 0

    def write(self, folder: Path) -> None:
        (folder / FOLDER).mkdir()
        for number in range(self.count):
            path = folder / FOLDER / f"notebook{number:04}.ipynb"
            path.write_text(json.dumps(_notebook(number), indent=1) + "\n")


def _notebook(number: int) -> dict[str, Any]:
    printed = {"name": "stdout", "output_type": "stream", "text": [f"{number * 2}\n"]}
    sources = (f"number = {number}", "double = number * 2", "# NBVAL_CHECK_OUTPUT\nprint(double)")
    cells = [
        {
            "cell_type": "code",
            "execution_count": place,
            "id": f"cell-{place}",
            "metadata": {},
            "outputs": [printed] if place == len(sources) else [],
            "source": source,
        }
        for place, source in enumerate(sources, 1)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def tree(count: int) -> Tree:
    """A folder of notebooks."""
    return Tree((Document("notebook0000", (), ()),), 1, count)


def _count(work: Work) -> int:
    if not isinstance(work, Tree):
        raise JobNotDone("there is no folder of notebooks")
    return work.count


def _check_octavo(verdict: str) -> Callable[[Work, Path], None]:
    def check(work: Work, folder: Path) -> None:
        wanted = _count(work)
        told = json.loads((folder / STDOUT).read_text())
        reused = {each["reused"] for each in told["verdicts"]}
        if len(told["verdicts"]) != wanted or not told["passed"]:
            raise JobNotDone("not every notebook passed")
        if reused != {verdict == "reused"}:
            raise JobNotDone(f"not every verdict was {verdict}")

    return check


def _check_nbval(work: Work, folder: Path) -> None:
    if f"{3 * _count(work)} passed" not in (folder / STDOUT).read_text():
        raise JobNotDone("not every cell passed")


def _words(*words: str) -> Callable[[Work], list[str]]:
    return lambda work: [*words] if isinstance(work, Tree) else [words[0], "--help"]


_CHECK = ("octavo", "check", FOLDER, "--json")
OCTAVO_CHECK = Tool(
    OCTAVO.name, "octavo check", "octavo", _words(*_CHECK, "--no-cache"), _check_octavo("run")
)
OCTAVO_UNCHANGED = Tool(
    OCTAVO.name, "octavo check, unchanged", "octavo", _words(*_CHECK), _check_octavo("reused")
)
NBVAL = Tool(
    "nbval",
    "pytest --nbval-lax",
    "nbval",
    _words("pytest", "--nbval-lax", "-q", "-p", "no:cacheprovider", FOLDER),
    _check_nbval,
)
