"""Two notebooks to compare: cells without ids, every output changed, and ten sources."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measurement import STDOUT
from bench.tools import OCTAVO, Tool
from bench.verification import JobNotDone
from bench.work import Document, Work

OLD, NEW, FOUND = "old.ipynb", "new.ipynb", "found.json"
EDITED = 10
_ROW = "{number:05} {one:.10f} {other:.10f} row {row} of what this cell prints"


@dataclass(frozen=True)
class Pair(Work):
    """Two versions of a notebook with so many cells, each of which prints about so many bytes."""

    cells: int = 0
    bytes_each: int = 1000

    def write(self, folder: Path) -> None:
        for name, seed in ((OLD, 0), (NEW, 1)):
            (folder / name).write_text(json.dumps(self._notebook(seed), indent=1) + "\n")

    def _notebook(self, seed: int) -> dict[str, Any]:
        roll = random.Random(seed)
        cells = [self._cell(number, seed, roll) for number in range(self.cells)]
        return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}

    def _cell(self, number: int, seed: int, roll: random.Random) -> dict[str, Any]:
        edited = seed and number % max(1, self.cells // EDITED) == 0
        call = "recomputed" if edited else "computed"
        rows = max(1, self.bytes_each // 75)
        printed = [
            _ROW.format(number=number, one=roll.random(), other=roll.random(), row=row) + "\n"
            for row in range(rows)
        ]
        return {
            "cell_type": "code",
            "execution_count": number + 1,
            "metadata": {},
            "outputs": [{"name": "stdout", "output_type": "stream", "text": printed}],
            "source": f"value_{number} = {call}(data, {number})\nprint(value_{number})",
        }


def pair(cells: int, bytes_each: int) -> Pair:
    """A pair of notebooks."""
    named = tuple(Document(name.removesuffix(".ipynb"), (), ()) for name in (OLD, NEW))
    return Pair(named, 1, cells, bytes_each)


def check_diff(found: Callable[[Path], str]) -> Callable[[Work, Path], None]:
    """Whether what was found, applied to the old notebook, gives the new one."""

    def check(work: Work, folder: Path) -> None:
        from octavo.notebook.diff import patch

        old, new = (json.loads((folder / name).read_bytes()) for name in (OLD, NEW))
        for document in (old, new):
            for cell in document["cells"]:
                for output in cell["outputs"]:
                    output["text"] = "".join(output["text"])
        try:
            made = patch(old, json.loads(found(folder)))
        except ValueError:
            raise JobNotDone("what it found is no JSON") from None
        if made != new:
            raise JobNotDone("what it found does not make the new notebook of the old one")

    return check


def _check_shown(work: Work, folder: Path) -> None:
    if f"{EDITED} cells edited" not in (folder / STDOUT).read_text():
        raise JobNotDone("the edited cells are not told")


def _printed(folder: Path) -> str:
    return (folder / STDOUT).read_text()


def _written(folder: Path) -> str:
    return (folder / FOUND).read_text()


def _words(*words: str) -> Callable[[Work], list[str]]:
    return lambda work: [*words] if isinstance(work, Pair) else [words[0], "--help"]


OCTAVO_DIFF = Tool(
    OCTAVO.name, "octavo diff --json", "octavo", _words("octavo", "diff", OLD, NEW, "--json"),
    check_diff(_printed),
)  # fmt: skip
OCTAVO_SHOWN = Tool(
    OCTAVO.name, "octavo diff", "octavo", _words("octavo", "diff", OLD, NEW), _check_shown
)
NBDIME = Tool(
    "nbdime", "nbdiff --out", "nbdime", _words("nbdiff", OLD, NEW, "--out", FOUND),
    check_diff(_written),
)  # fmt: skip
