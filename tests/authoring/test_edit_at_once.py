"""Many processes edit one file at the same time, and none loses what another wrote."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cli.calling import variables
from octavo.notebook.formats import write
from octavo.notebook.model import Cell, Notebook
from octavo.sources import read_source

WRITERS = 6
EDITS = 4
#: Waits for the signal to begin, so that all of them are at it together.
PROGRAM = """
import sys
from octavo.surfaces.python.steps import notebook_edit
path, me, edits = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for n in range(1, edits + 1):
    notebook_edit(path, me, f"cell_{me} = {n}")
"""


def edit_at_once(folder: Path, name: str) -> list[str]:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, name, str(me), str(EDITS)],
            cwd=folder, env=variables(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )
        for me in range(WRITERS)
    ]  # fmt: skip
    for writer in writers:
        assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    return [writer.communicate(timeout=120)[1] for writer in writers]


@pytest.mark.slow
@pytest.mark.parametrize("suffixes", [("md",), ("ipynb",), ("py", "ipynb")])
def test_edits_of_different_cells_are_all_there(suffixes: tuple[str, ...], tmp_path: Path) -> None:
    """In the other file of a pair too."""
    (tmp_path / "octavo.toml").write_text("")
    cells = tuple(Cell("code", f"cell_{n} = 0", {"name": f"c{n}"}) for n in range(WRITERS))
    for suffix in suffixes:
        (tmp_path / f"nb.{suffix}").write_text(write(Notebook(cells), suffix))
    assert edit_at_once(tmp_path, f"nb.{suffixes[0]}") == [""] * WRITERS
    for suffix in suffixes:
        found = [c.source for c in read_source(tmp_path / f"nb.{suffix}").notebook.cells]
        assert found == [f"cell_{n} = {EDITS}" for n in range(WRITERS)], suffix
    assert not list(tmp_path.glob(".*.tmp"))
