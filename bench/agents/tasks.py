"""The ten tasks: what is asked, what a notebook looks like at first, and when it is right.

All that an agent knows is the text of its task and of its tools, what they have answered, and that
the folder is a git repository with sales.csv and the notebook report in it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.agents import truth, with_jupyter, with_octavo, with_shell
from bench.agents.arms import Tools
from bench.agents.material import BUG, FLOOD

Policy = Callable[[Tools], Awaitable[Any]]
WAYS = {"octavo": with_octavo, "shell": with_shell, "jupyter": with_jupyter}


@dataclass(frozen=True)
class Task:
    """One thing that an agent is asked to do; `right` judges its answer and what is left. The
    `title` is for the table; no agent sees it."""

    name: str
    title: str
    asked: str
    right: Callable[[Any, Path], bool]
    changed: dict[int, str] = field(default_factory=dict)

    def policy(self, tools: str) -> Policy:
        found: Policy = getattr(WAYS[tools], self.name)
        return found


def _explored(answer: Any, folder: Path) -> bool:
    return bool(answer == [truth.means(folder), truth.missing(folder)])


def _unchanged(folder: Path) -> bool:
    return truth.sources(folder) == truth.sources(folder, "main")


def _mended(answer: Any, folder: Path) -> bool:
    sources = truth.sources(folder)
    rest = [source for index, source in enumerate(sources) if index != 17]
    before = [each for index, each in enumerate(truth.sources(folder, "main")) if index != 17]
    return answer == truth.results(folder) and "scaled" in sources[17] and rest == before


def _compared(answer: Any, folder: Path) -> bool:
    return bool(answer == [truth.results(folder, each) for each in (0.5, 0.9)])


def _added(answer: Any, folder: Path) -> bool:
    sources = truth.sources(folder)
    return answer in ("north", "south", "east", "west") and "idxmax" in sources[8]


def _committed(answer: Any, folder: Path) -> bool:
    branch = truth.newest(folder)
    title = truth.sources(folder, branch)[0]
    return "Sales of the year" in title and not truth.committed_outputs(folder, branch)


TASKS = (
    Task(
        "explore",
        "explore a data set: what is missing, means by group",
        "Which columns of sales.csv lack values, how many, and what does a sale bring on average "
        "in each region?",
        _explored,
    ),
    Task(
        "find_failing",
        "find the failing cell of 20",
        "The report fails. In which cell (by its index), and with which error?",
        lambda answer, folder: answer == (17, "NameError"),
        {17: BUG},
    ),
    Task(
        "parameter",
        "run with another parameter, source unchanged",
        "What are the results of the report with the parameter threshold at 0.9? Leave the "
        "notebook as it is.",
        lambda answer, folder: answer == truth.results(folder, 0.9) and _unchanged(folder),
    ),
    Task(
        "mend",
        "fix a bug in cell 17 of 20, and run",
        "The report fails. Mend it, run it, and tell its results.",
        _mended,
        {17: BUG},
    ),
    Task(
        "compare",
        "compare two runs",
        "Compare the results of the report with the parameter threshold at 0.5 and at 0.9.",
        _compared,
    ),
    Task(
        "add_step",
        "add a step in the middle, and run",
        "Behind the cell of the report that makes totals (a Series of pandas, by region) put one "
        "that prints the region with the most. Run the report, and tell that region.",
        _added,
    ),
    Task(
        "flood",
        "run, and tell what cell 4 found; it prints 20,001 lines",
        "Run the report, and tell where cell 4 converged.",
        lambda answer, folder: answer == 19_873,
        {4: FLOOD},
    ),
    Task(
        "plot",
        "draw a chart",
        "Draw the sum of the column amount of sales.csv by the column day.",
        lambda answer, folder: bool(answer),
    ),
    Task(
        "what_if",
        "try three things on a costly state, and leave it as it is",
        "The report makes df, which takes long. How many rows would be left without duplicates "
        "in region, in day, in units, and how many has it? Leave df as it is.",
        lambda answer, folder: answer == [4, 252, 9, 2000],
    ),
    Task(
        "commit",
        "change the title, commit without outputs",
        "Change the title of the report to “Sales of the year”, and commit it without outputs.",
        _committed,
    ),
)
