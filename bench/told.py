"""Work of which only a part counts: the command tells the figure, as JSON on its last line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.measurement import STDOUT
from bench.verification import JobNotDone
from bench.work import Document, Work

SIDE = "_side.py"


@dataclass(frozen=True)
class Told(Work):
    """Files that the sides find in their folder, among them a script for each."""

    files: Mapping[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()

    def write(self, folder: Path) -> None:
        for name, text in self.files.items():
            (folder / name).write_text(text)


def sides(words: tuple[str, ...] = (), **scripts: str) -> Told:
    """Work that is a script for each side, by its name."""
    files = {f"{side}{SIDE}": text for side, text in scripts.items()}
    return Told((Document("notebook", (), ()),), 1, files, words)


def told(folder: Path) -> dict[str, Any]:
    """What a command said on its last line."""
    lines = (folder / STDOUT).read_text().splitlines()
    try:
        found = json.loads(lines[-1])
    except (IndexError, ValueError):
        found = None
    if not isinstance(found, dict) or "figure" not in found:
        raise JobNotDone("it did not say what it measured")
    return found


def figure_told(folder: Path) -> float:
    """The figure that a command has measured itself."""
    return float(told(folder)["figure"])


def script_of(side: str) -> Callable[[Work], list[str]]:
    """The command of a side; where there is other work, one that does nothing."""

    def words(work: Work) -> list[str]:
        script = f"{side}{SIDE}"
        if not isinstance(work, Told) or script not in work.files:
            return ["python", "-c", "pass"]
        return ["python", script, *work.words]

    return words
