"""Every cell of the corpus shows the same in ipykernel and in a forked kernel.

What differs on purpose stands in `DIFFERENT`, with the reason; `design/engine.md` argues for each.
A cell that is listed and no longer differs fails too: the list only shrinks.
"""

from __future__ import annotations

import fcntl
import json
from pathlib import Path
from typing import Any

import pytest

from kernels.corpus import GROUPS
from kernels.sidebyside import Outputs, ironed, run_fork, run_ipykernel

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

_ORDER = "exact order"
_TRACEBACK = "whole tracebacks"
_USAGE = "usage errors and exception groups are errors"
_EXIT = "leaving"
_TERMINAL = "no terminal"
_PAGER = "pages are printed"
_REFUSAL = "clearer refusals"
_C = "text of C code"
_ARGV = "a neutral argv"
_SURROGATES = "lone surrogates"

DIFFERENT = {
    "print('a'); print('b', file=sys.stderr); print('c')": _ORDER,
    "import os, sys\nos.system('echo from a process >&2'); print('after')": _ORDER,
    "class B:\n    def __repr__(self): raise ValueError('no repr')\nB()": _TRACEBACK,
    "try:\n    1 / 0\nexcept Exception as e:\n    raise RuntimeError('outer') from e": _TRACEBACK,
    "try:\n    1 / 0\nexcept Exception:\n    raise RuntimeError('during')": _TRACEBACK,
    "def r(n): return r(n)\nr(0)": _TRACEBACK,
    "raise ExceptionGroup('many', [ValueError('one')])": _USAGE,
    "%no_such_magic_here": _USAGE,
    "%%no_such_cell_magic\nx": _USAGE,
    "import sys; sys.exit(3)": _EXIT,
    "import sys; sys.exit(0)": _EXIT,
    "%alias greet echo hello %s\n%greet you": _TERMINAL,
    "!echo out; echo err >&2": _TERMINAL,
    "os.environ.get('TERM'), os.environ.get('FORCE_COLOR')": _TERMINAL,
    "%psearch os.pat*\n'searched'": _PAGER,
    "len??\n": _PAGER,
    "input('?')": _REFUSAL,
    "import getpass; getpass.getpass()": _REFUSAL,
    "import ctypes; ctypes.CDLL(None).printf(b'from C\\n'); print('after')": _C,
    "sys.argv": _ARGV,
    "print('\\ud800')": _SURROGATES,
}

CELLS = [
    (group, index, cell) for group, cells in GROUPS.items() for index, cell in enumerate(cells)
]

#: These fall together or apart by the chance of ipykernel's threads.
BY_CHANCE = {_ORDER}


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Outputs, Outputs]]:
    """The outputs of both kernels, made once, whichever worker comes first."""
    place = tmp_path_factory.getbasetemp()
    shared = place.parent if "PYTEST_XDIST_WORKER" in __import__("os").environ else place
    kept = shared / "side-by-side.json"
    with (shared / "side-by-side.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            kept.write_text(json.dumps(_run_both(tmp_path_factory)))
    return [(theirs, ours) for theirs, ours in json.loads(kept.read_text())]


def _run_both(folders: pytest.TempPathFactory) -> list[Any]:
    cells = [cell for _, _, cell in CELLS]
    folder: Path = folders.mktemp("ipykernel")
    theirs = run_ipykernel(cells, folder)
    ours = run_fork(cells, folders.mktemp("fork"))
    return [[a, b] for a, b in zip(theirs, ours, strict=True)]


@pytest.mark.parametrize(
    "number", range(len(CELLS)), ids=[f"{group}-{index}" for group, index, _ in CELLS]
)
def test_a_cell_shows_the_same(number: int, both: list[tuple[Outputs, Outputs]]) -> None:
    cell = CELLS[number][2]
    theirs, ours = map(ironed, both[number])
    if cell not in DIFFERENT:
        assert ours == theirs, cell
    elif DIFFERENT[cell] not in BY_CHANCE:
        assert ours != theirs, f"no longer differs: {cell!r}"


def test_the_corpus_is_broad_and_the_list_is_not_stale() -> None:
    assert len(CELLS) >= 180
    assert set(DIFFERENT) <= {cell for _, _, cell in CELLS}


def test_every_difference_is_argued_for() -> None:
    note = Path(__file__).parents[2] / "design" / "engine.md"
    text = note.read_text(encoding="utf-8").lower()
    reasons = set(DIFFERENT.values())
    assert [reason for reason in reasons if f"**{reason.lower()}" not in text] == []
