"""Whatever is edited where: sync brings both files into step and loses no edit, or refuses."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.authoring.base import Bases
from octavo.authoring.pairs import Pair
from octavo.authoring.sides import rewrite
from octavo.authoring.syncing import plan
from octavo.errors import ConflictError
from octavo.notebook.formats import read, write
from octavo.notebook.model import Cell, Notebook

START = tuple(Cell("code", f"step_{name}(value_{name})") for name in "abcde")


class Edited:
    """A pair of files under edits. Every edit leaves a word of its own in its cell."""

    def __init__(self, folder: Path, start: Notebook, suffix: str) -> None:
        self.pair = Pair(folder / f"nb.{suffix}", folder / "nb.ipynb")
        self.bases = Bases(folder)
        self.count = 0
        self.pair.script.write_text(write(start, suffix))
        self.sync()

    def sync(self) -> bool:
        before = self.texts()
        try:
            plan(self.pair, self.bases).carry_out(self.bases)
        except ConflictError:
            assert self.texts() == before
            return False
        assert plan(self.pair, self.bases).status == "in-step"
        return True

    def texts(self) -> list[bytes]:
        return [path.read_bytes() for path in self.pair if path.exists()]

    def cells(self, side: int) -> list[Cell]:
        path = self.pair[side]
        return list(read(path.read_text(), str(path)).cells)

    def put(self, side: int, cells: list[Cell]) -> None:
        path = self.pair[side]
        text = path.read_text()
        if side == 0:
            path.write_text(rewrite(text, str(path), cells))
        else:
            metadata = read(text, str(path)).metadata
            path.write_text(write(Notebook(tuple(cells), metadata), "ipynb"))

    def word(self) -> str:
        self.count += 1
        return f"edit_{self.count}"


def edit(files: Edited, side: int, data: st.DataObject) -> set[str]:
    """One edit on one side; the words that it put there."""
    cells = files.cells(side)
    at = data.draw(st.integers(0, max(len(cells) - 1, 0)), label="cell")
    what = data.draw(st.sampled_from(("edit", "edit", "insert", "delete", "move")), label="what")
    word = files.word()
    if what == "insert" or not cells:
        kind: Any = data.draw(st.sampled_from(("code", "markdown")))
        cells.insert(at, Cell(kind, f"new {word}" if kind == "markdown" else f"new({word})"))
    elif what == "edit":
        cells[at] = cells[at].replace(source=f"{cells[at].source}\n{word}")
    elif what == "move":
        cells.insert(data.draw(st.integers(0, len(cells) - 1)), cells.pop(at))
    else:
        del cells[at]
    files.put(side, cells)
    return {word} if what in ("insert", "edit") else set()


MYST = {"jupytext": {"text_representation": {"extension": ".md", "format_name": "myst"}}}


@pytest.mark.parametrize(
    ("suffix", "metadata"), (("py", {}), ("md", {}), ("md", MYST)), ids=("script", "md", "MyST")
)
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_edit_is_lost(suffix: str, metadata: dict[str, Any], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = Edited(Path(folder), Notebook(START, metadata), suffix)
        for _ in range(data.draw(st.integers(1, 3), label="rounds")):
            words = set()
            for _ in range(data.draw(st.integers(0, 3), label="edits")):
                words |= edit(files, data.draw(st.integers(0, 1), label="side"), data)
            written = {
                word
                for word in words
                if any(word in cell.source for side in (0, 1) for cell in files.cells(side))
            }
            if not files.sync():
                break
            for side in (0, 1):
                text = "\n".join(cell.source for cell in files.cells(side)).split()
                joined = " ".join(text)
                assert all(word in joined for word in written)
