"""The ten tasks: what is asked, what a notebook looks like at first, and when it is right."""

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
    """One thing that an agent is asked to do; `right` judges its answer and what is left."""

    name: str
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
    Task("explore", "explore a data set: what is missing, means by group", _explored),
    Task(
        "find_failing",
        "find the failing cell of 20",
        lambda answer, folder: answer == (17, "NameError"),
        {17: BUG},
    ),
    Task(
        "parameter",
        "run with another parameter, source unchanged",
        lambda answer, folder: answer == truth.results(folder, 0.9) and _unchanged(folder),
    ),
    Task("mend", "fix a bug in cell 17 of 20, and run", _mended, {17: BUG}),
    Task("compare", "compare two runs", _compared),
    Task("add_step", "add a step in the middle, and run", _added),
    Task(
        "flood",
        "run, and tell what cell 4 found; it prints 20,001 lines",
        lambda answer, folder: answer == 19_873,
        {4: FLOOD},
    ),
    Task("plot", "draw a chart", lambda answer, folder: bool(answer)),
    Task(
        "what_if",
        "try three things on a costly state, and leave it as it is",
        lambda answer, folder: answer[3] == 2000 and answer[0] == 4,
    ),
    Task("commit", "change the title, commit without outputs", _committed),
)
